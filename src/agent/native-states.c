/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a thread begins to run Python. CPython keeps the state that a thread has under a key of pthread's (PEP 539): a
 * thread of its own sets it when it begins, and one that C code has made each time it enters Python. */
#include "agent/native.h"
#include "agent/trace-switch.h"
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>

#define EXPORTED __attribute__ ((visibility ("default")))

static struct {
    int (*set) (pthread_key_t, const void *);
    int (*delete) (pthread_key_t);
} libc;
static struct {
    void (*begin) (void *); /* NULL: nobody watches */
    pthread_key_t key;
    const void *
        forked; /* in the child of a fork: the state of its only thread; NULL: none, or it has its key */
    int is_moving; /* the key is gone, and the state gets another one next */
} states;

/* Allocators call these while they begin: not native_find, which may allocate. */
static void
find_libc (void)
{
    if (libc.delete == NULL) {
        *(void **) &libc.set = dlsym (RTLD_NEXT, "pthread_setspecific");
        *(void **) &libc.delete = dlsym (RTLD_NEXT, "pthread_key_delete");
    }
}

/* The interpreter in the child of a fork takes another key, at once: PyOS_AfterFork_Child. */
static void
on_fork (void)
{
    states.forked = states.begin != NULL ? pthread_getspecific (states.key) : NULL;
}

static void
move (pthread_key_t key, const void *state)
{
    if (state == states.forked) {
        states.key = key;
    } else {
        states.begin = NULL;
    }
    states.forked = NULL;
    states.is_moving = 0;
}

EXPORTED int
pthread_setspecific (pthread_key_t key, const void *value)
{
    int result;

    find_libc ();
    result = libc.set (key, value);
    if (states.begin == NULL || value == NULL || result != 0) {
        return result;
    }
    if (states.is_moving) {
        move (key, value);
    } else if (key == states.key && value != states.forked) {
        states.begin ((void *) value);
    }
    return result;
}

/* What is kept under the number of a key that is gone is no state. */
EXPORTED int
pthread_key_delete (pthread_key_t key)
{
    find_libc ();
    if (states.begin != NULL && key == states.key && !states.is_moving) {
        states.is_moving = states.forked != NULL;
        states.begin = states.is_moving ? states.begin : NULL;
    }
    return libc.delete(key);
}

EXPORTED int
pddt_trace_watch_states (const void *own, void (*begin) (void *))
{
    pthread_key_t key = 0;

    while (key < PTHREAD_KEYS_MAX && pthread_getspecific (key) != own) {
        key++;
    }
    if (own == NULL || key == PTHREAD_KEYS_MAX || pthread_atfork (NULL, NULL, on_fork) != 0) {
        return 0;
    }
    states.key = key;
    states.begin = begin;
    return 1;
}
