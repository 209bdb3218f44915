#pragma once

/* How often memory was asked of the C library since the process began, by all threads. */
unsigned long rex_allocations(void);
