/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes rights from a process: credentials(7), setrlimit(2), prctl(2) and seccomp(2) with a
 * filter in classic BPF. */
#include "base/confine.h"
#include "base/array.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <pwd.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_FILTER 256
#define KEPT 3
#define MAX_DESCRIPTORS 256

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* ---- the filter ---- */

typedef struct {
    struct sock_filter code[MAX_FILTER];
    guint n;
} Filter;

static void
add (Filter *filter, struct sock_filter instruction)
{
    g_assert (filter->n < MAX_FILTER);
    filter->code[filter->n++] = instruction;
}

static void
add_answer (Filter *filter, guint32 answer)
{
    add (filter, (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, answer));
}

static void
load (Filter *filter, gsize offset)
{
    add (filter, (struct sock_filter) BPF_STMT (BPF_LD | BPF_W | BPF_ABS, (guint32) offset));
}

/* The low word of an argument: no known flag is in the high word. */
static gsize
get_argument (guint number)
{
    return offsetof (struct seccomp_data, args) + number * sizeof (guint64)
           + (G_BYTE_ORDER == G_BIG_ENDIAN ? sizeof (guint32) : 0);
}

static void
allow (Filter *filter, const int *calls, guint n)
{
    for (guint i = 0; i < n; i++) {
        add (filter, (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K,
                                                    (guint32) calls[i], 0, 1));
        add_answer (filter, SECCOMP_RET_ALLOW);
    }
}

/* Allowed when (argument & mask) == wanted, else EPERM. Leaves the call's number loaded otherwise. */
static void
allow_if (Filter *filter, int call, guint argument, guint32 mask, guint32 wanted)
{
    add (filter,
         (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (guint32) call, 0, 5));
    load (filter, get_argument (argument));
    add (filter, (struct sock_filter) BPF_STMT (BPF_ALU | BPF_AND | BPF_K, mask));
    add (filter, (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, wanted, 0, 1));
    add_answer (filter, SECCOMP_RET_ALLOW);
    add_answer (filter, SECCOMP_RET_ERRNO | EPERM);
}

/* Allowed when the argument is one of the values, else EPERM. */
static void
allow_values (Filter *filter, int call, guint argument, const int *values, guint n)
{
    add (filter, (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (guint32) call, 0,
                                                (guint8) (2 + 2 * n)));
    load (filter, get_argument (argument));
    allow (filter, values, n);
    add_answer (filter, SECCOMP_RET_ERRNO | EPERM);
}

/* Allowed when the argument, a pointer, is NULL. */
static void
allow_null (Filter *filter, int call, guint argument)
{
    add (filter,
         (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (guint32) call, 0, 6));
    load (filter, get_argument (argument));
    add (filter, (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3));
    load (filter, get_argument (argument) ^ sizeof (guint32));
    add (filter, (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1));
    add_answer (filter, SECCOMP_RET_ALLOW);
    add_answer (filter, SECCOMP_RET_ERRNO | EPERM);
}

static void
fail (Filter *filter, int call, int reason)
{
    add (filter,
         (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (guint32) call, 0, 1));
    add_answer (filter, SECCOMP_RET_ERRNO | (guint32) reason);
}

static const int plain_calls[] = {
    SYS_read,
    SYS_pread64,
    SYS_readv,
    SYS_preadv,
    SYS_lseek,
    SYS_close,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_fstatfs,
    SYS_statfs,
    SYS_faccessat,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_getcwd,
    SYS_dup,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_futex,
    SYS_set_robust_list,
    SYS_rseq,
    SYS_set_tid_address,
    SYS_membarrier,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_exit,
    SYS_exit_group,
    SYS_restart_syscall,
    SYS_ppoll,
    SYS_sendmsg,
    SYS_recvmsg,
    SYS_sendto,
    SYS_recvfrom,
    SYS_write,
    SYS_writev,
    SYS_getpid,
    SYS_gettid,
    SYS_getppid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getgroups,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_getrandom,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_uname,
    SYS_sysinfo,
    SYS_getrusage,
    SYS_times,
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
#ifdef SYS_stat /* calls that newer architectures lack */
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_poll,
    SYS_time,
    SYS_arch_prctl,
#endif
};

/* The filter compares call numbers of this architecture only. A 32-bit call (int $0x80 on x86) comes with another
 * architecture and ends the process; the numbers of x32 have bit 30 set and are not in the list.
 * SECCOMP_FILTER_FLAG_SPEC_ALLOW is not set: where the kernel restricts speculation in confined processes, it
 * restricts it in these too. */
static void
begin_filter (Filter *filter)
{
    load (filter, offsetof (struct seccomp_data, arch));
    add (filter,
         (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0));
    add_answer (filter, SECCOMP_RET_KILL_PROCESS);
    load (filter, offsetof (struct seccomp_data, nr));
}

