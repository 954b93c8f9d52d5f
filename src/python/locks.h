/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Python threads wait for inside one process: locks of the module threading and the ends of other
 * threads, to 3.13. By memory alone; the process stands still. */
#pragma once
#include "python/python.h"

typedef struct {
    guint64 object;
    gboolean is_recursive; /* an RLock */
    guint64 owner;         /* of an RLock that is held: the thread as PythonThread.pthread has it; 0 */
} PythonLock;

/* The lock whose semaphore is at that address, among words of a waiting thread's registers and stack. */
gboolean python_lock_find (PythonRuntime *runtime, const guint64 *words, gsize n_words, guint64 semaphore,
                           PythonLock *ret_lock);
/* What the frame calls it: a local or global name, or "self.lock" of an object that it has a name for. NULL:
 * nothing. Caller owns. */
char *python_lock_dup_name (PythonRuntime *runtime, const PythonLock *lock, const PythonFrame *frame);
/* The frame is inside a `with` statement of the lock itself, and so has taken it. Its body may have released
 * it since. */
gboolean python_lock_is_taken_in (PythonRuntime *runtime, const PythonLock *lock, const PythonFrame *frame);
/* The innermost frame of a thread that waits, in Thread.join: for the end of which thread (as in
 * PythonThread.pthread); 0: it does not, or that is not known. */
guint64 python_frame_find_joined (PythonRuntime *runtime, const PythonFrame *frame);
