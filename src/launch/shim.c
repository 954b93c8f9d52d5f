/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shim: finds the daemon, says hello, permits tracing, and execs the program. Everything
 * that it opens is closed at exec; the program inherits only what is documented (no address
 * randomisation, an input). */
#include "launch/shim.h"
#include "launch/targets-private.h"
#include "base/error.h"
#include "job/rank-set.h"
#include "launch/below-private.h"
#include "launch/carry-private.h"
#include "launch/hand-over.h"
#include "launch/hosts-private.h"
#include "launch/reach-private.h"
#include "launch/wrappers-private.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define EXIT_REFUSED 126
#define EXIT_NO_PROGRAM 127
#define TRACE_VARIABLE "PDDT_TRACE"

typedef struct {
    const char *session; /* directory; NULL: run the program without a debugger */
    const char *input;   /* set of ranks; NULL */
    const char *trace;   /* folder to record in, percent-encoded; NULL: do not */
    const char *pmix;    /* ranks that PRRTE's line asks for, "0" when it does not say; NULL */
    gint64 size;         /* the same, -1 for NULL */
    gboolean randomise;  /* leave the addresses to the system */
    char **program;
} ShimWords;

static gboolean
read_words (int argc, char **argv, ShimWords *words)
{
    int i = 1;
    for (; i < argc && strncmp (argv[i], "--", 2) == 0; i++) {
        if (strcmp (argv[i], "--") == 0) {
            i++;
            break;
        }
        if (strcmp (argv[i], "--session") == 0 && i + 1 < argc) {
            words->session = argv[++i];
        } else if (strcmp (argv[i], "--input") == 0 && i + 1 < argc) {
            words->input = argv[++i];
        } else if (strcmp (argv[i], "--trace") == 0 && i + 1 < argc) {
            words->trace = argv[++i];
        } else if (strcmp (argv[i], "--pmix") == 0 && i + 1 < argc) {
            words->pmix = argv[++i];
        } else if (strcmp (argv[i], "--randomise") == 0) {
            words->randomise = TRUE;
        } else {
            return FALSE;
        }
    }
    words->program = argv + i;
    words->size = words->pmix ? (gint64) (g_ascii_strtoull (words->pmix, NULL, 10) & G_MAXINT32)
                              : -1;
    return i < argc;
}

/* Yama lets the named process and its descendants trace: the guard is the daemon's parent and
 * may have to restore planted bytes after the daemon died. */
static void
allow_tracing (int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.pid <= 0) {
        return;
    }
    g_autofree char *path = g_strdup_printf ("/proc/%d/stat", (int) peer.pid);
    g_autofree char *text = NULL;
    int parent = 0;
    if (g_file_get_contents (path, &text, NULL, NULL) && strrchr (text, ')')) {
        sscanf (strrchr (text, ')') + 1, " %*c %d", &parent);
    }
    prctl (PR_SET_PTRACER, (unsigned long) (parent > 1 ? parent : peer.pid), 0, 0, 0);
}

static gboolean
send_hello (int fd, LaunchRankInfo info, int input_fd)
{
    LaunchHello hello = { .version = LAUNCH_HAND_OVER_VERSION,
                          .rank = info.rank,
                          .size = info.size,
                          .local_rank = info.local_rank,
                          .has_input = input_fd >= 0 };
    char room[CMSG_SPACE (sizeof (int))] = { 0 };
    struct iovec bytes = { .iov_base = &hello, .iov_len = sizeof hello };
    struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1 };
    if (input_fd >= 0) {
        message.msg_control = room;
        message.msg_controllen = sizeof room;
        struct cmsghdr *part = CMSG_FIRSTHDR (&message);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN (sizeof input_fd);
        memcpy (CMSG_DATA (part), &input_fd, sizeof input_fd);
    }
    return sendmsg (fd, &message, MSG_NOSIGNAL) == sizeof hello;
}

/* The write end of the new standard input, or -1 if this rank keeps its launcher's. */
static int
replace_input (const char *set, guint32 rank)
{
    gboolean all = g_strcmp0 (set, "all") == 0;
    g_autoptr (JobRankSet) ranks = set && !all ? job_rank_set_parse (set, G_MAXUINT32, NULL)
                                               : NULL;
    int pipe_fds[2];
    if ((!all && (!ranks || !job_rank_set_contains (ranks, rank)))
        || pipe2 (pipe_fds, O_CLOEXEC) < 0) {
        return -1;
    }
    dup2 (pipe_fds[0], 0);
    close (pipe_fds[0]);
    return pipe_fds[1];
}

