/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Locks and other waits for threads, and sleep. A lock is tried first: one that is free costs no event. One that is held
 * is recorded with the thread that holds it, where the C library knows it, and so is its release. */
#include "agent/native.h"
#include "agent/trace-place.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

enum { MAX_HELD = 8 };

int pthread_cond_clockwait (pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                            const struct timespec *until);
int pthread_mutex_clocklock (pthread_mutex_t *lock, clockid_t clock,
                             const struct timespec *until);

/* Locks that this thread has waited for and holds; of more than there is room for, the oldest are forgotten. */
static __thread struct {
    const volatile void *locks[MAX_HELD];
    int n;
} held __attribute__ ((tls_model ("initial-exec")));

static void
forget (int index)
{
    held.n--;
    memmove (held.locks + index, held.locks + index + 1,
             (size_t) (held.n - index) * sizeof *held.locks);
}

void
native_lock_hold (const volatile void *lock)
{
    if (held.n == MAX_HELD) {
        forget (0);
    }
    held.locks[held.n++] = lock;
}

int
native_lock_release (const volatile void *lock)
{
    struct pddt_trace_lock released = { .address = (uintptr_t) lock };
    int at = held.n - 1, reason = errno;

    while (at >= 0 && held.locks[at] != lock) {
        at--;
    }
    if (at >= 0 && native_go_on ()) {
        forget (at);
        trace_put_with (PDDT_TRACE_LOCK_RELEASED, 0, 0, &released, sizeof released);
        native_rest ();
    }
    errno = reason;
    return at >= 0;
}

/* Others wait for the mutex that this thread is about to give back, and that it has not waited for itself: so that they
 * can be told who had it, which a thread that has recorded nothing is not. */
static void
show (enum native_function function, const void *code)
{
    int reason = errno;

    if (native_begin ()) {
        if (!trace_place_is_own (native_openmp_find_code (code))) {
            native_enter (function, code);
            native_leave (function, NULL);
        }
        native_rest ();
    }
    errno = reason;
}

/* As glibc keeps it: in the bits of the kernel's where the kernel knows the owner, else as 2. */
static int
has_waiters (const pthread_mutex_t *lock)
{
    enum { BY_KERNEL = 16 /* robust */ | 32 /* inherits */ };
    unsigned word = (unsigned) __atomic_load_n (&lock->__data.__lock, __ATOMIC_RELAXED);

    return (lock->__data.__kind & BY_KERNEL) != 0 ? (word & 0x80000000u) != 0 : word == 2;
}

int
native_lock_begin (enum native_function function, const volatile void *lock, uint32_t kind,
                   int owner, const void *code)
{
    struct pddt_trace_lock wanted = { (uintptr_t) lock, kind, (uint32_t) owner };
    int reason = errno, is_recorded = native_begin ();

    if (is_recorded) {
        /* where the caller has ended in this call, as handlers of fork do, its code is its caller's */
        is_recorded = !trace_place_is_own (native_openmp_find_code (code))
                      && !trace_place_is_own ((const void *) lock);
        if (is_recorded) {
            native_enter (function, code);
        }
        if (is_recorded && lock != NULL) {
            trace_put_with (PDDT_TRACE_LOCK_WANTED, 0, 0, &wanted, sizeof wanted);
        }
        native_rest ();
    }
    errno = reason;
    return is_recorded;
}

void
native_lock_end (enum native_function function, const volatile void *lock, uint32_t kind,
                 int is_recorded, int has_it, const void *code)
{
    struct pddt_trace_lock taken = { .address = (uintptr_t) lock, .kind = kind };
    int reason = errno;

    if (is_recorded && native_go_on ()) {
        if (lock != NULL && has_it) {
            trace_put_with (PDDT_TRACE_LOCK_TAKEN, 0, 0, &taken, sizeof taken);
            native_lock_hold (lock);
        }
        native_leave (function, code);
        native_rest ();
    }
    errno = reason;
}

static int
is_taken (int result)
{
    return result == 0 || result == EOWNERDEAD;
}

/* ---- locks ---- */

/* A free one is taken by trying; an error of the attempt is the call's too. Whoever holds it already, and may
 * not take it twice, is told by the function itself. */
