/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of libpddt-trace.so that stands before the C library: the calls of a process that open, read and write
 * files, and those that wait for a lock or a thread, go into the trace. What the C library does for itself (the
 * reads behind fread, the lock inside malloc) does not pass here.
 *
 * This is for the programs that the ranks are, and for those that use Python, MPI or OpenMP: not for shells and
 * whatever else a job may start for a moment. */
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
    X (lseek)                                                                                  \
    X (lseek64)                                                                                \
    X (fsync)                                                                                  \
    X (fdatasync)                                                                              \
    X (fopen)                                                                                  \
    X (fopen64)                                                                                \
    X (freopen)                                                                                \
    X (freopen64)                                                                              \
    X (fclose)                                                                                 \
    X (fflush)                                                                                 \
    X (fflush_unlocked)                                                                        \
    X (fread)                                                                                  \
    X (fread_unlocked)                                                                         \
    X (__fread_chk)                                                                            \
    X (__fread_unlocked_chk)                                                                   \
    X (fwrite)                                                                                 \
    X (fwrite_unlocked)                                                                        \
    X (fputs)                                                                                  \
    X (fputs_unlocked)                                                                         \
    X (puts)                                                                                   \
    X (fgets)                                                                                  \
    X (fgets_unlocked)                                                                         \
    X (__fgets_chk)                                                                            \
    X (__fgets_unlocked_chk)                                                                   \
    X (getline)                                                                                \
    X (getdelim)                                                                               \
    X (__getdelim)                                                                             \
    X (vprintf)                                                                                \
    X (__vprintf_chk)                                                                          \
    X (vfprintf)                                                                               \
    X (__vfprintf_chk)                                                                         \
    X (vdprintf)                                                                               \
    X (__vdprintf_chk)                                                                         \
    X (vscanf)                                                                                 \
    X (vfscanf)                                                                                \
    X (__isoc99_vscanf)                                                                        \
    X (__isoc99_vfscanf)                                                                       \
    X (__isoc23_vscanf)                                                                        \
    X (__isoc23_vfscanf)                                                                       \
    X (putc)                                                                                   \
    X (fputc)                                                                                  \
    X (putchar)                                                                                \
    X (_IO_putc)                                                                               \
    X (putc_unlocked)                                                                          \
    X (fputc_unlocked)                                                                         \
    X (putchar_unlocked)                                                                       \
    X (getc)                                                                                   \
    X (fgetc)                                                                                  \
    X (getchar)                                                                                \
    X (_IO_getc)                                                                               \
    X (getc_unlocked)                                                                          \
    X (fgetc_unlocked)                                                                         \
    X (getchar_unlocked)                                                                       \
    X (ungetc)
#define NATIVE_LOCKS(X)                                                                        \
    X (pthread_mutex_lock)                                                                     \
    X (pthread_mutex_trylock)                                                                  \
    X (pthread_mutex_timedlock)                                                                \
    X (pthread_mutex_clocklock)                                                                \
    X (pthread_mutex_unlock)                                                                   \
    X (pthread_rwlock_rdlock)                                                                  \
    X (pthread_rwlock_tryrdlock)                                                               \
    X (pthread_rwlock_wrlock)                                                                  \
    X (pthread_rwlock_trywrlock)                                                               \
    X (pthread_rwlock_unlock)                                                                  \
    X (sem_init)                                                                               \
    X (sem_post)                                                                               \
    X (sem_wait)                                                                               \
    X (sem_timedwait)                                                                          \
    X (sem_clockwait)                                                                          \
    X (sem_trywait)                                                                            \
    X (pthread_cond_wait)                                                                      \
    X (pthread_cond_timedwait)                                                                 \
    X (pthread_cond_clockwait)                                                                 \
    X (pthread_join)                                                                           \
    X (pthread_barrier_wait)                                                                   \
    X (pthread_create)

