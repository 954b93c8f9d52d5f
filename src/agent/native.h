/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libpddt-native.so, which a traced process loads before other libraries: the calls of its own code that open,
 * read and write files, and those that wait for a lock or a thread, go into the trace. What the C library
 * does for itself (the reads behind fread, the lock inside malloc) does not pass here. */
#pragma once
#include "agent/trace-ring.h"

#pragma GCC visibility push(hidden)

/* The functions that pass here. */
#define NATIVE_IO(X)                                                                           \
    X (open)                                                                                   \
    X (open64)                                                                                 \
    X (openat)                                                                                 \
    X (openat64)                                                                               \
    X (creat)                                                                                  \
    X (creat64)                                                                                \
    X (__open_2)                                                                               \
    X (__open64_2)                                                                             \
    X (__openat_2)                                                                             \
    X (__openat64_2)                                                                           \
    X (close)                                                                                  \
    X (read)                                                                                   \
    X (write)                                                                                  \
    X (pread)                                                                                  \
    X (pread64)                                                                                \
    X (pwrite)                                                                                 \
    X (pwrite64)                                                                               \
    X (readv)                                                                                  \
    X (writev)                                                                                 \
    X (preadv)                                                                                 \
    X (preadv64)                                                                               \
    X (pwritev)                                                                                \
    X (pwritev64)                                                                              \
    X (__read_chk)                                                                             \
    X (__pread_chk)                                                                            \
    X (__pread64_chk)                                                                          \
    X (fsync)                                                                                  \
    X (fdatasync)                                                                              \
    X (fopen)                                                                                  \
    X (fopen64)                                                                                \
    X (fclose)                                                                                 \
    X (fread)                                                                                  \
    X (__fread_chk)                                                                            \
    X (fwrite)
#define NATIVE_LOCKS(X)                                                                        \
    X (pthread_mutex_lock)                                                                     \
    X (pthread_mutex_trylock)                                                                  \
    X (pthread_rwlock_rdlock)                                                                  \
    X (pthread_rwlock_tryrdlock)                                                               \
    X (pthread_rwlock_wrlock)                                                                  \
    X (pthread_rwlock_trywrlock)                                                               \
    X (sem_wait)                                                                               \
    X (sem_timedwait)                                                                          \
    X (sem_clockwait)                                                                          \
    X (sem_trywait)                                                                            \
    X (pthread_cond_wait)                                                                      \
    X (pthread_cond_timedwait)                                                                 \
    X (pthread_cond_clockwait)                                                                 \
    X (pthread_join)                                                                           \
    X (pthread_barrier_wait)

#define NATIVE_NAME(name) NATIVE_##name,
enum native_function {
    NATIVE_IO (NATIVE_NAME) NATIVE_N_IO,
    NATIVE_BEFORE_LOCKS = NATIVE_N_IO - 1,
    NATIVE_LOCKS (NATIVE_NAME) NATIVE_N_FUNCTIONS
};
#undef NATIVE_NAME

/* What the program would have called without pddt. NULL only for a function that the C library lacks, which
 * the program cannot have called. */
void *native_find (enum native_function function);
#define NATIVE_CALL(name) ((__typeof__ (&name)) native_find (NATIVE_##name))

/* Something is recorded: the caller may look at what it is about, between this and native_rest, and what
 * this thread calls meanwhile is not recorded. 0: not now. */
int native_begin (void);
void native_rest (void);
/* Between the two: Enter and Leave of a function. code: the instruction after the call; NULL: not known */
void native_enter (enum native_function function, const void *code);
void native_leave (enum native_function function);
/* What an Enter's extra says of the place; 0: not known. */
uint16_t native_get_place (const void *code);
void native_openmp_end (void); /* the process ends */
/* The folder that the trace is written to, with a slash at its end. */
const char *native_get_folder (void);

#pragma GCC visibility pop