static gboolean
hand_over (const ShimWords *words, GError **error)
{
    int fd = launch_reach_daemon (words->session, error);
    if (fd < 0) {
        return FALSE;
    }
    LaunchRankInfo info;
    if (!launch_rank_info_find (g_getenv, words->size, &info)) {
        close (fd);
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                     "cannot debug rank %s: its launcher does not "
                     "say how many ranks there are; give the number with -np",
                     g_getenv ("PMIX_RANK"));
        return FALSE;
    }
    allow_tracing (fd);
    int input_fd = replace_input (words->input, info.rank);
    char answer[4096];
    gssize size = -1;
    if (send_hello (fd, info, input_fd)) {
        do {
            size = recv (fd, answer, sizeof answer - 1, 0);
        } while (size < 0 && errno == EINTR);
    }
    if (input_fd >= 0) {
        close (input_fd);
    }
    close (fd);
    if (size == 1 && answer[0] == 'G') {
        return TRUE;
    }
    answer[MAX (size, 0)] = '\0';
    g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "%s",
                 size > 0 ? answer : "cannot debug the rank: pddt's daemon has ended");
    return FALSE;
}

/* Removes what carried the key from the program's environment. */
static void
forget_key (void)
{
    const char *list = getenv (LAUNCH_KEY_LIST);
    unsetenv (LAUNCH_KEY_VARIABLE);
    if (g_strcmp0 (list, LAUNCH_KEY_VARIABLE) == 0) {
        unsetenv (LAUNCH_KEY_LIST);
    } else if (list && g_str_has_suffix (list, ";" LAUNCH_KEY_VARIABLE)) {
        g_autofree char *rest = g_strndup (list,
                                           strlen (list) - strlen (";" LAUNCH_KEY_VARIABLE));
        setenv (LAUNCH_KEY_LIST, rest, TRUE);
    }
}

/* MPI's ABI differs by library; each launcher says which one it is for. NULL: no MPI launcher. */
static const char *
choose_recorder (void)
{
    if (g_getenv ("OMPI_COMM_WORLD_RANK") != NULL
        || g_getenv ("OMPI_COMM_WORLD_SIZE") != NULL) {
        return "libpddt-mpi.so";
    }
    if (g_getenv ("PMI_RANK") != NULL) {
        return "libpddt-mpi-mpich.so";
    }
    return g_getenv ("PMIX_RANK") != NULL ? "libpddt-mpi.so" : NULL;
}

static void
preload (const char *path)
{
    const char *before = g_getenv ("LD_PRELOAD");
    g_autofree char *value = before != NULL && *before != '\0'
                                 ? g_strdup_printf ("%s:%s", path, before)
                                 : g_strdup (path);

    g_setenv ("LD_PRELOAD", value, TRUE);
}

static gboolean
can_preload (const char *path)
{
    return path != NULL && strpbrk (path, ": ") == NULL;
}

/* recorder: its name; NULL: another library. */
static const char *
get_preload_problem (const char *path, const char *recorder)
{
    if (path != NULL || recorder == NULL) {
        return path != NULL ? "its path has a space or a colon"
                            : "its library is not installed";
    }
    return strstr (recorder, "mpich") != NULL
               ? "pddt was built without MPICH; install its mpicc (libmpich-dev) and build pddt "
                 "again"
               : "pddt was built without Open MPI; install its mpicc (libopenmpi-dev) and build "
                 "pddt again";
}

/* Preloads the recorder of MPI calls before any other library; it removes itself from
 * LD_PRELOAD in MPI_Init. The job also runs without it. */
static void
preload_recorder (guint32 rank, gboolean is_traced)
{
    const char *name = choose_recorder ();
    g_autofree char *path = NULL;

    if (name == NULL || g_getenv ("PDDT_NO_RECORDER") != NULL) {
        return;
    }
    path = launch_find_recorder (name);
    if (can_preload (path)) {
        preload (path);
    } else if (rank == 0) {
        fprintf (stderr, "pddt: cannot load the recorder of MPI calls: %s; %s\n",
                 get_preload_problem (path, name),
                 is_traced
                     ? "the trace has no calls of MPI"
                     : "pddt derives message queues from stacks instead, and a profile does "
                       "not count these calls");
    }
}

static void
set_number (const char *name, guint32 number)
{
    g_autofree char *text = g_strdup_printf ("%u", number);

    g_setenv (name, text, TRUE);
}

/* As src/profile/trace-settings.c writes it. */
static gboolean
wants_native_memory (const char *folder)
{
    g_autofree char *path = g_build_filename (folder, "settings", NULL), *text = NULL;

    return g_file_get_contents (path, &text, NULL, NULL)
           && strstr (text, "\nmemory native\n") != NULL;
}

/* Behind the tracer, which looks for it there. */
static void
preload_memory (guint32 rank)
{
    g_autofree char *path = launch_find_recorder ("libpddt-memory.so");

    if (can_preload (path)) {
        preload (path);
    } else {
        fprintf (stderr, "pddt: rank %u: native memory is not recorded: %s\n", rank,
                 get_preload_problem (path, NULL));
    }
}

