/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "failing.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/statfs.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static guint failing_rate; /* 0: none fails */
static guint64 failing_state;
static GHashTable *open_counts; /* NULL */
static gboolean refuses_events, refuses_comparison;
static void (*before_interrupt) (pid_t tid); /* NULL */
static guint failing_left; /* calls until this process is killed; 0: it is not */

void
failing_begin (guint32 seed, guint rate)
{
    failing_state = seed * 2654435761u + 1;
    failing_rate = rate;
}

void
failing_end (void)
{
    failing_rate = failing_left = 0;
}

void
failing_kill_at (guint nth)
{
    failing_left = nth;
}

void
failing_refuse_events (gboolean is_on)
{
    refuses_events = is_on;
}

void
failing_refuse_comparison (gboolean is_on)
{
    refuses_comparison = is_on;
}

void
failing_count_opens (GHashTable *counts)
{
    open_counts = counts;
}

static void
note_open (const char *path)
{
    if (open_counts != NULL) {
        g_hash_table_insert (
            open_counts, g_strdup (path),
            GUINT_TO_POINTER (1 + GPOINTER_TO_UINT (g_hash_table_lookup (open_counts, path))));
    }
}

void
failing_before_interrupt (void (*function) (pid_t tid))
{
    before_interrupt = function;
}

static guint64
next_random (void)
{
    failing_state = failing_state * 6364136223846793005u + 1442695040888963407u;
    return failing_state >> 33;
}

static gboolean
fails (int reason)
{
    if (failing_rate == 0) {
        return FALSE;
    }
    if (next_random () % failing_rate != 0) {
        return FALSE;
    }
    errno = reason;
    return TRUE;
}

#define REAL(name, type)                                                                       \
    static __typeof__ (type) real;                                                             \
    if (real == NULL)                                                                          \
        *(void **) &real = dlsym (RTLD_NEXT, name);

/* Of a thread that stands the kernel refuses them only if the process is killed just then. */
static gboolean
goes_on (enum __ptrace_request request)
{
    return request == PTRACE_CONT || request == PTRACE_SINGLESTEP || request == PTRACE_SYSCALL
           || request == PTRACE_DETACH || request == PTRACE_LISTEN;
}

/* Now and then, or no program would come far. */
static gboolean
is_killed (pid_t tid)
{
    if (next_random () % 8 != 0) {
        return FALSE;
    }
    syscall (SYS_kill, tid, SIGKILL);
    return TRUE;
}

long ptrace (enum __ptrace_request request, ...);
long
ptrace (enum __ptrace_request request, ...)
{
    REAL ("ptrace", long (*) (enum __ptrace_request, ...))
    va_list arguments;
    pid_t pid;
    void *address, *data;

    va_start (arguments, request);
    pid = va_arg (arguments, pid_t);
    address = va_arg (arguments, void *);
    data = va_arg (arguments, void *);
    va_end (arguments);
    if (failing_left > 0 && --failing_left == 0) {
        kill (getpid (), SIGKILL);
    }
    if (before_interrupt != NULL && request == PTRACE_INTERRUPT) {
        before_interrupt (pid);
    }
    if (refuses_events && request == PTRACE_GETEVENTMSG) {
        errno = ESRCH;
        return -1;
    }
    if (!fails (ESRCH) || (goes_on (request) && !is_killed (pid))) {
        return real (request, pid, address, data);
    }
    if (goes_on (request)) { /* one that has come to its end already is not woken by a signal */
        real (request, pid, address, NULL);
        errno = ESRCH;
    }
    return -1;
}

