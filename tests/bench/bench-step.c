/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench-step STEPS over|in [--remote HOST PDDT] COMMAND…: a real console window on a real job, whose ranks take steps.
 * From the key's action to what the user sees: all ranks have arrived, the merged stack is filled, the values are, and the
 * display has drawn the frame that shows both. Looks from inside, so that looking costs nothing.
 * The first steps do not count: a program imports then.
 * BENCH_BEGIN, the real time in microseconds at which the user has begun, and BENCH_BYTES, which had crossed this network
 * by then: it also says when the first screen was whole, and what crossed for it, for a step, at rest, and for scrolling. */
#include <gtk/gtk.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gui/application.h"
#include "gui/kit/settings.h"
#include "gui/kit/theme.h"
#include "session/remote.h"
#include "session/session.h"

enum { MAX_STEPS = 200, MAX_RANKS = 64, N_WARM = 4, REST_MS = 400, LIMIT_MS = 90000 };
enum { QUIET_MS = 4000, N_SCROLLS = 5, SCROLL_MS = QUIET_MS / N_SCROLLS };
enum { ARRIVED, STACK, VALUES, DRAWN, N_TIMES };

typedef struct {
    Session *session;
    const char *action;
    GtkWidget *window;
    gint64 begin_us; /* of the step; 0: none is under way */
    gint64 at[N_TIMES];
    double taken_ms[N_TIMES][MAX_STEPS];
    guint64 stops[MAX_RANKS]; /* numbers of the ranks' stops before the step */
    guint n_warm, n_steps, n_wanted, n_scrolls;
    gint64
        started_us; /* when the user has begun to wait for the first screen; 0: nobody measures that */
    const SessionOptions *options;
    double there_s, ready_s; /* after it: on the job's host; all ranks have reported */
    guint64 began_bytes, rest_bytes;
    double crossed_kb[MAX_STEPS];
} Bench;

/* All that has crossed this network's cables, both ways, with its headers. */
static guint64
count_bytes (void)
{
    g_autofree char *text = NULL;
    g_auto (GStrv) lines = NULL;
    guint64 sum = 0;

    g_file_get_contents ("/proc/self/net/dev", &text, NULL, NULL);
    lines = g_strsplit (text != NULL ? text : "", "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++) {
        const char *colon = strchr (lines[i], ':');
        guint64 in, out;

        if (colon != NULL && strstr (lines[i], "lo:") == NULL
            && sscanf (colon + 1,
                       "%" G_GUINT64_FORMAT " %*u %*u %*u %*u %*u %*u %*u %" G_GUINT64_FORMAT,
                       &in, &out)
                   == 2) {
            sum += in + out;
        }
    }
    return sum;
}

static void
find_widget (GtkWidget *widget, gpointer user)
{
    gpointer *wanted = user;

    if (g_strcmp0 (atk_object_get_accessible_id (gtk_widget_get_accessible (widget)), wanted[0])
        == 0) {
        wanted[1] = widget;
    } else if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), find_widget, user);
    }
}

static gpointer
find (Bench *bench, const char *id)
{
    gpointer wanted[] = { (gpointer) id, NULL };

    find_widget (bench->window, wanted);
    return wanted[1];
}

static GtkTreeModel *
find_model (Bench *bench, const char *id)
{
    gpointer view = find (bench, id);

    g_assert (GTK_IS_TREE_VIEW (view));
    return gtk_tree_view_get_model (view);
}

static gboolean
are_all_stopped (Bench *bench)
{
    const guint32 *counts = session_get_counts (bench->session);

    return counts[JOB_STATE_STOPPED] + counts[JOB_STATE_BREAKPOINT]
               == session_get_size (bench->session)
           && session_get_size (bench->session) > 0;
}

static void
note (Bench *bench, guint what)
{
    if (bench->begin_us != 0 && bench->at[what] == 0) {
        bench->at[what] = g_get_monotonic_time ();
    }
}

