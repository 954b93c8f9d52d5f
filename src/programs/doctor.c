/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pddt --doctor: one line for each thing that pddt needs of a machine. Nothing here is needed for a
 * session: a session finds out by itself, and says so in its own words. */
#include "programs/doctor.h"
#include "base/log.h"
#include "launch/launcher.h"
#include "launch/launch.h"
#include "launch/version.h"
#include "machine/disassembler.h"
#include "net/skew.h"
#include "programs/doctor-probe.h"
#include "stack/library.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEAST_FILES 1024
#define LEAST_FREE_BYTES (64u << 20)
#define LEAST_SKEW_US G_USEC_PER_SEC
#define CLOCK                                                                                  \
    "clock:" /* of whom a host is to compare its clock with, with a comma for each space */

typedef enum { OK, NOTE, BAD } Level;

typedef struct {
    const char *host;      /* before each line; NULL: none */
    const char *endpoints; /* of whom its clock is compared with; NULL: nobody */
    guint n_bad;
} Doctor;

static void G_GNUC_PRINTF (4, 5)
    say (Doctor *doctor, Level level, const char *subject, const char *format, ...)
{
    static const char *const words[] = { "ok  ", "note", "bad " };
    va_list arguments;

    va_start (arguments, format);
    g_autofree char *text = g_strdup_vprintf (format, arguments);
    va_end (arguments);
    doctor->n_bad += level == BAD;
    printf ("%s%s%s  %s: %s\n", doctor->host != NULL ? doctor->host : "",
            doctor->host != NULL ? ": " : "", words[level], subject, text);
    fflush (stdout); /* other hosts' lines come between */
}

/* The number in a file of /proc; -1: there is none. */
static int
read_number (const char *path)
{
    g_autofree char *text = NULL;

    return g_file_get_contents (path, &text, NULL, NULL) ? atoi (text) : -1;
}

/* FALSE: nothing can be traced. */
static gboolean
check_tracing (Doctor *doctor)
{
    g_autoptr (GError) error = NULL;
    DoctorProbe probe;

    if (!program_doctor_probe (&probe, &error)) {
        say (doctor, BAD, "tracing", "%s", error->message);
        return FALSE;
    }
    say (doctor, OK, "tracing", "pddt can debug programs that it starts");
    if (!probe.can_write_code) {
        say (doctor, NOTE, "breakpoints",
             "the kernel refuses writes to code through /proc/PID/mem "
             "(proc_mem.force_override); pddt writes by ptrace instead");
    }
    if (!probe.can_read_vector) {
        say (
            doctor, NOTE, "reading memory",
            "the kernel refuses process_vm_readv; pddt reads through /proc/PID/mem, which is slower");
    }
    if (probe.watch == DOCTOR_WATCH_WORKS) {
        say (doctor, OK, "watchpoints", "by debug registers");
    } else {
        say (doctor, NOTE, "watchpoints",
             probe.watch == DOCTOR_WATCH_SILENT
                 ? "debug registers never trigger on this (virtual) machine; pddt can only "
                   "watch by single steps, which is slow"
                 : "this machine has no debug registers; pddt can only watch by single steps, "
                   "which is slow");
    }
    return TRUE;
}

static void
check_attaching (Doctor *doctor, gboolean can_trace)
{
    int scope = read_number ("/proc/sys/kernel/yama/ptrace_scope");
    gboolean denies = read_number ("/sys/fs/selinux/booleans/deny_ptrace")
                      == 1; /* "1 1": now, pending */

    if (denies) {
        say (doctor, BAD, "attaching",
             "SELinux denies ptrace; as root: setsebool deny_ptrace off");
    } else if (scope == 3) {
        say (doctor, BAD, "attaching",
             "kernel.yama.ptrace_scope is 3, which only a restart of the machine changes");
    } else if (scope == 2 && geteuid () != 0) {
        say (doctor, BAD, "attaching",
             "kernel.yama.ptrace_scope is 2: only root can debug; as root: sysctl "
             "kernel.yama.ptrace_scope=0");
    } else if (scope == 1 && geteuid () != 0) {
        say (doctor, NOTE, "attaching",
             "kernel.yama.ptrace_scope is 1: pddt can debug what it starts, but not attach to "
             "running processes; as root: sysctl kernel.yama.ptrace_scope=0");
    } else if (can_trace) {
        say (doctor, OK, "attaching", "pddt can attach to your running processes");
    }
}