/* Has the rank record what it does; it also runs without that. */
static void
begin_trace (const char *escaped, const LaunchRankInfo *info)
{
    g_autofree char *folder = g_uri_unescape_string (escaped, NULL);
    g_autofree char *path = launch_find_recorder ("libpddt-trace.so");

    if (folder == NULL || access (folder, W_OK | X_OK) != 0) {
        fprintf (
            stderr,
            "pddt: rank %u is not traced: %s cannot write into %s (%s); give a folder that "
            "all hosts share with --output\n",
            info->rank, g_get_host_name (), folder != NULL ? folder : escaped,
            g_strerror (errno));
    } else if (!can_preload (path)) {
        fprintf (stderr, "pddt: rank %u is not traced: cannot load the tracer: %s\n",
                 info->rank, get_preload_problem (path, NULL));
    } else {
        g_setenv (TRACE_VARIABLE, folder, TRUE);
        set_number ("PDDT_TRACE_RANK", info->rank);
        set_number ("PDDT_TRACE_SIZE", info->size);
        set_number ("PDDT_TRACE_PID", (guint32) getpid ());
        if (wants_native_memory (folder)) {
            preload_memory (info->rank);
        }
        preload (path);
    }
}

static guint64
get_ns (clockid_t clock)
{
    struct timespec now;

    clock_gettime (clock, &now);
    return (guint64) now.tv_sec * 1000000000u + (guint64) now.tv_nsec;
}

/* A trace begins where the program does, not where this one did (agent/trace-ring.h). */
static void
note_start (void)
{
    g_autofree char *text = g_strdup_printf ("%d:%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT,
                                             (int) getpid (), get_ns (CLOCK_MONOTONIC),
                                             get_ns (CLOCK_PROCESS_CPUTIME_ID));

    g_setenv ("PDDT_TRACE_STARTED", text, TRUE);
}

/* As its launcher would: Open MPI looks for a name without a slash in PATH and then in the working
 * directory (opal_path_findv), where others look in PATH alone. It does not come back: what runs at the
 * end of main is of use to nobody here, under a tracer. */
static _Noreturn void
become_program (char **program)
{
    forget_key ();
    if (g_getenv (TRACE_VARIABLE) != NULL) {
        note_start ();
    }
    execvp (program[0], program);
    int reason = errno;
    if (reason == ENOENT && g_getenv ("OMPI_COMM_WORLD_RANK") != NULL
        && strchr (program[0], '/') == NULL) {
        g_autofree char *here = g_build_filename (".", program[0], NULL);
        execv (here, program);
    }
    fprintf (stderr, "pddt: cannot start %s: %s\n", program[0],
             reason == ENOENT ? "no such file" : g_strerror (reason));
    _exit (EXIT_NO_PROGRAM);
}

/* No rank begins here; processes of this host are handed over. The key of a session whose directory
 * this host does not see comes by standard input. */
static int
hand_over_targets (const char *session, GPtrArray *targets)
{
    g_autoptr (GError) error = NULL;
    char key[4096] = "";
    if (fgets (key, sizeof key, stdin) && *g_strstrip (key)) {
        g_setenv (LAUNCH_KEY_VARIABLE, key, TRUE);
    }
    if (targets->len > 0 && !launch_hand_over_send_targets (session, targets, &error)) {
        fprintf (stderr, "%s\n", error->message);
        return EXIT_REFUSED;
    }
    return 0;
}

/* "--attach PID:RANK:SIZE,…". */
static int
attach_processes (const char *session, const char *list)
{
    g_autoptr (GPtrArray) targets = launch_targets_new ();
    return launch_targets_parse_list (targets, list) ? hand_over_targets (session, targets) : 2;
}

/* "--attach-below NAME=VALUE RANKS": looks for them below the launcher's daemon, and says which. */
static int
attach_below (const char *session, const char *words, const char *ranks)
{
    g_autoptr (GPtrArray) targets = launch_targets_new ();
    gboolean all = strcmp (ranks, "all") == 0;
    g_autoptr (JobRankSet) wanted = all ? NULL : job_rank_set_parse (ranks, G_MAXUINT32, NULL);
    if ((!all && !wanted) || !launch_below_find_ranks (words, targets)) {
        return 2;
    }
    launch_targets_drop_doubles (targets);
    launch_targets_set_size (targets);
    for (guint i = targets->len; wanted && i-- > 0;) {
        if (!job_rank_set_contains (wanted, ((LaunchTarget *) targets->pdata[i])->rank)) {
            g_ptr_array_remove_index (targets, i);
        }
    }
    int status = hand_over_targets (session, targets);
    g_autofree char *list = launch_targets_format_list (targets);
    if (status == 0) {
        printf ("%s%s\n", LAUNCH_ATTACHED_MARK, list);
        status = fflush (stdout) == 0 ? 0 : EXIT_REFUSED;
    }
    return status;
}