static gboolean
have_all_moved (Bench *bench)
{
    for (guint32 i = 0; i < MIN (session_get_size (bench->session), MAX_RANKS); i++) {
        if (session_get_rank (bench->session, i).stop <= bench->stops[i]) {
            return FALSE;
        }
    }
    return bench->begin_us != 0;
}

/* Also before the session's signal says so, which waits for more to say. */
static gboolean
have_all_arrived (Bench *bench)
{
    return have_all_moved (bench) && are_all_stopped (bench);
}

static void
on_states (Bench *bench)
{
    if (have_all_arrived (bench)) {
        note (bench, ARRIVED);
    }
}

/* Of the values before the step, or of some ranks alone, is no answer. */
static void
on_stack_row (Bench *bench)
{
    if (have_all_arrived (bench)) {
        note (bench, ARRIVED);
        note (bench, STACK);
    }
}

/* Over --remote they come with the stops, while the states are still being counted. */
static void
on_value_row (Bench *bench)
{
    if (have_all_moved (bench)) {
        note (bench, VALUES);
    }
}

static int
compare (const void *left, const void *right)
{
    double difference = *(const double *) left - *(const double *) right;

    return (difference > 0) - (difference < 0);
}

static void
end (Bench *bench)
{
    session_end (bench->session);
    gtk_widget_destroy (bench->window);
}

static gboolean
scroll (gpointer user)
{
    Bench *bench = user;
    GtkAdjustment *place
        = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (find (bench, "source")));

    if (bench->n_scrolls == N_SCROLLS) {
        printf ("; %u scrolls of the source %.1f kB in as long\n", N_SCROLLS,
                (double) (count_bytes () - bench->rest_bytes) / 1000);
        fflush (stdout);
        end (bench);
        return G_SOURCE_REMOVE;
    }
    bench->n_scrolls++;
    gtk_adjustment_set_value (place, gtk_adjustment_get_value (place)
                                         + gtk_adjustment_get_page_increment (place));
    return G_SOURCE_CONTINUE;
}

static gboolean
note_quiet (gpointer user)
{
    Bench *bench = user;

    printf ("at rest: %.1f kB in %u s", (double) (count_bytes () - bench->rest_bytes) / 1000,
            QUIET_MS / 1000);
    bench->rest_bytes = count_bytes ();
    g_timeout_add (SCROLL_MS, scroll, bench);
    return G_SOURCE_REMOVE;
}

static void
finish (Bench *bench)
{
    static const char *const names[] = { "all ranks there", "stack", "values", "drawn" };

    printf ("%u steps (%s) of %u ranks, ms after the key:", bench->n_steps, bench->action,
            session_get_size (bench->session));
    for (guint i = 0; i < N_TIMES; i++) {
        qsort (bench->taken_ms[i], bench->n_steps, sizeof (double), compare);
        printf (" %s %.0f (%.0f to %.0f)%s", names[i], bench->taken_ms[i][bench->n_steps / 2],
                bench->taken_ms[i][0], bench->taken_ms[i][bench->n_steps - 1],
                i + 1 < N_TIMES ? "," : "\n");
    }
    if (bench->started_us != 0) {
        qsort (bench->crossed_kb, bench->n_steps, sizeof (double), compare);
        printf ("a step crosses with %.1f kB (%.1f to %.1f)\n",
                bench->crossed_kb[bench->n_steps / 2], bench->crossed_kb[0],
                bench->crossed_kb[bench->n_steps - 1]);
        bench->rest_bytes = count_bytes ();
        g_timeout_add (QUIET_MS, note_quiet, bench);
    } else {
        end (bench);
    }
    fflush (stdout);
}

/* Until the next one may begin. */
static void
note_crossed (Bench *bench)
{
    if (bench->n_steps > 0) {
        bench->crossed_kb[bench->n_steps - 1] = (double) (count_bytes () - bench->began_bytes)
                                                / 1000;
    }
}