#define WRAP_LOCK(name, try, owner_of, parameters, ...)                                        \
    __attribute__ ((visibility ("default"))) int name parameters                               \
    {                                                                                          \
        int result, is_recorded;                                                               \
                                                                                               \
        if (!native_is_on ()) {                                                                \
            return NATIVE_CALL (name) (__VA_ARGS__);                                           \
        }                                                                                      \
        result = NATIVE_CALL (try) (lock);                                                     \
        if (result != EBUSY && result != EAGAIN) {                                             \
            return result;                                                                     \
        }                                                                                      \
        is_recorded = native_lock_begin (NATIVE_##name, lock, 0, owner_of,                     \
                                         __builtin_return_address (0));                        \
        result = NATIVE_CALL (name) (__VA_ARGS__);                                             \
        native_lock_end (NATIVE_##name, lock, 0, is_recorded, is_taken (result), NULL);        \
        return result;                                                                         \
    }
#define MUTEX_OWNER __atomic_load_n (&lock->__data.__owner, __ATOMIC_RELAXED)
#define WRITER __atomic_load_n (&lock->__data.__cur_writer, __ATOMIC_RELAXED)
WRAP_LOCK (pthread_mutex_lock, pthread_mutex_trylock, MUTEX_OWNER, (pthread_mutex_t * lock),
           lock)
WRAP_LOCK (pthread_mutex_timedlock, pthread_mutex_trylock, MUTEX_OWNER,
           (pthread_mutex_t * lock, const struct timespec *until), lock, until)
WRAP_LOCK (pthread_mutex_clocklock, pthread_mutex_trylock, MUTEX_OWNER,
           (pthread_mutex_t * lock, clockid_t clock, const struct timespec *until), lock, clock,
           until)
WRAP_LOCK (pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, WRITER, (pthread_rwlock_t * lock),
           lock)
WRAP_LOCK (pthread_rwlock_wrlock, pthread_rwlock_trywrlock, WRITER, (pthread_rwlock_t * lock),
           lock)

/* Of who reads nobody is told. */
static int
has_waiters_for_writer (const pthread_rwlock_t *lock)
{
    enum { READER_SHIFT = 3 };

    return __atomic_load_n (&lock->__data.__cur_writer, __ATOMIC_RELAXED) != 0
           && (__atomic_load_n (&lock->__data.__readers, __ATOMIC_RELAXED) >> READER_SHIFT > 0
               || __atomic_load_n (&lock->__data.__writers, __ATOMIC_RELAXED) > 0);
}

__attribute__ ((visibility ("default"))) int
pthread_mutex_unlock (pthread_mutex_t *lock)
{
    if (!(held.n > 0 && native_lock_release (lock)) && has_waiters (lock)) {
        show (NATIVE_pthread_mutex_unlock, __builtin_return_address (0));
    }
    return NATIVE_CALL (pthread_mutex_unlock) (lock);
}

__attribute__ ((visibility ("default"))) int
pthread_rwlock_unlock (pthread_rwlock_t *lock)
{
    if (!(held.n > 0 && native_lock_release (lock)) && has_waiters_for_writer (lock)) {
        show (NATIVE_pthread_rwlock_unlock, __builtin_return_address (0));
    }
    return NATIVE_CALL (pthread_rwlock_unlock) (lock);
}

/* ---- what always waits ---- */

#define WRAP_WAIT(name, parameters, ...)                                                       \
    __attribute__ ((visibility ("default"))) int name parameters                               \
    {                                                                                          \
        int is_recorded = native_lock_begin (NATIVE_##name, NULL, 0, 0,                        \
                                             __builtin_return_address (0));                    \
        int result = NATIVE_CALL (name) (__VA_ARGS__);                                         \
                                                                                               \
        native_lock_end (NATIVE_##name, NULL, 0, is_recorded, 0, NULL);                        \
        return result;                                                                         \
    }
WRAP_WAIT (pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex), condition,
           mutex)
WRAP_WAIT (pthread_cond_timedwait,
           (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *until),
           condition, mutex, until)
WRAP_WAIT (pthread_cond_clockwait,
           (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock,
            const struct timespec *until),
           condition, mutex, clock, until)
WRAP_WAIT (pthread_join, (pthread_t thread, void **value), thread, value)
WRAP_WAIT (pthread_barrier_wait, (pthread_barrier_t * barrier), barrier)

/* ---- sleep ---- */

/* is_sleep: nothing but time ends it. */
#define WRAP_SLEEP(type, name, is_sleep, parameters, ...)                                      \
    __attribute__ ((visibility ("default"))) type name parameters                              \
    {                                                                                          \
        const void *code = __builtin_return_address (0);                                       \
        int is_recorded = (is_sleep) && native_lock_begin (NATIVE_##name, NULL, 0, 0, code);   \
        type result = NATIVE_CALL (name) (__VA_ARGS__);                                        \
                                                                                               \
        native_lock_end (NATIVE_##name, NULL, 0, is_recorded, 0, code);                        \
        return result;                                                                         \
    }
WRAP_SLEEP (int, nanosleep, 1, (const struct timespec *wanted, struct timespec *left), wanted,
            left)
WRAP_SLEEP (int, clock_nanosleep, 1,
            (clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left),
            clock, flags, wanted, left)
WRAP_SLEEP (int, usleep, 1, (useconds_t wanted_us), wanted_us)
WRAP_SLEEP (unsigned, sleep, 1, (unsigned wanted_s), wanted_s)
WRAP_SLEEP (int, select, n == 0 && limit != NULL,
            (int n, fd_set *to_read, fd_set *to_write, fd_set *others, struct timeval *limit),
            n, to_read, to_write, others, limit)
WRAP_SLEEP (int, poll, n == 0 && limit_ms > 0, (struct pollfd * files, nfds_t n, int limit_ms),
            files, n, limit_ms)