static void
check_counters (Doctor *doctor)
{
    int error = program_doctor_probe_counters ();
    int level = read_number ("/proc/sys/kernel/perf_event_paranoid");

    if (error == 0) {
        say (doctor, OK, "hardware counters", "pddt can count cycles");
    } else if (level < 0 || error == ENOSYS) {
        say (doctor, NOTE, "hardware counters", "this kernel has no perf events");
    } else if (error != EACCES && error != EPERM) {
        say (doctor, NOTE, "hardware counters", "this (virtual) machine has none for programs");
    } else if (level > 2 && geteuid () != 0) {
        say (doctor, NOTE, "hardware counters",
             "kernel.perf_event_paranoid is %d: no counters for users; as root: sysctl "
             "kernel.perf_event_paranoid=2",
             level);
    } else {
        say (
            doctor, NOTE, "hardware counters",
            "perf_event_open is refused, as containers do; start yours with --cap-add=PERFMON");
    }
}

/* What a --version says in one line: Hydra's is in its second one. */
static char *
dup_version (const char *text)
{
    const char *number = strstr (text, "Version:");
    const char *line = number != NULL ? number : text;
    g_autofree char *whole = g_strndup (line, strcspn (line, "\n"));
    g_auto (GStrv) words = g_strsplit_set (whole, " \t", -1);
    GString *shown = g_string_new (NULL);

    for (guint i = 0; words[i] != NULL; i++) {
        if (*words[i] != '\0') {
            g_string_append_printf (shown, "%s%s", shown->len > 0 ? " " : "", words[i]);
        }
    }
    return g_string_free (shown, FALSE);
}

static void
check_launcher (Doctor *doctor, const char *name, const char *path)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *version = launch_version_read (path, NULL, &error);
    LaunchKind kind = version != NULL ? launch_launcher_recognise (version) : LAUNCH_NONE;
    g_autofree char *line = version != NULL ? dup_version (version) : NULL;
    const char *recorder = kind == LAUNCH_HYDRA  ? "libpddt-mpi-mpich.so"
                           : kind == LAUNCH_SRUN ? NULL
                                                 : "libpddt-mpi.so";
    g_autofree char *file = recorder != NULL ? launch_find_recorder (recorder) : NULL;

    if (version == NULL) {
        say (doctor, NOTE, name, "%s", error->message);
    } else if (kind == LAUNCH_NONE && g_str_has_prefix (line, "srun: error: ")) {
        say (doctor, NOTE, name, "%s: Slurm is not set up on this machine (%s)", path, line);
    } else if (kind == LAUNCH_NONE) {
        say (doctor, NOTE, name, "%s (%s) is no launcher that pddt knows", path, line);
    } else if (recorder != NULL && file == NULL) {
        say (doctor, NOTE, name,
             "%s (%s): pddt was built without the recorder for this MPI, so message queues and "
             "deadlocks are known only in part; build pddt again with its mpicc installed",
             path, line);
    } else {
        say (doctor, OK, name, "%s (%s)", path, line);
    }
}

static void
check_launchers (Doctor *doctor)
{
    const char *const *names = launch_launcher_list_names ();
    g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    static const char *const others[] = { "mpirun.openmpi", "mpiexec.mpich", "mpiexec.hydra",
                                          NULL };
    gboolean is_found = FALSE;

    for (const char *const *list = names; list != NULL; list = list == names ? others : NULL) {
        for (guint i = 0; list[i] != NULL; i++) {
            g_autofree char *path = g_find_program_in_path (list[i]);
            char *file = path != NULL ? realpath (path, NULL) : NULL;

            if (file != NULL && g_hash_table_add (seen, g_strdup (file))) {
                check_launcher (doctor, list[i], path);
                is_found = TRUE;
            }
            free (file);
        }
    }
    if (!is_found) {
        say (
            doctor, NOTE, "launchers",
            "none of mpirun, mpiexec, prun, srun is in PATH; load your site's MPI module, or install "
            "one (Debian: openmpi-bin)");
    }
}