/* Signals may be sent to oneself: abort and raise end it as everywhere. */
static void
allow_own_signals (Filter *filter)
{
    allow_if (filter, SYS_tgkill, 0, G_MAXUINT32, (guint32) getpid ());
    allow_if (filter, SYS_kill, 0, G_MAXUINT32, (guint32) getpid ());
}

static void
allow_opening (Filter *filter)
{
    const guint32 writing = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);

    allow_if (filter, SYS_openat, 2, writing, O_RDONLY);
#ifdef SYS_open
    allow_if (filter, SYS_open, 1, writing, O_RDONLY);
#endif
}

static void
allow_memory (Filter *filter, gboolean may_load)
{
    const guint32 mask = may_load ? 0 : PROT_EXEC;

    allow_if (filter, SYS_mmap, 2, mask, 0);
    allow_if (filter, SYS_mprotect, 2, mask, 0);
}

static void
allow_own_files (Filter *filter)
{
    static const int calls[] = { SYS_memfd_create, SYS_ftruncate, SYS_pwrite64, SYS_pwritev };

    allow (filter, calls, G_N_ELEMENTS (calls));
}

/* Creating a thread; glibc falls back to clone without clone3. */
static void
allow_threads (Filter *filter)
{
    const guint32 wanted = CLONE_THREAD | CLONE_VM;
    const guint32 spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC
                           | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

    allow_if (filter, SYS_clone, 0, wanted | spaces, wanted);
    allow_if (filter, SYS_prctl, 0, G_MAXUINT32, PR_SET_NAME);
}

/* Not the commands that make a descriptor send signals. */
static const int descriptor_words[] = { F_GETFD,         F_SETFD,     F_GETFL,    F_DUPFD,
                                        F_DUPFD_CLOEXEC, F_ADD_SEALS, F_GET_SEALS };

