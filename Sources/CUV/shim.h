#pragma once
#include <uv.h>
#include <sys/socket.h>

/* SO_PEERCRED and friends are macros with casts; these are what Swift cannot import. */
static inline int rex_socket_family(int descriptor) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getsockname(descriptor, (struct sockaddr *)&address, &length) != 0) return -1;
    return address.ss_family;
}
