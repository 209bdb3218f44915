/* Shows the thread sanitizer the locks of Swift's Synchronization.Mutex on Linux.
 *
 * Where nobody else has the mutex, it is taken and given back by an atomic operation in the code that
 * uses it, which the sanitizer sees. Where it is contended that is done by the kernel, called by two
 * functions of a library that is not instrumented; then what the mutex guards was reported as a race.
 * `make test-tsan` links this into each program in front of that library: the same two functions, which
 * call those of the library and say what they did.
 *
 * The names are Swift's own and part of its ABI (SE-0433):
 *   Synchronization._MutexHandle._lockSlow(Swift.UInt32) -> ()
 *   Synchronization._MutexHandle._unlockSlow() -> ()
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

void __tsan_acquire(void *address);
void __tsan_release(void *address);

/* A name that a Swift to come has no more must not go unnoticed. */
static void *next(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void lock_slow(uint32_t thread, SELF void *mutex) {
    SWIFT void (*lock)(uint32_t, SELF void *) = next(LOCK);
    lock(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT void unlock_slow(SELF void *mutex) __asm__(UNLOCK);
SWIFT void unlock_slow(SELF void *mutex) {
    SWIFT void (*unlock)(SELF void *) = next(UNLOCK);
    __tsan_release(mutex);
    unlock(mutex);
}
