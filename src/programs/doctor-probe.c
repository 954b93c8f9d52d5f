/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel allows a tracer, found out on a child of our own. */
#include "programs/doctor-probe.h"
#include "base/error.h"
#include "target/process.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_MS 5000

static volatile guint64 watched; /* the child writes it */
static volatile int go;          /* the tracer lets the child write */

static void
be_traced (void)
{
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    while (!go) {
        g_usleep (1000);
    }
    watched = 1;
    _exit (0);
}

/* The child's next stop or end; FALSE: none came. */
static gboolean
wait_for_child (pid_t child, int *ret_status)
{
    for (int i = 0; i < LIMIT_MS; i++) {
        pid_t done = waitpid (child, ret_status, WNOHANG | __WALL);

        if (done != 0) {
            return done == child;
        }
        g_usleep (1000);
    }
    return FALSE;
}

/* Writes a byte of code as it is: what a breakpoint does. */
static gboolean
can_write_code (pid_t child)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/mem", (int) child);
    off_t address = (off_t) (gsize) be_traced;
    int fd = open (path, O_RDWR | O_CLOEXEC);
    guint8 byte;
    gboolean is_written = fd >= 0 && pread (fd, &byte, 1, address) == 1
                          && pwrite (fd, &byte, 1, address) == 1;

    if (fd >= 0) {
        close (fd);
    }
    return is_written;
}

static gboolean
can_read_vector (pid_t child)
{
    int value;
    struct iovec here = { &value, sizeof value };
    struct iovec there = { (void *) (gsize) &go, sizeof value };

    return process_vm_readv (child, &here, 1, &there, 1, 0) == sizeof value;
}

static gboolean
let_go (pid_t child)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/mem", (int) child);
    int fd = open (path, O_RDWR | O_CLOEXEC);
    const int yes = 1;
    gboolean is_written = fd >= 0 && pwrite (fd, &yes, sizeof yes, (off_t) (gsize) &go) > 0;

    if (fd >= 0) {
        close (fd);
    }
    return is_written;
}

/* Some virtual machines accept debug registers and never let one trigger. */
static DoctorWatch
try_watch (pid_t child)
{
    int status;

    if (!target_thread_set_watch (child, 0, (gsize) &watched, sizeof watched)) {
        return DOCTOR_WATCH_REFUSED;
    }
    if (!let_go (child) || !target_thread_continue (child, 0)
        || !wait_for_child (child, &status)) {
        return DOCTOR_WATCH_SILENT;
    }
    return WIFSTOPPED (status) && WSTOPSIG (status) == SIGTRAP ? DOCTOR_WATCH_WORKS
                                                               : DOCTOR_WATCH_SILENT;
}

gboolean
program_doctor_probe (DoctorProbe *ret_probe, GError **error)
{
    DoctorProbe probe = { 0 };
    int status;
    pid_t child = fork ();

    if (child < 0) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot start a process: %s",
                        g_strerror (errno));
        return FALSE;
    }
    if (child == 0) {
        be_traced ();
    }
    gboolean is_traced = target_thread_seize (child, TRUE, error);

    if (is_traced && target_thread_interrupt (child) && wait_for_child (child, &status)
        && WIFSTOPPED (status)) {
        probe.can_write_code = can_write_code (child);
        probe.can_read_vector = can_read_vector (child);
        probe.watch = try_watch (child);
        *ret_probe = probe;
    } else if (is_traced) {
        base_error_set (error, BASE_ERROR_TIMEOUT, "a traced process did not stop");
        is_traced = FALSE;
    }
    kill (child, SIGKILL);
    waitpid (child, NULL, __WALL);
    return is_traced;
}

int
program_doctor_probe_counters (void)
{
    struct perf_event_attr attributes = { .type = PERF_TYPE_HARDWARE,
                                          .size = sizeof attributes,
                                          .config = PERF_COUNT_HW_CPU_CYCLES,
                                          .exclude_kernel = 1,
                                          .exclude_hv = 1 };
    int file = (int) syscall (SYS_perf_event_open, &attributes, 0, -1, -1,
                              PERF_FLAG_FD_CLOEXEC);

    if (file < 0) {
        return errno;
    }
    close (file);
    return 0;
}
