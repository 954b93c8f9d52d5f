/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who has made which thread: the creator records it, and the new thread, which begins here, knows under which number. */
#include "agent/native.h"
#include "agent/trace-switch.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct {
    void *(*start) (void *);
    void *argument;
    uint32_t number;
} Birth;

static uint32_t n_threads;
static __thread uint32_t born __attribute__ ((tls_model ("initial-exec")));

__attribute__ ((visibility ("default"))) unsigned
pddt_trace_get_thread (void)
{
    return born;
}

static void *
begin_thread (void *data)
{
    Birth birth = *(Birth *) data;

    free (data);
    born = birth.number;
    return birth.start (birth.argument);
}

static void
record (uint64_t time_ns, uint32_t number)
{
    int reason = errno;

    if (native_begin ()) {
        trace_put_at (time_ns, PDDT_TRACE_THREAD_CREATE, number, 0);
        native_rest ();
    }
    errno = reason;
}

/* Threads of a process that has recorded nothing are not worth a file. */
__attribute__ ((visibility ("default"))) int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes, void *(*start) (void *),
                void *argument)
{
    Birth *birth = native_is_on () && native_has_begun () ? malloc (sizeof *birth) : NULL;
    uint64_t now;
    uint32_t number;
    int result;

    if (birth == NULL) {
        return NATIVE_CALL (pthread_create) (thread, attributes, start, argument);
    }
    number = __atomic_add_fetch (&n_threads, 1, __ATOMIC_RELAXED);
    *birth = (Birth){ start, argument, number };
    now = trace_now (); /* before anything that the new thread does */
    result = NATIVE_CALL (pthread_create) (thread, attributes, begin_thread, birth);
    if (result == 0) {
        record (now, number);
    } else {
        free (birth);
    }
    return result;
}
