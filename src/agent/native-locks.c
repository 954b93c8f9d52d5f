/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Locks and other waits for threads. A lock is tried first: one that is free costs no event. One that is held
 * is recorded with the thread that holds it, where the C library knows it. CPython's locks are semaphores (or,
 * where those are missing, a condition variable), so they pass here too. */
#include "agent/native.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

int pthread_cond_clockwait (pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                            const struct timespec *until);
int sem_clockwait (sem_t *semaphore, clockid_t clock, const struct timespec *until);

/* owner: its thread id; 0: nobody knows */
static int
begin (enum native_function function, const volatile void *lock, int owner, const void *code)
{
    struct pddt_trace_lock wanted = { .address = (uintptr_t) lock, .owner = (uint32_t) owner };
    int reason = errno, is_recorded = native_begin ();

    if (is_recorded) {
        native_enter (function, code);
        if (lock != NULL) {
            trace_put_with (PDDT_TRACE_LOCK_WANTED, 0, 0, &wanted, sizeof wanted);
        }
        native_rest ();
    }
    errno = reason;
    return is_recorded;
}

static void
end (enum native_function function, const volatile void *lock, int is_recorded, int has_it)
{
    struct pddt_trace_lock taken = { .address = (uintptr_t) lock };
    int reason = errno;

    if (is_recorded && native_begin ()) {
        if (lock != NULL && has_it) {
            trace_put_with (PDDT_TRACE_LOCK_TAKEN, 0, 0, &taken, sizeof taken);
        }
        native_leave (function);
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
#define WRAP_LOCK(name, try, type, owner_of)                                                   \
    __attribute__ ((visibility ("default"))) int name (type *lock)                             \
    {                                                                                          \
        int result, is_recorded;                                                               \
                                                                                               \
        if (!trace_is_open ()) {                                                               \
            return NATIVE_CALL (name) (lock);                                                  \
        }                                                                                      \
        result = NATIVE_CALL (try) (lock);                                                     \
        if (result != EBUSY && result != EAGAIN) {                                             \
            return result;                                                                     \
        }                                                                                      \
        is_recorded = begin (NATIVE_##name, lock, owner_of, __builtin_return_address (0));     \
        result = NATIVE_CALL (name) (lock);                                                    \
        end (NATIVE_##name, lock, is_recorded, is_taken (result));                             \
        return result;                                                                         \
    }
WRAP_LOCK (pthread_mutex_lock, pthread_mutex_trylock, pthread_mutex_t,
           __atomic_load_n (&lock->__data.__owner, __ATOMIC_RELAXED))
WRAP_LOCK (pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, pthread_rwlock_t,
           __atomic_load_n (&lock->__data.__cur_writer, __ATOMIC_RELAXED))
WRAP_LOCK (pthread_rwlock_wrlock, pthread_rwlock_trywrlock, pthread_rwlock_t,
           __atomic_load_n (&lock->__data.__cur_writer, __ATOMIC_RELAXED))

/* ---- semaphores ---- */

/* Waiting is a point of cancellation, also where there is nothing to wait for. */
static int
take_free (sem_t *semaphore)
{
    int reason = errno;

    if (!trace_is_open ()) {
        return 0;
    }
    pthread_testcancel ();
    if (NATIVE_CALL (sem_trywait) (semaphore) == 0) {
        return 1;
    }
    errno = reason;
    return 0;
}

#define WRAP_SEMAPHORE(name, parameters, ...)                                                  \
    __attribute__ ((visibility ("default"))) int name parameters                               \
    {                                                                                          \
        int result, is_recorded;                                                               \
                                                                                               \
        if (take_free (semaphore)) {                                                           \
            return 0;                                                                          \
        }                                                                                      \
        is_recorded = begin (NATIVE_##name, semaphore, 0, __builtin_return_address (0));       \
        result = NATIVE_CALL (name) (__VA_ARGS__);                                             \
        end (NATIVE_##name, semaphore, is_recorded, result == 0);                              \
        return result;                                                                         \
    }
WRAP_SEMAPHORE (sem_wait, (sem_t * semaphore), semaphore)
WRAP_SEMAPHORE (sem_timedwait, (sem_t * semaphore, const struct timespec *until), semaphore,
                until)
WRAP_SEMAPHORE (sem_clockwait,
                (sem_t * semaphore, clockid_t clock, const struct timespec *until), semaphore,
                clock, until)

/* ---- what always waits ---- */

#define WRAP_WAIT(name, parameters, ...)                                                       \
    __attribute__ ((visibility ("default"))) int name parameters                               \
    {                                                                                          \
        int is_recorded = begin (NATIVE_##name, NULL, 0, __builtin_return_address (0));        \
        int result = NATIVE_CALL (name) (__VA_ARGS__);                                         \
                                                                                               \
        end (NATIVE_##name, NULL, is_recorded, 0);                                             \
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