static void
check_python (Doctor *doctor)
{
    g_autofree char *path = g_find_program_in_path ("python3");
    g_autofree char *out = NULL;
    char *argv[] = { path, "-c",
                     "import sys; print('%d %d %s' % (*sys.version_info[:2], "
                     "sys.implementation.name))",
                     NULL };
    int major = 0, minor = 0;
    char name[32] = "";

    if (path == NULL) {
        say (doctor, NOTE, "python3", "not in PATH: only native programs can be debugged");
    } else if (!g_spawn_sync (NULL, argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &out,
                              NULL, NULL, NULL)
               || out == NULL || sscanf (out, "%d %d %31s", &major, &minor, name) != 3) {
        say (doctor, NOTE, "python3", "%s does not run", path);
    } else if (strcmp (name, "cpython") != 0 || major != 3 || minor < 8 || minor > 14) {
        say (doctor, NOTE, "python3",
             "%s is %s %d.%d; pddt shows Python code of CPython 3.8 to 3.14 only", path, name,
             major, minor);
    } else {
        say (doctor, OK, "python3", "%s (CPython %d.%d)", path, major, minor);
    }
}

/* The window program tries: only its libraries know what it takes. */
static gboolean
opens_display (char *window)
{
    char *argv[] = { window, "--doctor", NULL };
    int status;

    return g_spawn_sync (NULL, argv, NULL,
                         G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                         NULL, NULL, &status, NULL)
           && WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

static void
check_window (Doctor *doctor)
{
    g_autofree char *window = launch_find_program ("pddt-window", NULL);
    const char *x = g_getenv ("DISPLAY"), *wayland = g_getenv ("WAYLAND_DISPLAY");
    const char *display = x != NULL && *x != '\0' ? x : wayland;

    if (window == NULL) {
        say (doctor, NOTE, "window",
             "this pddt was built without one; use the command language (--cli)");
    } else if (display == NULL || *display == '\0') {
        say (doctor, NOTE, "window",
             "neither DISPLAY nor WAYLAND_DISPLAY is set: pddt uses the command language; with "
             "ssh, use ssh -X");
    } else if (!opens_display (window)) {
        say (doctor, NOTE, "window",
             "display %s cannot be opened, so pddt uses the command language: no such display "
             "runs, or you may not use it; with ssh, use ssh -X",
             display);
    } else {
        say (doctor, OK, "window", "display %s", display);
    }
}

/* variable: names another folder; NULL: this one is the system's. */
static void
check_folder (Doctor *doctor, const char *subject, const char *folder, const char *variable)
{
    g_autofree char *existing = g_strdup (folder);
    g_autofree char *advice = variable != NULL
                                  ? g_strdup_printf ("set %s to a folder of yours", variable)
                                  : g_strdup ("ask whoever runs this machine");
    struct statvfs system;

    while (access (existing, F_OK) < 0 && strcmp (existing, "/") != 0) {
        g_autofree char *below = g_steal_pointer (&existing);

        existing = g_path_get_dirname (below);
    }
    if (!g_file_test (existing, G_FILE_TEST_IS_DIR)) {
        say (doctor, NOTE, subject, "%s cannot be made: %s is a file; %s", folder, existing,
             advice);
    } else if (access (existing, W_OK) < 0) {
        say (doctor, NOTE, subject, "%s cannot be written (%s); %s", folder, g_strerror (errno),
             advice);
    } else if (statvfs (existing, &system) == 0
               && (guint64) system.f_bavail * system.f_frsize < LEAST_FREE_BYTES) {
        say (doctor, NOTE, subject, "%s is full; make room, or %s", folder, advice);
    } else {
        say (doctor, OK, subject, "%s", folder);
    }
}

static void
check_folders (Doctor *doctor)
{
    g_autofree char *cache = g_build_filename (g_get_user_cache_dir (), "pddt", NULL);
    const char *state_home = g_getenv ("XDG_STATE_HOME");
    g_autofree char *state = state_home != NULL ? g_build_filename (state_home, "pddt", NULL)
                                                : g_build_filename (g_get_home_dir (),
                                                                    ".local/state/pddt", NULL);

    check_folder (doctor, "cache of debug information", cache, "XDG_CACHE_HOME");
    check_folder (doctor, "folder of sessions", state, "XDG_STATE_HOME");
    check_folder (doctor, "temporary files", g_get_tmp_dir (), "TMPDIR");
    check_folder (doctor, "shared memory", "/dev/shm", NULL);
}

static void
check_debug_information (Doctor *doctor)
{
    const char *servers = g_getenv ("DEBUGINFOD_URLS");

    if (servers != NULL && *servers != '\0') {
        say (doctor, OK, "debug information of libraries", "from %s, where it is not installed",
             servers);
    } else {
        say (
            doctor, NOTE, "debug information of libraries",
            "only what is installed; set DEBUGINFOD_URLS to your distribution's server for the rest");
    }
}

static void
check_limits (Doctor *doctor)
{
    struct rlimit files, core, size;

    if (getrlimit (RLIMIT_NOFILE, &files) == 0 && files.rlim_max < LEAST_FILES) {
        say (doctor, NOTE, "open files",
             "at most %lu: too few for many ranks on one host; raise ulimit -Hn",
             (gulong) files.rlim_max);
    }
    if (getrlimit (RLIMIT_FSIZE, &size) == 0 && size.rlim_cur != RLIM_INFINITY) {
        say (doctor, NOTE, "size of files",
             "limited to %lu bytes: a measurement may not be kept whole; ulimit -f unlimited",
             (gulong) size.rlim_cur);
    }
    if (getrlimit (RLIMIT_CORE, &core) == 0) {
        say (doctor, OK, "core files",
             core.rlim_cur == 0
                 ? "none are written: ulimit -c unlimited before the job, for pddt "
                   "--core"
                 : "are written");
    }
}

static void
check_clock (Doctor *doctor)
{
    static const char *const path
        = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    g_autofree char *text = NULL;

    if (!g_file_get_contents (path, &text, NULL, NULL)) {
        return;
    }
    g_strstrip (text);
    if (strcmp (text, "hpet") == 0 || strcmp (text, "acpi_pm") == 0
        || strcmp (text, "jiffies") == 0) {
        say (doctor, NOTE, "clock", "%s is slow to read: --trace costs more on this machine",
             text);
    } else {
        say (doctor, OK, "clock", "%s", text);
    }
}

/* µs, where there are some, else ms or s. */
static char *
format_time (gint64 time_us)
{
    return time_us < 1000             ? g_strdup_printf ("%d µs", (int) time_us)
           : time_us < G_USEC_PER_SEC ? g_strdup_printf ("%.1f ms", (double) time_us / 1e3)
                                      : g_strdup_printf ("%.3f s", (double) time_us / 1e6);
}

static void
compare_clock (Doctor *doctor)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *there = g_strndup (doctor->endpoints, strcspn (doctor->endpoints, " "));
    NetSkew skew;

    if (strcmp (there, doctor->host) == 0) {
        return;
    }
    if (!net_skew_measure (doctor->endpoints, doctor->host, &skew, &error)) {
        say (doctor, NOTE, "time of day", "cannot be compared with that of %s: %s", there,
             error->message);
        return;
    }
    g_autofree char *ahead = format_time (ABS (skew.ahead_us));
    g_autofree char *wrong = format_time (skew.error_us);
    const char *way = skew.ahead_us > 0 ? "ahead of" : "behind";

    if (ABS (skew.ahead_us) - skew.error_us > LEAST_SKEW_US) {
        say (
            doctor, NOTE, "time of day",
            "%s %s that of %s (± %s): the archives of both are on one clock all the same, but "
            "dates of files, and MPI_Wtime where it is the time of day, cannot be compared; let "
            "NTP (chrony) set the clocks",
            ahead, way, there, wrong);
    } else {
        say (doctor, OK, "time of day", "%s %s that of %s (± %s)", ahead, way, there, wrong);
    }
}

