/* SPDX-License-Identifier: GPL-3.0-or-later */
/* without CALL[,CALL…] COMMAND…: runs it under a seccomp filter that forbids these system calls, as containers and old
 * kernels do. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_CALLS 8

static const struct {
    const char *name;
    unsigned number;
} calls[] = {
    { "ptrace", SYS_ptrace },
    { "process_vm_readv", SYS_process_vm_readv },
    { "process_vm_writev", SYS_process_vm_writev },
    { "kcmp", SYS_kcmp },
    { "memfd_create", SYS_memfd_create },
    { "perf_event_open", SYS_perf_event_open },
    { "pidfd_open", SYS_pidfd_open },
    { "personality", SYS_personality },
    { "seccomp", SYS_seccomp },
};

static int
find (const char *name, unsigned *ret_number)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strcmp (calls[i].name, name) == 0) {
            *ret_number = calls[i].number;
            return 1;
        }
    }
    return 0;
}

int
main (int argc, char **argv)
{
    struct sock_filter filter[2 * MAX_CALLS + 2]
        = { BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)) };
    struct sock_fprog program = { 1, filter };
    unsigned number;

    for (char *name = argc > 2 ? strtok (argv[1], ",") : NULL;
         name != NULL && program.len <= 2 * MAX_CALLS - 1; name = strtok (NULL, ",")) {
        if (!find (name, &number)) {
            fprintf (stderr, "without: no call %s\n", name);
            return 1;
        }
        filter[program.len++] = (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K,
                                                               number, 0, 1);
        filter[program.len++] = (struct sock_filter) BPF_STMT (BPF_RET | BPF_K,
                                                               SECCOMP_RET_ERRNO | EPERM);
    }
    filter[program.len++] = (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    if (argc < 3 || prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
        || prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror ("without");
        return 1;
    }
    execvp (argv[2], argv + 2);
    perror (argv[2]);
    return 1;
}
