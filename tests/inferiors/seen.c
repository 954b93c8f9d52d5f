/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes all that a program can find out about itself into the file of its first argument, "NAME: VALUE" a line; "child"
 * prints the rights that its file gives it. "wait" before the file: two times, the second one when a line comes. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static FILE *to;

static void
show_descriptors (void)
{
    for (int fd = 0; fd < 1024; fd++) {
        char path[64], target[4096] = "";
        struct stat facts;

        if (fd == fileno (to) || fstat (fd, &facts) != 0) {
            continue;
        }
        snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
        if (readlink (path, target, sizeof target - 1) > 0) {
            fprintf (to, "descriptor %d: %s %o %x\n", fd, fd > 2 ? target : "",
                     facts.st_mode & S_IFMT, fcntl (fd, F_GETFD) | fcntl (fd, F_GETFL) << 4);
        }
    }
}

static void
show_file (const char *name, const char *path, const char *skipped)
{
    FILE *from = fopen (path, "r");
    char line[4096];

    while (from != NULL && fgets (line, sizeof line, from) != NULL) {
        char field[64] = " ";

        sscanf (line, "%62[^:\n]", field + 1);
        strcat (field, " ");
        if (strstr (skipped, field) == NULL) {
            fprintf (to, "%s %s", name, line);
        }
    }
    if (from != NULL) {
        fclose (from);
    }
}

static void
show_signals (void)
{
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;

        if (sigaction (number, NULL, &action) == 0
            && (action.sa_handler != SIG_DFL || action.sa_flags != 0)) {
            fprintf (to, "signal %d: %d %x\n", number, action.sa_handler == SIG_IGN,
                     (unsigned) action.sa_flags);
        }
    }
}

static void
show_limits (void)
{
    for (int what = 0; what < RLIM_NLIMITS; what++) {
        struct rlimit limit;

        getrlimit ((__rlimit_resource_t) what, &limit);
        fprintf (to, "limit %d: %lx %lx\n", what, (unsigned long) limit.rlim_cur,
                 (unsigned long) limit.rlim_max);
    }
}

static void
show_child (const char *file)
{
    int ends[2];
    char line[64] = "";

    if (access (file, X_OK) != 0 || pipe (ends) != 0) {
        return;
    }
    fflush (to);
    if (fork () == 0) {
        dup2 (ends[1], 1);
        execl (file, file, "child", (char *) NULL);
        _exit (1);
    }
    close (ends[1]);
    if (read (ends[0], line, sizeof line - 1) >= 0) {
        fprintf (to, "set-user-ID child: %s\n", line);
    }
    close (ends[0]);
    wait (NULL);
}

static void
show_all (int argc, char **argv)
{
    int death = 0;
    stack_t stack;
    struct sched_param scheduling;
    cpu_set_t set;
    char folder[4096];
    mode_t mask = umask (0);

    umask (mask);
    prctl (PR_GET_PDEATHSIG, &death);
    sched_getparam (0, &scheduling);
    sched_getaffinity (0, sizeof set, &set);
    sigaltstack (NULL, &stack);
    fprintf (to, "addresses: %x\n", (unsigned) personality (0xffffffff));
    fprintf (to, "parent-death signal: %d\n", death);
    fprintf (to, "process group: %s\n", getpgrp () == getpid () ? "its own" : "its parent's");
    fprintf (to, "session: %s\n", getsid (0) == getpid () ? "its own" : "its parent's");
    fprintf (to, "others: %o %s %d %d %d %d %x %d %ld %d\n", mask,
             getcwd (folder, sizeof folder), sched_getscheduler (0), scheduling.sched_priority,
             getpriority (PRIO_PROCESS, 0), CPU_COUNT (&set), (unsigned) stack.ss_flags,
             prctl (PR_GET_DUMPABLE), (long) prctl (PR_GET_TIMERSLACK),
             prctl (PR_GET_KEEPCAPS));
    for (int i = 0; i < argc; i++) {
        fprintf (to, "argument %d: %s\n", i, argv[i]);
    }
    for (char **each = environ; *each != NULL; each++) {
        fprintf (to, "environment %s\n", strncmp (*each, "_=", 2) == 0 ? "_:" : *each);
    }
    show_limits ();
    show_signals ();
    show_descriptors ();
    show_file (
        "status", "/proc/self/status",
        " Pid Tgid Ngid PPid NStgid NSpid NSpgid NSsid VmPeak VmSize VmLck VmPin VmHWM VmRSS RssAnon RssFile "
        "RssShmem SigQ VmData VmStk VmExe VmLib VmPTE VmSwap FDSize voluntary_ctxt_switches "
        "nonvoluntary_ctxt_switches ");
    show_file ("oom", "/proc/self/oom_score_adj", "");
    show_file ("core filter", "/proc/self/coredump_filter", "");
    show_file ("cgroup", "/proc/self/cgroup", "");
}

int
main (int argc, char **argv)
{
    if (argc > 1 && strcmp (argv[1], "child") == 0) {
        return printf ("%s", geteuid () == getuid () ? "without its file's rights"
                                                     : "with its file's rights")
               < 0;
    }
    for (int round = 0; argc > 2 && round < (strcmp (argv[1], "wait") == 0 ? 2 : 1); round++) {
        if (round == 1 && getchar () == EOF) {
            return 1;
        }
        to = fopen (argv[2 + round], "we");
        show_all (argc, argv);
        show_child (argv[argc - 1]);
        fclose (to);
    }
    return 7;
}
