#pragma once
#include <sqlite3.h>

/* SQLite counts no memory: for that it would take a lock at every allocation. To be called before anything else;
   where the program has used SQLite before, it stays as it was. */
static inline void rex_sqlite_count_no_memory(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/* The destructor values are casts, which are not imported. These bytes are copied at once. */
static inline int rex_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}
static inline int rex_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}
/* These stay where they are until the statement is reset or bound anew. */
static inline int rex_sqlite_bind_borrowed_text(sqlite3_stmt *statement, int index, const void *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_STATIC);
}