#define REPLACE(name, reason, answer, parameters, values)                                      \
    answer name parameters;                                                                    \
    answer name parameters                                                                     \
    {                                                                                          \
        REAL (#name, answer (*) parameters)                                                    \
        return fails (reason) ? -1 : real values;                                              \
    }

REPLACE (pread64, EIO, ssize_t, (int fd, void *data, size_t size, off64_t offset),
         (fd, data, size, offset))
REPLACE (pwrite64, ENOMEM, ssize_t, (int fd, const void *data, size_t size, off64_t offset),
         (fd, data, size, offset))
REPLACE (process_vm_readv, EFAULT, ssize_t,
         (pid_t pid, const struct iovec *here, unsigned long n_here, const struct iovec *there,
          unsigned long n_there, unsigned long flags),
         (pid, here, n_here, there, n_there, flags))
REPLACE (process_vm_writev, EFAULT, ssize_t,
         (pid_t pid, const struct iovec *here, unsigned long n_here, const struct iovec *there,
          unsigned long n_there, unsigned long flags),
         (pid, here, n_here, there, n_there, flags))

REPLACE (read, EIO, ssize_t, (int fd, void *data, size_t size), (fd, data, size))
REPLACE (write, ENOSPC, ssize_t, (int fd, const void *data, size_t size), (fd, data, size))
REPLACE (fstat64, EIO, int, (int fd, struct stat64 *status), (fd, status))
REPLACE (stat64, EACCES, int, (const char *path, struct stat64 *status), (path, status))
REPLACE (readlink, EACCES, ssize_t, (const char *path, char *text, size_t size),
         (path, text, size))
REPLACE (socket, EMFILE, int, (int domain, int type, int protocol), (domain, type, protocol))
REPLACE (connect, EAGAIN, int, (int fd, const struct sockaddr *address, socklen_t size),
         (fd, address, size))
REPLACE (sendmsg, ECONNRESET, ssize_t, (int fd, const struct msghdr *message, int flags),
         (fd, message, flags))
REPLACE (recvmsg, ECONNRESET, ssize_t, (int fd, struct msghdr *message, int flags),
         (fd, message, flags))
REPLACE (epoll_create1, EMFILE, int, (int flags), (flags))
REPLACE (epoll_ctl, ENOSPC, int, (int fd, int operation, int other, struct epoll_event *event),
         (fd, operation, other, event))
REPLACE (memfd_create, EMFILE, int, (const char *name, unsigned int flags), (name, flags))
REPLACE (mprotect, ENOMEM, int, (void *address, size_t size, int protection),
         (address, size, protection))
REPLACE (madvise, EAGAIN, int, (void *address, size_t size, int advice),
         (address, size, advice))

REPLACE (ftruncate64, ENOSPC, int, (int fd, off64_t size), (fd, size))
REPLACE (lstat64, EACCES, int, (const char *path, struct stat64 *status), (path, status))
REPLACE (statfs64, EACCES, int, (const char *path, struct statfs64 *status), (path, status))
REPLACE (access, EACCES, int, (const char *path, int rights), (path, rights))
REPLACE (munmap, ENOMEM, int, (void *address, size_t size), (address, size))
REPLACE (poll, EINTR, int, (struct pollfd * fds, nfds_t n, int ms), (fds, n, ms))
REPLACE (waitpid, EINTR, pid_t, (pid_t pid, int *status, int options), (pid, status, options))
REPLACE (kill, EPERM, int, (pid_t pid, int number), (pid, number))

int fcntl64 (int fd, int command, ...);
int
fcntl64 (int fd, int command, ...)
{
    REAL ("fcntl64", int (*) (int, int, ...))
    va_list arguments;
    void *argument;

    va_start (arguments, command);
    argument = va_arg (arguments, void *);
    va_end (arguments);
    return fails (EMFILE) ? -1 : real (fd, command, argument);
}

void *
dlopen (const char *name, int flags)
{
    REAL ("dlopen", void *(*) (const char *, int) )
    return real (fails (ENOENT) ? "no such library" : name, flags);
}

DIR *
opendir (const char *path)
{
    REAL ("opendir", DIR * (*) (const char *) )
    note_open (path);
    return fails (EMFILE) ? NULL : real (path);
}

/* In the middle of a folder. */
struct dirent64 *
readdir64 (DIR *folder)
{
    REAL ("readdir64", struct dirent64 * (*) (DIR *) )
    return fails (EIO) ? NULL : real (folder);
}

FILE *
fopen64 (const char *path, const char *mode)
{
    REAL ("fopen64", FILE * (*) (const char *, const char *) )
    note_open (path);
    return fails (EMFILE) ? NULL : real (path, mode);
}

void *
mmap64 (void *address, size_t size, int protection, int flags, int fd, off64_t offset)
{
    REAL ("mmap64", void *(*) (void *, size_t, int, int, int, off64_t))
    return fails (ENOMEM) ? MAP_FAILED : real (address, size, protection, flags, fd, offset);
}

static int
get_reason (long number)
{
    switch (number) {
    case SYS_kcmp: return EPERM;
    case SYS_tgkill:
    case SYS_rt_tgsigqueueinfo: return EAGAIN;
    case SYS_perf_event_open: return EMFILE;
    case SYS_ptrace: return ESRCH; /* PTRACE_GET_SYSCALL_INFO */
    default: return 0;
    }
}

/* Of those without a function. */
long
syscall (long number, ...)
{
    REAL ("syscall", long (*) (long, ...))
    va_list arguments;
    long words[6];

    va_start (arguments, number);
    for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
        words[i] = va_arg (arguments, long);
    }
    va_end (arguments);
    if (refuses_comparison && number == SYS_kcmp) {
        errno = EPERM;
        return -1;
    }
    return get_reason (number) != 0 && fails (get_reason (number))
               ? -1
               : real (number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

int open64 (const char *path, int flags, ...);
int
open64 (const char *path, int flags, ...)
{
    REAL ("open64", int (*) (const char *, int, ...))
    va_list arguments;
    mode_t mode;

    va_start (arguments, flags);
    mode = va_arg (arguments, mode_t);
    va_end (arguments);
    note_open (path);
    return fails (EMFILE) ? -1 : real (path, flags, mode);
}