/* Those that are loaded on first use: pddt may have been brought to a machine that has others. */
static void
check_libraries (Doctor *doctor)
{
    g_autoptr (GError) error = NULL, other = NULL;

    if (stack_library_load (&error)) {
        say (doctor, OK, "stacks", "libunwind is here");
    } else {
        say (doctor, BAD, "stacks", "%s: install libunwind", error->message);
    }
    if (machine_disassembler_load (&other) != NULL) {
        say (doctor, OK, "disassembler", "capstone is here");
    } else {
        say (doctor, NOTE, "disassembler",
             "%s; without it a breakpoint may stop all threads of a rank for a moment: install "
             "that version of capstone",
             other->message);
    }
}

static void
check_host (Doctor *doctor)
{
    check_attaching (doctor, check_tracing (doctor));
    check_libraries (doctor);
    check_launchers (doctor);
    check_python (doctor);
    check_window (doctor);
    check_debug_information (doctor);
    check_counters (doctor);
    check_folders (doctor);
    check_limits (doctor);
    check_clock (doctor);
    if (doctor->endpoints != NULL) {
        compare_clock (doctor);
    }
}

/* The launcher's number of this process on its host; NULL: no launcher started it. */
static const char *
find_local_rank (void)
{
    static const char *const names[] = { "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                         "SLURM_LOCALID", NULL };

    for (guint i = 0; names[i] != NULL; i++) {
        if (g_getenv (names[i]) != NULL) {
            return g_getenv (names[i]);
        }
    }
    return NULL;
}

/* This very program once for each rank of the user's line: each host's lines begin with its name. */
static int
run_elsewhere (char **words)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
    g_autofree char *out = NULL;
    g_autoptr (GPtrArray) argv = g_ptr_array_new ();
    g_autoptr (NetClockTeller) teller = net_clock_teller_new (g_get_host_name ());
    g_autofree char *clock = teller != NULL
                                 ? g_strconcat (CLOCK, net_clock_teller_get_endpoints (teller),
                                                NULL)
                                 : NULL;
    const char *program = launch_line_find_program ((const char *const *) words);
    int status;

    if (program != NULL) {
        base_log_say (
            "--doctor takes a launcher's line without a program: leave out %s and what "
            "follows it",
            program);
        return 2;
    }
    for (guint i = 0; words[i] != NULL; i++) {
        g_ptr_array_add (argv, words[i]);
    }
    g_ptr_array_add (argv, self);
    g_ptr_array_add (argv, "--doctor");
    if (clock != NULL) {
        g_ptr_array_add (argv, g_strdelimit (clock, " ", ','));
    }
    g_ptr_array_add (argv, NULL);
    if (!g_spawn_sync (NULL, (char **) argv->pdata, NULL,
                       G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL, &out,
                       NULL, &status, &error)) {
        base_log_say ("cannot start %s: %s", words[0], error->message);
        return 3;
    }
    fputs (out, stdout);
    if (!WIFEXITED (status) || WEXITSTATUS (status) != 0) {
        base_log_say ("%s failed; its own words are above", words[0]);
        return 3;
    }
    return strstr (out, ": bad   ") != NULL;
}

int
program_doctor_run (char **words)
{
    const char *local_rank = find_local_rank ();
    Doctor doctor = { local_rank != NULL ? g_get_host_name () : NULL, NULL, 0 };

    if (words[0] != NULL && local_rank != NULL && g_str_has_prefix (words[0], CLOCK)) {
        doctor.endpoints = g_strdelimit (words[0] + strlen (CLOCK), ",", ' ');
    } else if (words[0] != NULL) {
        return run_elsewhere (words);
    }
    if (local_rank == NULL || strcmp (local_rank, "0") == 0) {
        check_host (&doctor);
    }
    return local_rank == NULL
           && doctor.n_bad > 0; /* a launcher would complain of a failed rank */
}
