/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Semaphores. CPython's locks are such: whoever has taken one gives it back. Others are signals, given by another
 * thread than the one that takes them. What a semaphore is shows in its use, and only of a lock it can be
 * said who holds it. */
#include "agent/native.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { N_KNOWN = 4096 };
enum { UNKNOWN, IS_LOCK, IS_SIGNAL };
enum { SEMAPHORE = 1 }; /* kind in pddt_trace_lock */

int sem_clockwait (sem_t *semaphore, clockid_t clock, const struct timespec *until);

/* By address; two in one slot make each other unknown. */
static struct {
    uintptr_t address;
    int32_t owner; /* who has taken it; 0: nobody, as far as known */
    int32_t use;
} known[N_KNOWN];

static __thread int32_t own_tid __attribute__ ((tls_model ("initial-exec")));

static void
forget_tid (void)
{
    own_tid = 0;
}

static int32_t
get_tid (void)
{
    if (own_tid == 0) {
        own_tid = (int32_t) syscall (SYS_gettid);
    }
    return own_tid;
}

static void __attribute__ ((constructor)) begin (void)
{
    pthread_atfork (NULL, NULL, forget_tid);
}

static unsigned
get_slot (const sem_t *semaphore)
{
    return (unsigned) (((uint64_t) (uintptr_t) semaphore * 0x9e3779b97f4a7c15u) >> 52);
}

#define GET(field) __atomic_load_n (&(field), __ATOMIC_RELAXED)
#define SET(field, value) __atomic_store_n (&(field), value, __ATOMIC_RELAXED)

static void
note_taken (const sem_t *semaphore)
{
    unsigned slot = get_slot (semaphore);

    if (GET (known[slot].address) != (uintptr_t) semaphore) {
        SET (known[slot].use, UNKNOWN);
        SET (known[slot].address, (uintptr_t) semaphore);
    }
    SET (known[slot].owner, get_tid ());
}

static void
note_given (const sem_t *semaphore)
{
    unsigned slot = get_slot (semaphore);

    if (GET (known[slot].address) != (uintptr_t) semaphore) {
        return;
    }
    if (GET (known[slot].owner) != get_tid ()) {
        SET (known[slot].use, IS_SIGNAL);
    } else if (GET (known[slot].use) == UNKNOWN) {
        SET (known[slot].use, IS_LOCK);
    }
    SET (known[slot].owner, 0);
}

/* TRUE: it has been given back by who has taken it, always. */
static int
is_lock (const sem_t *semaphore)
{
    unsigned slot = get_slot (semaphore);

    return GET (known[slot].address) == (uintptr_t) semaphore
           && GET (known[slot].use) != IS_SIGNAL;
}

/* 0: nobody else, as far as known. Whoever waits for what it has taken itself waits for a signal. */
static int
get_owner (const sem_t *semaphore)
{
    int owner = is_lock (semaphore) ? GET (known[get_slot (semaphore)].owner) : 0;

    return owner != get_tid () ? owner : 0;
}

/* Waiting is a point of cancellation, also where there is nothing to wait for. */
static int
take_free (sem_t *semaphore)
{
    int reason = errno;

    if (!native_is_on ()) {
        return 0;
    }
    pthread_testcancel ();
    if (NATIVE_CALL (sem_trywait) (semaphore) == 0) {
        note_taken (semaphore);
        return 1;
    }
    errno = reason;
    return 0;
}

#define WRAP_SEMAPHORE(name, parameters, ...)                                                  \
    __attribute__ ((visibility ("default"))) int name parameters                               \
    {                                                                                          \
        int result, is_recorded, owner;                                                        \
        const sem_t *lock;                                                                     \
                                                                                               \
        if (take_free (semaphore)) {                                                           \
            return 0;                                                                          \
        }                                                                                      \
        owner = get_owner (semaphore);                                                         \
        lock = owner != 0 ? semaphore : NULL;                                                  \
        is_recorded = native_lock_begin (NATIVE_##name, lock, SEMAPHORE, owner,                \
                                         __builtin_return_address (0));                        \
        result = NATIVE_CALL (name) (__VA_ARGS__);                                             \
        if (result == 0 && is_recorded) {                                                      \
            note_taken (semaphore);                                                            \
        }                                                                                      \
        native_lock_end (NATIVE_##name, lock, SEMAPHORE, is_recorded, result == 0,             \
                         __builtin_return_address (0));                                        \
        return result;                                                                         \
    }
WRAP_SEMAPHORE (sem_wait, (sem_t * semaphore), semaphore)
WRAP_SEMAPHORE (sem_timedwait, (sem_t * semaphore, const struct timespec *until), semaphore,
                until)
WRAP_SEMAPHORE (sem_clockwait,
                (sem_t * semaphore, clockid_t clock, const struct timespec *until), semaphore,
                clock, until)

__attribute__ ((visibility ("default"))) int
sem_trywait (sem_t *semaphore)
{
    int result = NATIVE_CALL (sem_trywait) (semaphore);

    if (result == 0 && native_is_on ()) {
        note_taken (semaphore);
    }
    return result;
}

__attribute__ ((visibility ("default"))) int
sem_post (sem_t *semaphore)
{
    int reason = errno;

    if (native_is_on ()) {
        note_given (semaphore);
        native_lock_release (semaphore);
    }
    errno = reason;
    return NATIVE_CALL (sem_post) (semaphore);
}

/* A new one may stand where another one was. */
__attribute__ ((visibility ("default"))) int
sem_init (sem_t *semaphore, int is_shared, unsigned value)
{
    unsigned slot = get_slot (semaphore);

    if (GET (known[slot].address) == (uintptr_t) semaphore) {
        SET (known[slot].address, 0);
    }
    return NATIVE_CALL (sem_init) (semaphore, is_shared, value);
}
