/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who has made which thread: the creator records it, and the new thread, which begins here, knows under which number and
 * since when, whatever its creator comes to record. */
#include "agent/native.h"
#include "agent/trace-switch.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

enum { N_BIRTHS = 64 };

typedef struct {
    void *(*start) (void *);
    void *argument;
    uint64_t made_ns;
    uint32_t number;
    int is_taken;
} Birth;

/* An allocator may make threads while it begins: malloc is asked only where more threads than these begin at once. */
static Birth births[N_BIRTHS];
static uint32_t n_threads;
static __thread struct {
    uint64_t made_ns;
    uint32_t number;
} born __attribute__ ((tls_model ("initial-exec")));

__attribute__ ((visibility ("default"))) unsigned
pddt_trace_get_thread (unsigned long long *ret_made_ns)
{
    *ret_made_ns = born.made_ns;
    return born.number;
}

static Birth *
take_birth (void)
{
    for (int i = 0; i < N_BIRTHS; i++) {
        if (__atomic_exchange_n (&births[i].is_taken, 1, __ATOMIC_ACQUIRE) == 0) {
            return &births[i];
        }
    }
    return malloc (sizeof (Birth));
}

static void
give_birth_back (Birth *birth)
{
    if (birth >= births && birth < births + N_BIRTHS) {
        __atomic_store_n (&birth->is_taken, 0, __ATOMIC_RELEASE);
    } else {
        free (birth);
    }
}

static void *
begin_thread (void *data)
{
    Birth birth = *(Birth *) data;

    born.made_ns = birth.made_ns;
    born.number = birth.number;
    give_birth_back (data);
    trace_await_end ();
    return birth.start (birth.argument);
}

/* Threads of a process that has recorded nothing are not worth a file. */
static void
record (uint64_t time_ns, uint32_t number)
{
    int reason = errno;

    if (native_has_begun () && native_begin ()) {
        trace_put_at (time_ns, PDDT_TRACE_THREAD_CREATE, number, 0);
        native_rest ();
    }
    errno = reason;
}

__attribute__ ((visibility ("default"))) int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes, void *(*start) (void *),
                void *argument)
{
    Birth *birth = native_is_on () ? take_birth () : NULL;
    uint64_t now;
    uint32_t number;
    int result;

    if (birth == NULL) {
        return NATIVE_CALL (pthread_create) (thread, attributes, start, argument);
    }
    number = __atomic_add_fetch (&n_threads, 1, __ATOMIC_RELAXED);
    now = trace_now (); /* before anything that the new thread does */
    birth->start = start;
    birth->argument = argument;
    birth->made_ns = now;
    birth->number = number;
    result = NATIVE_CALL (pthread_create) (thread, attributes, begin_thread, birth);
    if (result == 0) {
        record (now, number);
    } else {
        give_birth_back (birth);
    }
    return result;
}
