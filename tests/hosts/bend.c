/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loaded before a test's programs: bends their clocks, makes one hang, calls a folder shared, refuses writes to
 * memory, and ends pddt-start at a chosen step. What is to
 * happen stands in the file that PDDT_BEND names, mapped, so that the test changes it while they run. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    int64_t real_offset_s;            /* of the wall clock */
    int64_t speed, since_us, gone_us; /* of one program's monotonic clock */
    char fast[16];                    /* that program's name */
    char end_at[16];                  /* pddt-start: "start", "connect" or "exec" */
    char hung[16];    /* the loop of the program of that name makes no turn any more */
    char shared[128]; /* a folder that is on NFS, as statfs says */
    int64_t refuses;  /* nobody may write to the memory of a process by way of /proc */
} Bend;

static const Bend *
get_bend (void)
{
    static const Bend *bend;
    static const Bend plain = { .speed = 1 };
    const char *path = bend ? NULL : getenv ("PDDT_BEND");
    if (bend) {
        return bend;
    }
    /* Libraries that look after memory come here from within open and mmap. */
    int fd = path ? (int) syscall (SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC) : -1;
    void *memory = fd >= 0 ? (void *) syscall (SYS_mmap, NULL, sizeof (Bend), PROT_READ,
                                               MAP_SHARED, fd, 0)
                           : MAP_FAILED;
    if (fd >= 0) {
        syscall (SYS_close, fd);
    }
    return bend = memory == MAP_FAILED ? &plain : memory;
}

static int
is_program (const char *name)
{
    return strcmp (program_invocation_short_name, name) == 0;
}

static void
end_at (const char *step)
{
    if (is_program ("pddt-start") && strcmp (get_bend ()->end_at, step) == 0) {
        kill (getpid (), SIGKILL);
    }
}

static __attribute__ ((constructor)) void
on_start (void)
{
    end_at ("start");
}

int
clock_gettime (clockid_t clock, struct timespec *time)
{
    int answer = (int) syscall (SYS_clock_gettime, clock, time);
    const Bend *bend = get_bend ();
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
        time->tv_sec += bend->real_offset_s;
    } else if (clock == CLOCK_MONOTONIC && is_program (bend->fast)) {
        int64_t now = time->tv_sec * 1000000 + time->tv_nsec / 1000;
        now += bend->gone_us
               + (bend->speed > 1 ? (now - bend->since_us) * (bend->speed - 1) : 0);
        time->tv_sec = now / 1000000;
        time->tv_nsec = now % 1000000 * 1000 + time->tv_nsec % 1000;
    }
    return answer;
}

time_t
time (time_t *where)
{
    struct timespec now;
    clock_gettime (CLOCK_REALTIME, &now);
    if (where) {
        *where = now.tv_sec;
    }
    return now.tv_sec;
}

int
gettimeofday (struct timeval *restrict where, void *restrict zone __attribute__ ((unused)))
{
    struct timespec now;
    clock_gettime (CLOCK_REALTIME, &now);
    *where = (struct timeval){ now.tv_sec, now.tv_nsec / 1000 };
    return 0;
}

/* In slices, as the clock may become fast while it waits. */
static int
wait_for (struct pollfd *fds, nfds_t n, int timeout)
{
    struct timespec now;
    int64_t end_ms = 0, left_ms = timeout;
    int found = 0;
    if (timeout <= 0 || !is_program (get_bend ()->fast)) {
        return (int) syscall (SYS_poll, fds, n, timeout);
    }
    while (found == 0 && left_ms > 0) {
        clock_gettime (CLOCK_MONOTONIC, &now);
        int64_t now_ms = now.tv_sec * 1000 + now.tv_nsec / 1000000;
        end_ms = end_ms ? end_ms : now_ms + timeout;
        left_ms = end_ms - now_ms;
        int64_t slice_ms = left_ms > 0 ? left_ms / get_bend ()->speed + 1 : 0;
        found = (int) syscall (SYS_poll, fds, n, slice_ms < 20 ? (int) slice_ms : 20);
    }
    return found;
}

int
poll (struct pollfd *fds, nfds_t n, int timeout)
{
    int found = wait_for (fds, n, timeout), reason = errno;
    while (is_program (get_bend ()->hung)) {
        usleep (10000);
    }
    errno = reason;
    return found;
}

/* GLib's, from 2.82 on. */
int
ppoll (struct pollfd *fds, nfds_t n, const struct timespec *limit, const sigset_t *mask)
{
    if (mask) {
        struct timespec left = limit ? *limit : (struct timespec){ 0 };
        return (int) syscall (SYS_ppoll, fds, n, limit ? &left : NULL, mask, _NSIG / 8);
    }
    return poll (fds, n,
                 limit ? (int) (limit->tv_sec * 1000 + (limit->tv_nsec + 999999) / 1000000)
                       : -1);
}

int
statfs (const char *path, struct statfs *status)
{
    int answer = (int) syscall (SYS_statfs, path, status);
    if (answer == 0 && get_bend ()->shared[0] && strcmp (path, get_bend ()->shared) == 0) {
        status->f_type = 0x6969;
    }
    return answer;
}

/* As the kernel's proc_mem.force_override. */
ssize_t
pwrite (int fd, const void *data, size_t size, off_t at)
{
    char name[32], path[64] = "";
    snprintf (name, sizeof name, "/proc/self/fd/%d", fd);
    if (get_bend ()->refuses && readlink (name, path, sizeof path - 1) > 0
        && strncmp (path, "/proc/", 6) == 0 && strstr (path, "/mem")) {
        errno = EPERM;
        return -1;
    }
    return syscall (SYS_pwrite64, fd, data, size, at);
}

int
connect (int fd, const struct sockaddr *address, socklen_t size)
{
    int answer = (int) syscall (SYS_connect, fd, address, size);
    if (answer == 0 && address->sa_family == AF_UNIX) {
        end_at ("connect");
    }
    return answer;
}

int
execvp (const char *file, char *const argv[])
{
    int (*plain) (const char *, char *const[])
        = (int (*) (const char *, char *const[])) dlsym (RTLD_NEXT, "execvp");
    end_at ("exec");
    return plain (file, argv);
}