/* native-locks.c, too: waits for nothing but time. */
#define NATIVE_SLEEPS(X)                                                                       \
    X (nanosleep)                                                                              \
    X (clock_nanosleep)                                                                        \
    X (usleep)                                                                                 \
    X (sleep)                                                                                  \
    X (select)                                                                                 \
    X (poll)

#define NATIVE_NAME(name) NATIVE_##name,
enum native_function {
    NATIVE_IO (NATIVE_NAME) NATIVE_N_IO,
    NATIVE_BEFORE_LOCKS = NATIVE_N_IO - 1,
    NATIVE_LOCKS (NATIVE_NAME) NATIVE_N_BEFORE_SLEEPS,
    NATIVE_BEFORE_SLEEPS = NATIVE_N_BEFORE_SLEEPS - 1,
    NATIVE_SLEEPS (NATIVE_NAME) NATIVE_N_FUNCTIONS
};
#undef NATIVE_NAME

/* What the program would have called without pddt. NULL only for a function that the C library lacks, which
 * the program cannot have called. */
void *native_find (enum native_function function);
#define NATIVE_CALL(name) ((__typeof__ (&name)) native_find (NATIVE_##name))

/* TRUE: this process is one whose calls are recorded, and recording is on. */
int native_is_on (void);
/* Something is recorded: the caller may look at what it is about, between this and native_rest, and what
 * this thread calls meanwhile is not recorded. 0: not now. */
int native_begin (void);
/* After native_begin has answered 0: the call from there is one of a signal's handler, which has interrupted what this
 * thread records. It is to be counted as lost (trace_lose). */
int native_has_interrupted (const void *code);
/* The same for the end of a call that was recorded at its beginning, whoever has switched recording off since. */
int native_go_on (void);
void native_rest (void);
/* The file has been begun: closing standard output, as all programs do, does not begin one. */
int native_has_begun (void);
/* Before the first event of a thread's: begins the file. */
void native_open (void);
/* Between begin and rest: Enter and Leave of a function. code: the instruction after the call; NULL: not known. A call
 * of the interpreter's that has taken long gets the line of Python code that it is for: no lock may be held then that
 * another thread may want while it has the interpreter's. */
void native_enter (enum native_function function, const void *code);
void native_leave (enum native_function function, const void *code);
/* What an Enter's extra says of the place; 0: not known. */
uint16_t native_get_place (const void *code);
/* Where a call stands that returns to that code: where a region of OpenMP ends in it by a jump, and it returns to pddt's, where
 * the region stands. */
const void *native_openmp_find_code (const void *code);
/* The folder that the trace is written to, with a slash at its end. */
const char *native_get_folder (void);

/* ---- locks: native-locks.c ---- */
/* The thread has got a lock that it has waited for: its release will be recorded. */
void native_lock_hold (const volatile void *lock);
/* It is about to release one. FALSE: it had not waited for that. */
int native_lock_release (const volatile void *lock);
/* Enter and LOCK_WANTED; lock NULL: no more than the Enter. owner: its thread id; 0: nobody knows. Returns whether it
 * is recorded. */
int native_lock_begin (enum native_function function, const volatile void *lock, uint32_t kind,
                       int owner, const void *code);
/* has_it: LOCK_TAKEN, too. */
void native_lock_end (enum native_function function, const volatile void *lock, uint32_t kind,
                      int is_recorded, int has_it, const void *code);

/* ---- native-characters.c: characters that this thread has read and written, and that are not recorded yet ---- */
/* They are recorded: the thread ends, or begins or ends a region, or switches recording. */
void native_runs_end (void);
/* Streams are no longer what they were: one is about to be closed, or recording is switched. */
void native_runs_renew (void);
/* In the child of a fork, where they are the parent's. */
void native_runs_forget (void);

/* ---- trace-user.c, which has the file and the switch of this library ---- */
int trace_user_open (void);
int trace_user_is_on (void);

#pragma GCC visibility pop