static gboolean
begin_step (gpointer user)
{
    Bench *bench = user;

    note_crossed (bench);
    if (bench->n_steps == bench->n_wanted) {
        finish (bench);
        return G_SOURCE_REMOVE;
    }
    bench->began_bytes = count_bytes ();
    memset (bench->at, 0, sizeof bench->at);
    for (guint32 i = 0; i < MIN (session_get_size (bench->session), MAX_RANKS); i++) {
        bench->stops[i] = session_get_rank (bench->session, i).stop;
    }
    bench->begin_us = g_get_monotonic_time ();
    g_action_group_activate_action (G_ACTION_GROUP (bench->window), bench->action, NULL);
    return G_SOURCE_REMOVE;
}

static void
on_painted (Bench *bench)
{
    if (bench->begin_us == 0 || bench->at[STACK] == 0 || bench->at[VALUES] == 0) {
        return;
    }
    gdk_display_sync (gdk_display_get_default ()); /* it may be far away */
    note (bench, DRAWN);
    for (guint i = 0; i < N_TIMES; i++) {
        bench->taken_ms[i][bench->n_steps] = (double) (bench->at[i] - bench->begin_us) / 1000;
    }
    bench->begin_us = 0;
    bench->n_warm -= bench->n_warm > 0 ? 1 : 0;
    bench->n_steps += bench->n_warm == 0 ? 1 : 0;
    g_timeout_add (REST_MS, begin_step, bench);
}

static gboolean
has_rows (Bench *bench, const char *id)
{
    return gtk_tree_model_iter_n_children (find_model (bench, id), NULL) > 0;
}

/* All panes have what they show. Where nobody waits for the first screen the program may have no variables yet. */
static gboolean
is_whole (Bench *bench)
{
    gpointer source = find (bench, "source"); /* NULL: nothing is selected yet */

    return source != NULL
           && gtk_text_buffer_get_char_count (gtk_text_view_get_buffer (source)) > 0
           && has_rows (bench, "stack")
           && (bench->started_us == 0 || has_rows (bench, "locals"));
}

static double
seconds_since (const Bench *bench)
{
    return (double) (g_get_real_time () - bench->started_us) / G_USEC_PER_SEC;
}

static void
on_ready (Bench *bench)
{
    bench->ready_s = seconds_since (bench);
}

static void
on_first_painted (Bench *bench)
{
    GdkFrameClock *clock = gtk_widget_get_frame_clock (bench->window);

    if (!session_is_ready (bench->session) || !are_all_stopped (bench) || !is_whole (bench)) {
        return;
    }
    gdk_display_sync (gdk_display_get_default ());
    if (bench->started_us != 0) {
        printf ("first screen: %.2f s (there after %.2f, ranks %.2f), %.1f kB\n",
                seconds_since (bench), bench->there_s, bench->ready_s,
                (double) (count_bytes () - bench->began_bytes) / 1000);
        fflush (stdout);
    }
    g_signal_handlers_disconnect_by_func (clock, on_first_painted, bench);
    g_signal_connect_swapped (clock, "after-paint", G_CALLBACK (on_painted), bench);
    g_timeout_add (3 * REST_MS, begin_step, bench);
}

static gboolean
on_there (gpointer user)
{
    Bench *bench = user;
    g_autoptr (GList) windows = gtk_window_list_toplevels ();

    for (GList *link = windows; link != NULL; link = link->next) {
        if (gtk_widget_get_mapped (link->data) && G_IS_ACTION_GROUP (link->data)) {
            bench->window = link->data;
        }
    }
    if (bench->window == NULL) {
        return G_SOURCE_CONTINUE;
    }
    g_signal_connect_swapped (bench->session, "states-changed", G_CALLBACK (on_states), bench);
    g_signal_connect_swapped (bench->session, "progress", G_CALLBACK (on_states), bench);
    g_signal_connect_swapped (find_model (bench, "stack"), "row-inserted",
                              G_CALLBACK (on_stack_row), bench);
    g_signal_connect_swapped (find_model (bench, "locals"), "row-inserted",
                              G_CALLBACK (on_value_row), bench);
    g_signal_connect_swapped (gtk_widget_get_frame_clock (bench->window), "after-paint",
                              G_CALLBACK (on_first_painted), bench);
    gtk_widget_queue_draw (bench->window);
    return G_SOURCE_REMOVE;
}

