#pragma once
#include <uv.h>
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

#include <sys/prctl.h>

/* The name that `top -H` shows: prctl is variadic, which Swift cannot import. */
static inline void rex_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/* `stdout` is a variable, which Swift does not let several threads read. Returns what went wrong, also at a write
   before; 0 where nothing did. */
static inline int rex_flush_output(void) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    return errno != 0 ? errno : EIO;
}

/* The family of a socket that was handed over. */
static inline int rex_socket_family(int descriptor) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getsockname(descriptor, (struct sockaddr *)&address, &length) != 0) return -1;
    return address.ss_family;
}
