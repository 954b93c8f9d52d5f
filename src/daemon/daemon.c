/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The daemon's loop: shims, child signals, the engine's time-outs and the link, all on one thread,
 * which is the tracer. */
#include "daemon/daemon.h"
#include "base/error.h"
#include "base/signals.h"
#include "daemon/greeting.h"
#include "engine/engine.h"
#include "net/link.h"
#include <errno.h>
#include <glib-unix.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define MAX_BACKLOG (8u << 20) /* bytes of events; lines of logpoints beyond are dropped */
#define EARLY_MS 500
#define BACKLOG_MS 100
#define N_SIGNALS                                                                              \
    8 /* that can be pending: each one once for the process and once for the thread */

struct _Daemon {
    Engine *engine;
    NetLeaf *leaf;
    DaemonGreetings *greetings;
    GMainLoop *loop;
    int listen_fd, signal_fd, guard_fd;
    guint listen_source, signal_source, answers_source, timeout, pump, idle, early;
    guint idle_ms;
    gboolean (*is_over) (gpointer user);
    gpointer over_user;
    gint64 turn_us; /* of the last turn in which the engine was served */
    char *host_directory, *symbols_socket, *queues_socket, *traps_file, *runner_path;
    gboolean over, orphaned, has_launched, has_traps, has_told;
    guint backlog; /* source: while lines are dropped; 0: none is */
    guint64 n_dropped;
    JobRankSet *dropped_ranks;
};

static void
end (Daemon *daemon)
{
    daemon->over = TRUE;
    g_main_loop_quit (daemon->loop);
}

static gboolean
on_idle_too_long (gpointer user)
{
    Daemon *daemon = user;
    daemon->idle = 0;
    if (engine_get_n_ranks (daemon->engine) == 0) {
        g_message ("no rank on this host: exiting");
        end (daemon);
    }
    return G_SOURCE_REMOVE;
}

/* The idle timer runs while no rank is alive. */
static void
watch_idleness (Daemon *daemon)
{
    gboolean idle = engine_get_n_ranks (daemon->engine) == 0;
    if (!idle) {
        g_clear_handle_id (&daemon->idle, g_source_remove);
    } else if (daemon->idle == 0) {
        daemon->idle = g_timeout_add (daemon->idle_ms, on_idle_too_long, daemon);
    }
}

static void take_turn (Daemon *daemon);

static gboolean
on_timeout (gpointer user)
{
    Daemon *daemon = user;
    daemon->timeout = 0;
    take_turn (daemon);
    return G_SOURCE_REMOVE;
}

static gboolean
on_pump (gpointer user)
{
    Daemon *daemon = user;
    daemon->pump = 0;
    take_turn (daemon);
    return G_SOURCE_REMOVE;
}

static void
serve_soon (Daemon *daemon)
{
    if (daemon->pump == 0) {
        daemon->pump = g_idle_add_full (G_PRIORITY_DEFAULT, on_pump, daemon, NULL);
    }
}

/* One run of the engine; further work runs from a source, so that the link is served in
 * between. */
static void
serve (Daemon *daemon)
{
    gboolean more = engine_pump (daemon->engine);
    int timeout_ms = engine_get_timeout_ms (daemon->engine);
    g_clear_handle_id (&daemon->timeout, g_source_remove);
    if (more) {
        serve_soon (daemon);
    } else if (timeout_ms >= 0) {
        daemon->timeout = g_timeout_add ((guint) timeout_ms, on_timeout, daemon);
    }
    watch_idleness (daemon);
}

/* The engine has its part of a turn of the loop once, however many sources are ready in it. */
static void
take_turn (Daemon *daemon)
{
    gint64 turn_us = g_source_get_time (g_main_current_source ());
    if (turn_us == daemon->turn_us) {
        serve_soon (daemon);
        return;
    }
    daemon->turn_us = turn_us;
    serve (daemon);
}

/* Read once, not until it is empty: with many ranks the next stop is there before this one is dealt with, and the
 * link and the shims wait meanwhile. */
