// Stands before the C library's allocator and counts. What it is linked into counts for the whole process:
// the Swift runtime takes its memory here too.
#include "allocation_counter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_ulong count;

unsigned long rex_allocations(void) { return atomic_load_explicit(&count, memory_order_relaxed); }

// A sanitizer stands there itself, and two cannot: then nothing is counted.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

static void note(void) { atomic_fetch_add_explicit(&count, 1, memory_order_relaxed); }

void *malloc(size_t bytes) {
    note();
    return __libc_malloc(bytes);
}

void *calloc(size_t number, size_t bytes) {
    note();
    return __libc_calloc(number, bytes);
}

void *realloc(void *old, size_t bytes) {
    note();
    return __libc_realloc(old, bytes);
}

int posix_memalign(void **place, size_t alignment, size_t bytes) {
    note();
    *place = __libc_memalign(alignment, bytes);
    return *place ? 0 : ENOMEM;
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    note();
    return __libc_memalign(alignment, bytes);
}

#endif
