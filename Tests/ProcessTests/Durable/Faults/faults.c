/* Preloaded into a program (LD_PRELOAD), makes its disk and its calendar misbehave as a file says
 * that REX_FAULTS names. The file is read again at every call that concerns it:
 *
 *   write ERRNO      what changes a file fails: writes, syncs, sizes, names, new files
 *   sync ERRNO       syncs fail, after what they should have put on the disk was written
 *   clock SECONDS    the calendar is so far ahead; clocks that only run forward are left alone
 *   (nothing)        all is well
 *
 * Only files below the folder REX_FAULTS_IN count. Where REX_KILL_AT is a number, the process is
 * killed at so many calls that change something there: half of a write is done before. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_long calls;

/* What the file says of a topic: its number, or 0. */
static long fault(const char *topic) {
    const char *path = getenv("REX_FAULTS");
    if (!path) return 0;
    long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    char text[64] = {0};
    long count = syscall(SYS_read, file, text, sizeof text - 1);
    syscall(SYS_close, file);
    size_t length = strlen(topic);
    if (count <= (long)length || strncmp(text, topic, length) || text[length] != ' ') return 0;
    return strtol(text + length + 1, NULL, 10);
}

static int is_ours(const char *path) {
    const char *folder = getenv("REX_FAULTS_IN");
    return path && folder && !strncmp(path, folder, strlen(folder));
}

static int is_open_there(int file) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t count = readlink(link, path, sizeof path - 1);
    if (count < 0) return 0;
    path[count] = 0;
    /* The index of the log is memory that is shared, and nothing of it has to stay. */
    return is_ours(path) && !strstr(path, "-shm");
}

static int is_the_last_call(void) {
    const char *at = getenv("REX_KILL_AT");
    return at && atomic_fetch_add(&calls, 1) + 1 == strtol(at, NULL, 10);
}

static void end(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* Whether a call on a file fails; then errno says why. */
static int fails(int file, const char *topic) {
    int saved = errno;
    if (!is_open_there(file)) return errno = saved, 0;
    long error = fault("write");
    if (!error && topic) error = fault(topic);
    errno = error ? (int)error : saved;
    return error != 0;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
    if (fails(file, NULL)) return -1;
    if (is_open_there(file) && is_the_last_call()) {
        syscall(SYS_pwrite64, file, bytes, count / 2, at);
        end();
    }
    return syscall(SYS_pwrite64, file, bytes, count, at);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
    return pwrite64(file, bytes, count, at);
}

ssize_t write(int file, const void *bytes, size_t count) {
    if (fails(file, NULL)) return -1;
    if (is_open_there(file) && is_the_last_call()) {
        syscall(SYS_write, file, bytes, count / 2);
        end();
    }
    return syscall(SYS_write, file, bytes, count);
}

int fdatasync(int file) {
    if (is_open_there(file) && is_the_last_call()) end();
    if (fails(file, "sync")) return -1;
    return (int)syscall(SYS_fdatasync, file);
}

int fsync(int file) {
    if (is_open_there(file) && is_the_last_call()) end();
    if (fails(file, "sync")) return -1;
    return (int)syscall(SYS_fsync, file);
}

int ftruncate64(int file, off64_t size) {
    if (is_open_there(file) && is_the_last_call()) end();
    if (fails(file, NULL)) return -1;
    return (int)syscall(SYS_ftruncate, file, size);
}

int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

static int name_fails(const char *path) {
    if (!is_ours(path)) return 0;
    if (is_the_last_call()) end();
    long error = fault("write");
    if (error) errno = (int)error;
    return error != 0;
}

int unlink(const char *path) {
    if (name_fails(path)) return -1;
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int rename(const char *old, const char *new) {
    if (name_fails(new)) return -1;
    return (int)syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0);
}

static int open_with(const char *path, int flags, va_list rest) {
    mode_t mode = 0;
    if (flags & O_CREAT) {
        mode = va_arg(rest, mode_t);
        if (name_fails(path)) return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    int result = open_with(path, flags, rest);
    va_end(rest);
    return result;
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    int result = open_with(path, flags, rest);
    va_end(rest);
    return result;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static __typeof__(&clock_gettime) next;
    if (!next) next = NEXT(clock_gettime);
    int status = next(clock, time);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        time->tv_sec += fault("clock");
    return status;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