static gboolean
on_signal (int fd, GIOCondition condition, gpointer user)
{
    Daemon *daemon = user;
    struct signalfd_siginfo infos[N_SIGNALS];
    gssize size = read (fd, infos, sizeof infos);
    for (gsize i = 0; size > 0 && i < (gsize) size / sizeof *infos; i++) {
        if (infos[i].ssi_signo != SIGCHLD) {
            g_message ("asked to end by signal %u", infos[i].ssi_signo);
            end (daemon);
            return G_SOURCE_CONTINUE;
        }
    }
    take_turn (daemon);
    return G_SOURCE_CONTINUE;
}

static gboolean
on_answer (int fd, GIOCondition condition, gpointer user)
{
    take_turn (user);
    return G_SOURCE_CONTINUE;
}

/* Tell the front end first, because the refused shim ends the job. The set is empty: the rank
 * has no slot. */
static void
refuse (Daemon *daemon, int fd, guint32 rank, const GError *error)
{
    g_autofree char *text = g_strdup_printf ("cannot debug rank %u: %s", rank, error->message);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_FAILURE, 0, NULL);
    event->code = error->code;
    event->text = g_strdup (text);
    g_warning ("%s", text);
    net_leaf_send (daemon->leaf, event);
    net_leaf_flush (daemon->leaf);
    launch_hand_over_answer (fd, text);
}

/* Answer before doing it: the results are events. */
static void
attach (Daemon *daemon, int fd, const GPtrArray *targets)
{
    g_autoptr (GPtrArray) cores = g_ptr_array_new ();
    g_autoptr (GArray) infos = g_array_new (FALSE, TRUE, sizeof (EngineRankInfo));
    launch_hand_over_answer (fd, NULL);
    for (guint i = 0; i < targets->len; i++) {
        const LaunchTarget *target = targets->pdata[i];
        EngineRankInfo info = { .pid = target->pid,
                                .rank = target->rank,
                                .size = target->size,
                                .local_rank = i,
                                .input_fd = -1 };
        if (target->core) {
            g_ptr_array_add (cores, target->core);
        } else {
            g_array_append_val (infos, info);
        }
    }
    g_ptr_array_add (cores, NULL);
    engine_attach (daemon->engine, (const EngineRankInfo *) (gpointer) infos->data, infos->len);
    engine_open_cores (daemon->engine, (const char *const *) cores->pdata);
    take_turn (daemon);
}

/* Once, with the first rank. */
static void
tell_no_table (Daemon *daemon, guint32 slot)
{
    if (daemon->has_traps || daemon->has_told) {
        return;
    }
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (slot, slot + 1);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_NOTICE, 0, ranks);
    job_event_say (event, job_text_new ("host %s has no space for %s: if pddt's daemon is "
                                        "killed there, breakpoints stay in the ranks",
                                        g_get_host_name (), daemon->traps_file));
    daemon->has_told = TRUE;
    net_leaf_send (daemon->leaf, event);
}

static void
on_greeted (int fd, pid_t pid, const LaunchHello *hello, int input_fd, GPtrArray *targets,
            gpointer user)
{
    Daemon *daemon = user;
    g_autoptr (GError) error = NULL;
    if (targets) {
        attach (daemon, fd, targets);
        return;
    }
    EngineRankInfo info = { .pid = pid,
                            .rank = hello->rank,
                            .size = hello->size,
                            .local_rank = hello->local_rank,
                            .launched = TRUE,
                            .input_fd = input_fd };
    guint32 slot;
    if (engine_adopt (daemon->engine, &info, &slot, &error)) {
        daemon->has_launched = TRUE;
        launch_hand_over_note_launcher (daemon->host_directory, pid);
        g_message ("rank %u is process %d, slot %u", hello->rank, (int) pid, slot);
        tell_no_table (daemon, slot);
        launch_hand_over_answer (fd, NULL);
    } else {
        refuse (daemon, fd, hello->rank, error);
    }
    take_turn (daemon);
}

static gboolean
on_shim (int listen_fd, GIOCondition condition, gpointer user)
{
    Daemon *daemon = user;
    daemon_greetings_accept (daemon->greetings, listen_fd);
    return G_SOURCE_CONTINUE;
}

/* ---- what the front end does not take ---- */

static void
tell_dropped (Daemon *daemon)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_NOTICE, 0, daemon->dropped_ranks);
    guint n = (guint) MIN (daemon->n_dropped, G_MAXUINT);
    job_event_say (event,
                   job_text_new_plural ("%u line of logpoints on host %s is missing: it came "
                                        "faster than pddt could take it",
                                        "%u lines of logpoints on host %s are missing: they "
                                        "came faster than pddt could take them",
                                        n, n, g_get_host_name ()));
    g_message ("%s", event->text);
    net_leaf_send (daemon->leaf, event);
    daemon->n_dropped = 0;
    job_rank_set_clear (daemon->dropped_ranks);
}

