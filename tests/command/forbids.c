/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loaded before a test's programs: what Yama (kernel: Documentation/admin-guide/LSM/Yama.rst) and SELinux's deny_ptrace
 * forbid on machines that have them, for users without CAP_SYS_PTRACE. Beside this library lie the files "scope" (0 to
 * 3) and "deny" (1), which stand for the kernel's, and what processes have said by PR_SET_PTRACER. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Not through open, which is replaced below. */
static int
open_plainly (const char *path, int flags)
{
    return (int) syscall (SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0644);
}

static void
name_file (char path[256], const char *name)
{
    Dl_info own = { 0 };
    dladdr ((void *) name_file, &own);
    const char *end = own.dli_fname ? strrchr (own.dli_fname, '/') : NULL;
    snprintf (path, 256, "%.*s/%s", end ? (int) (end - own.dli_fname) : 0, own.dli_fname, name);
}

/* otherwise: where it cannot be read. */
static long
read_number (const char *path, const char *behind, long otherwise)
{
    char text[4096] = "";
    int fd = open_plainly (path, O_RDONLY);
    ssize_t n = fd >= 0 ? read (fd, text, sizeof text - 1) : -1;
    const char *at = strstr (text, behind);
    if (fd >= 0) {
        close (fd);
    }
    return n > 0 && at ? strtol (at + strlen (behind), NULL, 10) : otherwise;
}

static long
read_setting (const char *name)
{
    char path[256];
    name_file (path, name);
    return read_number (path, "", 0);
}

static long
read_status (long pid, const char *field)
{
    char path[64];
    snprintf (path, sizeof path, "/proc/%ld/status", pid);
    return read_number (path, field, 0);
}

static int
descends (long pid, long ancestor)
{
    for (; pid > 1 && pid != ancestor; pid = read_status (pid, "\nPPid:\t")) { }
    return pid == ancestor;
}

static long
find_declared (long pid)
{
    char path[256], name[32];
    snprintf (name, sizeof name, "%ld", pid);
    name_file (path, name);
    return read_number (path, "", 0);
}

/* 0, or why this process may not trace that one. */
static int
judge (long tid)
{
    long pid = read_status (tid, "\nTgid:\t"), scope = read_setting ("scope");
    long tracer = read_status (tid, "\nTracerPid:\t"), declared = find_declared (pid);
    if (read_setting ("deny") == 1) {
        return EACCES;
    }
    if (scope == 0 || pid == 0 || pid == getpid ()) {
        return 0;
    }
    if (scope == 1
        && (descends (pid, getpid ()) || declared == -1
            || (declared > 0 && descends (getpid (), declared))
            || (tracer != 0 && read_status (tracer, "\nTgid:\t") == getpid ()))) {
        return 0;
    }
    return EPERM;
}

static int
forbids (long tid)
{
    int why = judge (tid);
    errno = why ? why : errno;
    return why != 0;
}

long
ptrace (enum __ptrace_request request, ...)
{
    va_list rest;
    va_start (rest, request);
    long pid = va_arg (rest, long), address = va_arg (rest, long), data = va_arg (rest, long);
    va_end (rest);
    static long (*next) (int, ...);
    if (!next) {
        next = (long (*) (int, ...)) dlsym (RTLD_NEXT, "ptrace");
    }
    if ((request == PTRACE_SEIZE || request == PTRACE_ATTACH) && forbids ((int) pid)) {
        return -1;
    }
    if (request == PTRACE_TRACEME && (read_setting ("deny") == 1 || read_setting ("scope") >= 2)) {
        errno = EPERM;
        return -1;
    }
    return next (request, pid, address, data);
}

ssize_t
process_vm_readv (pid_t pid, const struct iovec *local, unsigned long n_local,
                  const struct iovec *remote, unsigned long n_remote, unsigned long flags)
{
    return forbids (pid)
               ? -1
               : syscall (SYS_process_vm_readv, (long) pid, local, n_local, remote, n_remote, flags);
}

int
prctl (int what, ...)
{
    va_list rest;
    va_start (rest, what);
    unsigned long a = va_arg (rest, unsigned long), b = va_arg (rest, unsigned long);
    unsigned long c = va_arg (rest, unsigned long), d = va_arg (rest, unsigned long);
    va_end (rest);
    if (what == PR_SET_PTRACER) {
        char path[256], name[32];
        snprintf (name, sizeof name, "%d", (int) getpid ());
        name_file (path, name);
        int fd = open_plainly (path, O_WRONLY | O_CREAT | O_TRUNC);
        if (fd < 0) {
            return -1;
        }
        dprintf (fd, "%ld", (long) a);
        close (fd);
        return 0;
    }
    return (int) syscall (SYS_prctl, (long) what, a, b, c, d);
}

static int
open_judged (const char *path, int flags, int mode)
{
    char stand_in[256];
    int pid, end = 0;
    if (strcmp (path, "/proc/sys/kernel/yama/ptrace_scope") == 0) {
        name_file (stand_in, "scope");
        path = stand_in;
    } else if (strcmp (path, "/sys/fs/selinux/booleans/deny_ptrace") == 0) {
        name_file (stand_in, "deny");
        path = stand_in;
    } else if (sscanf (path, "/proc/%d/mem%n", &pid, &end) == 1 && end > 0 && path[end] == '\0'
               && forbids (pid)) {
        return -1;
    }
    return (int) syscall (SYS_openat, AT_FDCWD, path, flags, mode);
}

/* With 64-bit offsets the headers give both functions one name. */
int open_named (const char *path, int flags, ...) __asm__("open");
int open_large (const char *path, int flags, ...) __asm__("open64");

int
open_named (const char *path, int flags, ...)
{
    va_list rest;
    va_start (rest, flags);
    int mode = va_arg (rest, int);
    va_end (rest);
    return open_judged (path, flags, mode);
}

int
open_large (const char *path, int flags, ...)
{
    va_list rest;
    va_start (rest, flags);
    int mode = va_arg (rest, int);
    va_end (rest);
    return open_judged (path, flags, mode);
}