static gboolean
on_late (gpointer user)
{
    const Bench *bench = user;

    fprintf (stderr, "bench-step: step %u has not ended; arrived %d, stack %d, values %d\n",
             bench->n_steps, bench->at[ARRIVED] != 0, bench->at[STACK] != 0,
             bench->at[VALUES] != 0);
    session_end (bench->session);
    exit (1);
}

static gboolean
wait_for_host (const char *host, guint waited_ms)
{
    gui_application_make_window ();
    return TRUE;
}

static gboolean
start (Session *session, gpointer user)
{
    Bench *bench = user;
    g_autoptr (GError) error = NULL;

    if (!session_start (session, bench->options, &error)) {
        fprintf (stderr, "bench-step: %s\n", error->message);
        return FALSE;
    }
    bench->there_s = seconds_since (bench);
    return TRUE;
}

int
main (int argc, char **argv)
{
    Bench bench = { .n_warm = N_WARM,
                    .n_wanted = argc > 1 ? (guint) MIN (atoi (argv[1]), MAX_STEPS) : 0 };
    gboolean is_remote = argc > 6 && strcmp (argv[3], "--remote") == 0;
    SessionOptions options = { .argv = (const char *const *) argv + (is_remote ? 6 : 3),
                               .timeout_s = 60 };
    const SessionRemoteOptions remote = { .host = argc > 6 ? argv[4] : NULL,
                                          .program = argc > 6 ? argv[5] : NULL,
                                          .release = BENCH_RELEASE,
                                          .keep_for_s = 60,
                                          .wait = wait_for_host,
                                          .starts_at_once = TRUE };
    const char *begin = g_getenv ("BENCH_BEGIN"), *bytes = g_getenv ("BENCH_BYTES");
    g_autoptr (GError) error = NULL;
    int status;

    if (argc < 4 || bench.n_wanted == 0) {
        fprintf (stderr, "bench-step STEPS over|in [--remote HOST PDDT] COMMAND [ARG…]\n");
        return 2;
    }
    bench.action = strcmp (argv[2], "in") == 0 ? "step-in" : "step-over";
    setlocale (LC_ALL, "");
    setlocale (LC_NUMERIC, "C");
    if (is_remote && !session_remote_begin (&remote, &error)) {
        fprintf (stderr, "bench-step: %s\n", error->message);
        return 1;
    }
    gui_settings_init ();
    if (!gui_theme_open_display ()) {
        return 77;
    }
    bench.started_us = begin != NULL ? g_ascii_strtoll (begin, NULL, 10) : 0;
    bench.began_bytes = bytes != NULL ? g_ascii_strtoull (bytes, NULL, 10) : 0;
    if (is_remote) {
        session_remote_connect (&remote, NULL);
    }
    bench.session = session_new ();
    g_signal_connect_swapped (bench.session, "ready", G_CALLBACK (on_ready), &bench);
    bench.options = &options;
    g_timeout_add (5, on_there, &bench);
    g_timeout_add (LIMIT_MS, on_late, &bench);
    if (!is_remote && !start (bench.session, &bench)) {
        return 1;
    }
    status = is_remote ? gui_application_run_started (bench.session, start, &bench)
                       : gui_application_run (bench.session, NULL, NULL);
    session_remote_disconnect ();
    return status;
}