static gboolean
on_backlog (gpointer user)
{
    Daemon *daemon = user;
    if (net_leaf_get_backlog (daemon->leaf) > MAX_BACKLOG / 2) {
        return G_SOURCE_CONTINUE;
    }
    daemon->backlog = 0;
    tell_dropped (daemon);
    return G_SOURCE_REMOVE;
}

/* All that the engine says is news that the front end must have, but for the lines of logpoints: a program makes
 * as many as it likes. While the front end stands still they are counted; once it has taken what is under way it
 * is told how many are missing, and gets the next ones. */
static gboolean
is_dropped (Daemon *daemon, const JobEvent *event)
{
    if (event->kind != JOB_EVENT_LOG
        || (daemon->backlog == 0 && net_leaf_get_backlog (daemon->leaf) < MAX_BACKLOG)) {
        return FALSE;
    }
    daemon->n_dropped += job_rank_set_get_count (event->ranks);
    g_autoptr (JobRankSet) before = daemon->dropped_ranks;
    daemon->dropped_ranks = job_rank_set_union (before, event->ranks);
    if (daemon->backlog == 0) {
        daemon->backlog = g_timeout_add (BACKLOG_MS, on_backlog, daemon);
    }
    return TRUE;
}

static void
on_event (const JobEvent *event, gpointer user)
{
    Daemon *daemon = user;
    if (daemon->leaf && !is_dropped (daemon, event)) {
        net_leaf_send (daemon->leaf, event);
    }
}

static void
on_welcome (NetLeaf *leaf, guint32 slot_base, gpointer user)
{
    Daemon *daemon = user;
    g_clear_handle_id (&daemon->early, g_source_remove);
    launch_hand_over_give_link (daemon->guard_fd, net_leaf_get_fd (leaf));
    if (daemon->guard_fd >= 0) {
        close (daemon->guard_fd);
        daemon->guard_fd = -1;
    }
}

static void
on_request (NetLeaf *leaf, const JobRequest *request, gpointer user)
{
    Daemon *daemon = user;
    engine_handle (daemon->engine, request);
    take_turn (daemon);
}

static void
on_end (NetLeaf *leaf, gpointer user)
{
    g_message ("the session is over");
    end (user);
}

static void
on_lost (NetLeaf *leaf, gboolean closed, gpointer user)
{
    Daemon *daemon = user;
    g_message ("the front end %s", closed ? "is gone" : "has been silent for too long");
    daemon->orphaned = !daemon->has_launched;
    end (daemon);
}

/* Before the link is up nothing else says that the front end has ended, and ranks may stand. */
static gboolean
on_early (gpointer user)
{
    Daemon *daemon = user;
    if (!daemon->is_over (daemon->over_user)) {
        return G_SOURCE_CONTINUE;
    }
    daemon->early = 0;
    on_lost (daemon->leaf, TRUE, daemon);
    return G_SOURCE_REMOVE;
}

static gboolean
open_link (Daemon *daemon, const DaemonOptions *options, GError **error)
{
    static const NetLeafHandler handler = { on_welcome, on_request, on_end, on_lost };
    const NetLeafKeys keys = { options->server_key, options->public_key, options->secret_key };
    daemon->leaf = net_leaf_new (options->endpoint, options->session_id, options->host, &keys,
                                 &handler, daemon, error);
    return daemon->leaf != NULL;
}

static void
make_engine (Daemon *daemon, const DaemonOptions *options)
{
    daemon->symbols_socket = g_build_filename (options->host_directory, "symbols", NULL);
    daemon->queues_socket = g_build_filename (options->host_directory, "queues", NULL);
    daemon->traps_file = g_build_filename (options->host_directory, "traps", NULL);
    daemon->runner_path = g_strdup (options->runner_path);
    gboolean has_symbols = access (daemon->symbols_socket, F_OK) == 0;
    daemon->has_traps = access (daemon->traps_file, F_OK) == 0;
    gboolean has_queues = access (daemon->queues_socket, F_OK) == 0;
    EngineOptions engine = { .symbols_socket = has_symbols ? daemon->symbols_socket : NULL,
                             .queues_socket = has_queues ? daemon->queues_socket : NULL,
                             .traps_file = daemon->has_traps ? daemon->traps_file : NULL,
                             .runner_path = daemon->runner_path,
                             .emit = on_event,
                             .user = daemon };
    daemon->engine = engine_new (&engine);
}

