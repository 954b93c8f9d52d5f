/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The handler uses what is allowed in one: write, and glibc's backtrace, which loads and allocates at its first use only.
 * Addresses are printed as PROGRAM(+OFFSET), for addr2line. */
#include "base/crash.h"
#include "base/log.h"
#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_FRAMES 64
#define STACK_SIZE (64u << 10)

static const struct {
    int number;
    const char *text;
} signals[]
    = { { SIGSEGV, "SIGSEGV" }, { SIGBUS, "SIGBUS" },
        { SIGILL, "SIGILL" },   { SIGFPE, "SIGFPE" },
        { SIGABRT, "SIGABRT" }, { SIGTRAP, "SIGTRAP" } /* GLib's, where there is no memory */ };

static void
say (int fd, const char *text)
{
    gssize written = write (fd, text, strlen (text));

    (void) written;
}

static void
on_crash (int number)
{
    int fd = base_log_get_fd () >= 0 ? base_log_get_fd () : STDERR_FILENO;
    void *frames[MAX_FRAMES];

    say (fd, "crashed with ");
    for (guint i = 0; i < G_N_ELEMENTS (signals); i++) {
        say (fd, signals[i].number == number ? signals[i].text : "");
    }
    say (fd, ", at:\n");
    backtrace_symbols_fd (frames, backtrace (frames, MAX_FRAMES), fd);
    raise (number); /* SA_RESETHAND: as if there had been no handler */
}

void
base_crash_install (void)
{
    struct sigaction action = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK | SA_RESETHAND };
    stack_t stack = { .ss_size = STACK_SIZE };
    void *frames[1];

    backtrace (frames, 1); /* loads what it needs */
    stack.ss_sp = mmap (NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                        -1, 0);
    if (stack.ss_sp == MAP_FAILED || sigaltstack (&stack, NULL) != 0) {
        action.sa_flags = (int) SA_RESETHAND;
    }
    sigemptyset (&action.sa_mask);
    for (guint i = 0; i < G_N_ELEMENTS (signals); i++) {
        sigaction (signals[i].number, &action, NULL);
    }
}