static gboolean
install_filter (const BaseConfinement *confinement)
{
    g_autofree Filter *filter = g_new0 (Filter, 1);
    struct sock_fprog program;

    begin_filter (filter);
    allow (filter, plain_calls, G_N_ELEMENTS (plain_calls));
    fail (filter, SYS_clone3, ENOSYS);
    allow_own_signals (filter);
    allow_opening (filter);
    allow_memory (filter, confinement->may_load);
    allow_values (filter, SYS_fcntl, 1, descriptor_words, G_N_ELEMENTS (descriptor_words));
    allow_null (filter, SYS_prlimit64, 2); /* limits may be read, not set */
    if (confinement->output_bytes > 0) {
        allow_own_files (filter);
    }
    if (confinement->may_thread) {
        allow_threads (filter);
    }
    add_answer (filter, SECCOMP_RET_ERRNO | EPERM);
    program = (struct sock_fprog){ (unsigned short) filter->n, filter->code };
    return prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* ---- the rest ---- */

static gboolean
set_limit (int what, guint64 value)
{
    struct rlimit limit;

    if (getrlimit (what, &limit) != 0) {
        return FALSE;
    }
    limit.rlim_max = limit.rlim_cur = MIN (limit.rlim_max, value);
    return setrlimit (what, &limit) == 0;
}

static gboolean
set_limits (const BaseConfinement *confinement)
{
    gboolean good = set_limit (RLIMIT_CORE, 0) && set_limit (RLIMIT_NOFILE, MAX_DESCRIPTORS)
                    && set_limit (RLIMIT_FSIZE, confinement->output_bytes)
                    && (confinement->cpu_s == 0 || set_limit (RLIMIT_CPU, confinement->cpu_s));

#ifndef __SANITIZE_ADDRESS__ /* whose shadow is terabytes */
    good = good
           && (confinement->memory_bytes == 0
               || set_limit (RLIMIT_DATA, confinement->memory_bytes));
#endif
    return good;
}

static gboolean
keep_descriptor (int kept_fd)
{
    int null = open ("/dev/null", O_RDWR | O_CLOEXEC);
    int kept = kept_fd == KEPT ? KEPT : fcntl (kept_fd, F_DUPFD_CLOEXEC, KEPT + 1);

    if (null < 0 || kept < 0) {
        return FALSE;
    }
    return !BASE_ANY (fd, KEPT, dup2 (null, fd) < 0)
           && (kept == KEPT || dup3 (kept, KEPT, O_CLOEXEC) == KEPT)
           && close_range (KEPT + 1, ~0u, 0) == 0;
}

/* In a user namespace that an ordinary user has made nobody may set groups (user_namespaces(7)): this process has no
 * others than that user, and can become nobody else. */
static gboolean
leave_groups (guint32 uid)
{
    g_autofree char *word = NULL;

    if (setgroups (0, NULL) == 0) {
        return TRUE;
    }
    return errno == EPERM && geteuid () == uid
           && g_file_get_contents ("/proc/self/setgroups", &word, NULL, NULL)
           && g_str_has_prefix (word, "deny");
}

gboolean
base_confine_become (guint32 uid, guint32 gid)
{
    uid_t real, effective, saved;

    if (geteuid () != 0) {
        errno = EPERM;
        return geteuid () == uid;
    }
    if (!leave_groups (uid) || setresgid (gid, gid, gid) != 0 || setresuid (uid, uid, uid) != 0
        || getresuid (&real, &effective, &saved) != 0) {
        return FALSE;
    }
    errno = EPERM;
    return real == uid && effective == uid && saved == uid && (uid == 0 || setuid (0) != 0);
}

/* What exec has put on the stack stays there after clearenv: whoever runs code in this process could read it, and
 * /proc/PID/environ shows it. proc(5): fields 50 and 51. */
void
base_confine_wipe_environment (void)
{
    g_autofree char *text = base_file_read_process ((int) getpid (), "stat", NULL);
    const char *after = text != NULL ? strrchr (text, ')') : NULL;
    g_auto (GStrv) fields = after != NULL ? g_strsplit (after + 2, " ", -1) : NULL;

    if (fields != NULL && g_strv_length (fields) > 48) {
        gsize begin = (gsize) g_ascii_strtoull (fields[47], NULL, 10);
        gsize end = (gsize) g_ascii_strtoull (fields[48], NULL, 10);

        if (begin != 0 && end > begin) {
            explicit_bzero (GSIZE_TO_POINTER (begin), end - begin);
        }
    }
    clearenv ();
}

gboolean
base_confine (const BaseConfinement *confinement, int kept_fd)
{
    base_confine_wipe_environment ();
    if (!keep_descriptor (kept_fd) || !set_limits (confinement)
        || !base_confine_become (confinement->uid, confinement->gid)) {
        return FALSE;
    }
    /* changing the user resets both */
    if (prctl (PR_SET_PDEATHSIG, SIGKILL) != 0 || prctl (PR_SET_DUMPABLE, 0) != 0) {
        return FALSE;
    }
    errno = ESRCH;
    return getppid () == confinement->parent && prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
           && install_filter (confinement);
}

/* ---- whose file ---- */

/* A user-private group, which many systems give to each user. */
static gboolean
is_private_group (guint32 uid, guint32 gid)
{
    const struct passwd *user = getpwuid (uid);
    g_autofree char *name = user != NULL && user->pw_gid == gid ? g_strdup (user->pw_name)
                                                                : NULL;
    const struct group *group = name != NULL ? getgrgid (gid) : NULL;

    return group != NULL && strcmp (group->gr_name, name) == 0 && group->gr_mem[0] == NULL;
}

/* In an unprivileged user's container, root's files appear to belong to nobody. */
static gboolean
is_root_outside (guint32 uid)
{
    g_autofree char *map = NULL, *overflow = NULL;
    guint64 inside, outside, count;

    if (!g_file_get_contents ("/proc/sys/fs/overflowuid", &overflow, NULL, NULL)
        || g_ascii_strtoull (overflow, NULL, 10) != uid
        || !g_file_get_contents ("/proc/self/uid_map", &map, NULL, NULL)) {
        return FALSE;
    }
    return sscanf (map, "%" G_GUINT64_FORMAT "%" G_GUINT64_FORMAT "%" G_GUINT64_FORMAT, &inside,
                   &outside, &count)
               == 3
           && count < G_MAXUINT16;
}

static gboolean
is_safe (const struct stat *info, guint32 uid)
{
    mode_t others = info->st_mode & S_IWOTH, group = info->st_mode & S_IWGRP;

    if (info->st_uid != 0 && info->st_uid != uid && info->st_uid != geteuid ()
        && !is_root_outside (info->st_uid)) {
        return FALSE;
    }
    return (S_ISDIR (info->st_mode) && (info->st_mode & S_ISVTX) != 0)
           || (others == 0
               && (group == 0 || info->st_gid == 0
                   || is_private_group (info->st_uid, info->st_gid)));
}

gboolean
base_confine_is_safe_path (const char *path, guint32 uid)
{
    g_autofree char *part = g_strdup (path);
    struct stat info;

    while (part[0] == '/') {
        char *slash = strrchr (part, '/');

        if (lstat (part, &info) != 0 || S_ISLNK (info.st_mode) || !is_safe (&info, uid)) {
            return FALSE;
        }
        if (part[1] == '\0') {
            return TRUE;
        }
        slash[slash == part] = '\0';
    }
    return FALSE;
}