/* By MPI_Comm_spawn, in a world of its own: its ranks bear the numbers of those that are debugged, and
 * whoever called it waits for them. They run as they would. */
static gboolean
is_spawned (void)
{
    return g_getenv ("OMPI_PARENT_PORT") != NULL
           || g_strcmp0 (g_getenv ("PMI_SPAWNED"), "1") == 0;
}

/* Goes behind n words that run the program as their child: that child is the rank. Returns where the first
 * of them cannot be run. */
static void
go_behind (const ShimWords *words, guint n, char *self)
{
    g_autoptr (GPtrArray) argv = g_ptr_array_new ();
    g_autofree char *path = g_file_read_link ("/proc/self/exe", NULL);
    for (guint i = 0; i < n; i++) {
        g_ptr_array_add (argv, words->program[i]);
    }
    g_ptr_array_add (argv, path ? path : self);
    g_ptr_array_add (argv, (char *) "--session");
    g_ptr_array_add (argv, (char *) words->session);
    if (words->input) {
        g_ptr_array_add (argv, (char *) "--input");
        g_ptr_array_add (argv, (char *) words->input);
    }
    if (words->randomise) {
        g_ptr_array_add (argv, (char *) "--randomise");
    }
    if (words->trace) {
        g_ptr_array_add (argv, (char *) "--trace");
        g_ptr_array_add (argv, (char *) words->trace);
    }
    if (words->pmix) {
        g_ptr_array_add (argv, (char *) "--pmix");
        g_ptr_array_add (argv, (char *) words->pmix);
    }
    g_ptr_array_add (argv, (char *) "--");
    for (guint i = n; words->program[i]; i++) {
        g_ptr_array_add (argv, words->program[i]);
    }
    g_ptr_array_add (argv, NULL);
    execvp (words->program[0], (char **) argv->pdata);
}

/* One that started in a container could not trace the ranks of the others. If this fails, the shim there says why. */
static void
start_daemon_here (const char *session)
{
    int fd = launch_reach_daemon (session, NULL);
    if (fd >= 0) {
        close (fd);
    }
}

/* The session's directory is not accessible here; its key may have arrived in another way. */
static gboolean
has_key (const char *session)
{
    g_autofree char *folder = launch_reach_find_key (session);
    return folder || g_getenv (LAUNCH_KEY_VARIABLE);
}

int
launch_shim_run (int argc, char **argv)
{
    if (argc == 5 && strcmp (argv[1], "--session") == 0 && strcmp (argv[3], "--attach") == 0) {
        return attach_processes (argv[2], argv[4]);
    }
    if (argc == 6 && strcmp (argv[1], "--session") == 0
        && strcmp (argv[3], "--attach-below") == 0) {
        return attach_below (argv[2], argv[4], argv[5]);
    }
    if (argc > 5 && strcmp (argv[1], "--agent") == 0) {
        return launch_carry_run_agent (argc, argv);
    }
    if (argc > 5 && strcmp (argv[1], "--bring") == 0) {
        return launch_carry_bring (argc, argv);
    }
    if (argc == 3 && strcmp (argv[1], "--take-key") == 0) {
        return launch_carry_take_key (argv[2]);
    }
    ShimWords words = { 0 };
    if (!read_words (argc, argv, &words)) {
        fprintf (stderr, "usage: pddt-start [--session DIRECTORY] [--input SET] [--] PROGRAM "
                         "[ARG...]\n");
        return 2;
    }
    if (!words.session || is_spawned ()
        || (access (words.session, F_OK) < 0 && !has_key (words.session))) {
        become_program (words.program); /* or the session is over: nothing to debug with */
    }
    gboolean is_container;
    guint n_before = launch_wrappers_find (words.program, &is_container);
    if (n_before > 0) {
        if (is_container) {
            start_daemon_here (words.session);
        }
        go_behind (&words, n_before, argv[0]); /* or becomes the rank itself, whose exit status
                                                  tells why */
    }
    g_autoptr (GError) error = NULL;
    if (!hand_over (&words, &error)) {
        fprintf (stderr, "pddt: %s\n", error->message);
        return EXIT_REFUSED;
    }
    int persona = personality (0xffffffff);
    if (persona >= 0 && !words.randomise) {
        personality ((unsigned long) persona | ADDR_NO_RANDOMIZE);
    }
    LaunchRankInfo info = { 0 };
    launch_rank_info_find (g_getenv, words.size, &info);
    preload_recorder (info.rank, words.trace != NULL);
    if (words.trace) {
        begin_trace (words.trace, &info);
    }
    become_program (words.program);
}
