/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Python threads wait for inside one process: locks of the module threading and the ends of other
 * threads, to 3.14. Reads only memory; the process must be stopped. */
#pragma once
#include "python/python.h"

typedef struct {
    guint64 object;
    gboolean is_recursive; /* an RLock */
    gboolean is_queue;     /* the one of a queue.SimpleQueue, which get() waits for */
    guint64 owner;         /* of a held RLock: the thread, as PythonThread.pthread; else 0 */
} PythonLock;

/* Finds the lock whose semaphore is at that address among the words of a waiting thread's
 * registers and stack. */
gboolean python_lock_find (PythonRuntime *runtime, const guint64 *words, gsize n_words,
                           guint64 semaphore, PythonLock *ret_lock);
/* The lock's name in the frame: a local or global, or "self.lock" of a named object. NULL:
 * none. Caller owns. */
char *python_lock_dup_name (PythonRuntime *runtime, const PythonLock *lock,
                            const PythonFrame *frame);
/* TRUE when the frame is inside a `with` statement for the lock, and so has acquired it. The
 * body may have released it since. */
gboolean python_lock_is_taken_in (PythonRuntime *runtime, const PythonLock *lock,
                                  const PythonFrame *frame);
/* frame: the innermost one of a waiting thread. In Thread.join: the thread that it waits for
 * (as PythonThread.pthread); 0: none, or not known. */
guint64 python_frame_find_joined (PythonRuntime *runtime, const PythonFrame *frame);
/* The class of the object that the frame is a method of: "Queue". NULL: it has no `self`. Caller owns. */
char *python_frame_dup_class (PythonRuntime *runtime, const PythonFrame *frame);
