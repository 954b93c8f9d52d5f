/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a thread outside of MPI waits for: a system call, another thread, or a lock of Python's module
 * threading; and those that it waits for in turn. */
#pragma once
#include <glib.h>

typedef enum {
    JOB_WAIT_CALL,       /* is in the system call `name`; NULL: it is not known in which */
    JOB_WAIT_FILE,       /* … of the file `file` */
    JOB_WAIT_INPUT,      /* … of standard input */
    JOB_WAIT_DESCRIPTOR, /* … of the descriptor `number`, whose file is not known */
    JOB_WAIT_FUTEX,      /* for another thread, it is not known for which */
    JOB_WAIT_END,        /* for the end of the thread `other` */
    JOB_WAIT_MUTEX, /* for a mutex, or (with a name) a read-write lock, that the thread `other` holds */
    JOB_WAIT_LOCK,        /* for Python's Lock `name` */
    JOB_WAIT_RLOCK,       /* for Python's RLock `name` */
    JOB_WAIT_INTERPRETER, /* for the lock of Python's interpreter, which the thread `other` holds */
    JOB_WAIT_SHARED, /* for a semaphore or lock that other processes have too; with a name for one that `peer` holds */
    JOB_WAIT_CHILD,  /* for the end of a child process, `other_name` */
    JOB_WAIT_LIBRARY, /* in the library function `name`, called at file and line, for what `number` says */
    JOB_N_WAITS
} JobWaitKind;

/* What has to happen in a JOB_WAIT_LIBRARY. */
typedef enum {
    JOB_WAIT_UNTIL_WOKEN,     /* by another thread, it is not known how */
    JOB_WAIT_UNTIL_PUT,       /* something into the queue */
    JOB_WAIT_UNTIL_TAKEN,     /* something out of the queue */
    JOB_WAIT_UNTIL_DONE,      /* the task */
    JOB_WAIT_UNTIL_NOTIFIED,  /* the condition */
    JOB_WAIT_UNTIL_SET,       /* the event */
    JOB_WAIT_UNTIL_RELEASED,  /* the semaphore */
    JOB_WAIT_UNTIL_ARRIVED,   /* other threads */
    JOB_WAIT_UNTIL_UNLOCKED,  /* the lock */
    JOB_WAIT_UNTIL_FULFILLED, /* the future's value */
    JOB_N_WAIT_UNTIL
} JobWaitUntil;

typedef enum {
    JOB_WAIT_BEHIND = 1 << 0, /* the one before it in the list waits for this thread */
    JOB_WAIT_OTHERS = 1 << 1, /* begins a circle of threads that the first one is not in */
    JOB_WAIT_CLOSES = 1 << 2, /* waits for a thread that waits for it: a deadlock */
    JOB_WAIT_INFERRED
    = 1 << 3,                /* a frame shows that `other` took the lock, the lock does not */
    JOB_WAIT_ALONE = 1 << 4, /* no other thread of the process could end it: there is none */
    JOB_WAIT_UNREAD
    = 1
      << 5, /* CHILD: it sleeps in a write to a pipe that only the waiting process could read */
    JOB_WAIT_PROCESSES
    = 1
      << 6, /* LIBRARY: another process has to do it; other_name: ranks that have the memory */
    JOB_WAIT_LEFT = 1 << 7,  /* SHARED: the thread that held the lock, other_name, has ended */
    JOB_WAIT_TIMED = 1 << 8, /* it gives up after a while */
} JobWaitFlags;

/* In a list the first thread's comes first, if it has one, then those behind it; then circles. */
typedef struct {
    JobWaitKind kind;
    guint32 flags;         /* JobWaitFlags */
    guint32 thread, other; /* numbers of threads; 0: not known; the same: itself */
    guint64
        number; /* of a descriptor; SHARED: its address; CHILD: by how many slots its own is higher, if it is a rank; LIBRARY: JobWaitUntil; 0 */
    char *thread_name, *other_name; /* in the module threading, or a process; NULL: none */
    char *name, *file;              /* NULL: not known */
    guint32 line;                   /* of file, where a thread behind waits; 0: not known */
    guint64
        turns; /* of a wait with a peer: how often the thread had begun to wait; the same: it has slept all the time; 0: not known */
    guint32
        peer; /* rank + 1 of the process that holds the lock on `file`, has the other end of it, or is
                     the child (the front end knows that); 0: none. One that is no rank is named in other_name: "4711 (python3)" */
} JobWait;

JobWait *job_wait_new (JobWaitKind kind);
JobWait *job_wait_dup (const JobWait *wait);
void job_wait_free (JobWait *wait);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JobWait, job_wait_free)
/* An empty list of JobWait, which it owns. */
GPtrArray *job_wait_list_new (void);