Daemon *
daemon_new (const DaemonOptions *options, GError **error)
{
    Daemon *daemon = g_new0 (Daemon, 1);
    daemon->loop = g_main_loop_new (NULL, FALSE);
    daemon->dropped_ranks = job_rank_set_new ();
    daemon->idle_ms = options->idle_ms;
    daemon->host_directory = g_strdup (options->host_directory);
    daemon->guard_fd = options->guard_fd;
    daemon->listen_fd = -1;
    daemon->signal_fd = base_signals_open (NULL);
    if (daemon->signal_fd < 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot wait for signals: %s",
                     g_strerror (errno));
        daemon_free (daemon);
        return NULL;
    }
    make_engine (daemon, options);
    daemon->listen_fd = launch_hand_over_listen (options->host_directory, error);
    if (daemon->listen_fd < 0 || !open_link (daemon, options, error)) {
        daemon_free (daemon);
        return NULL;
    }
    /* No source goes before another one: while ranks stop without end, the others must have their turn. */
    daemon->signal_source = g_unix_fd_add (daemon->signal_fd, G_IO_IN, on_signal, daemon);
    /* GLib else takes its file out of the poll while it is handled, and wakes itself up for that: four system calls for each
     * stop. Nothing runs the loop from within it. */
    g_source_set_can_recurse (g_main_context_find_source_by_id (NULL, daemon->signal_source),
                              TRUE);
    daemon->greetings = daemon_greetings_new (on_greeted, daemon);
    daemon->listen_source = g_unix_fd_add (daemon->listen_fd, G_IO_IN, on_shim, daemon);
    if (daemon->engine) {
        if (engine_get_answers_fd (daemon->engine) >= 0) {
            daemon->answers_source = g_unix_fd_add (engine_get_answers_fd (daemon->engine),
                                                    G_IO_IN, on_answer, daemon);
        }
        watch_idleness (daemon);
    }
    if (options->is_over) {
        daemon->is_over = options->is_over;
        daemon->over_user = options->user;
        daemon->early = g_timeout_add (EARLY_MS, on_early, daemon);
    }
    return daemon;
}

int
daemon_run (Daemon *daemon)
{
    if (!daemon->over) {
        g_main_loop_run (daemon->loop);
    }
    if (daemon->engine) {
        engine_abandon (daemon->engine);
    }
    return 0;
}

gboolean
daemon_is_orphaned (const Daemon *daemon)
{
    return daemon->orphaned;
}

void
daemon_free (Daemon *daemon)
{
    if (!daemon) {
        return;
    }
    g_clear_handle_id (&daemon->listen_source, g_source_remove);
    daemon_greetings_free (daemon->greetings);
    g_clear_handle_id (&daemon->answers_source, g_source_remove);
    g_clear_handle_id (&daemon->signal_source, g_source_remove);
    g_clear_handle_id (&daemon->timeout, g_source_remove);
    g_clear_handle_id (&daemon->pump, g_source_remove);
    g_clear_handle_id (&daemon->idle, g_source_remove);
    g_clear_handle_id (&daemon->early, g_source_remove);
    if (daemon->backlog != 0) {
        g_clear_handle_id (&daemon->backlog, g_source_remove);
        tell_dropped (daemon);
    }
    if (daemon->listen_fd >= 0) {
        close (daemon->listen_fd);
    }
    if (daemon->engine) {
        engine_free (daemon->engine);
    }
    net_leaf_free (daemon->leaf);
    if (daemon->signal_fd > 0) {
        close (daemon->signal_fd);
    }
    g_main_loop_unref (daemon->loop);
    g_free (daemon->host_directory);
    g_free (daemon->symbols_socket);
    g_free (daemon->queues_socket);
    g_free (daemon->traps_file);
    g_free (daemon->runner_path);
    job_rank_set_free (daemon->dropped_ranks);
    g_free (daemon);
}
