/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench-step STEPS over|in COMMAND…: a real console window on a real job, whose ranks take steps. From the key's action
 * to what the user sees: all ranks have arrived, the merged stack is filled, the values are, and the frame that shows
 * both is drawn. Looks from inside, so that looking costs nothing.
 * The first steps do not count: a program imports then. */
#include <gtk/gtk.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gui/application.h"
#include "gui/kit/settings.h"
#include "gui/kit/theme.h"
#include "session/session.h"

enum { MAX_STEPS = 200, MAX_RANKS = 64, N_WARM = 4, REST_MS = 400, LIMIT_MS = 90000 };
enum { ARRIVED, STACK, VALUES, DRAWN, N_TIMES };

typedef struct {
    Session *session;
    const char *action;
    GtkWidget *window;
    gint64 begin_us; /* of the step; 0: none is under way */
    gint64 at[N_TIMES];
    double taken_ms[N_TIMES][MAX_STEPS];
    guint64 stops[MAX_RANKS]; /* numbers of the ranks' stops before the step */
    guint n_warm, n_steps, n_wanted;
} Bench;

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

static GtkTreeModel *
find_model (Bench *bench, const char *id)
{
    gpointer wanted[] = { (gpointer) id, NULL };

    find_widget (bench->window, wanted);
    g_assert (GTK_IS_TREE_VIEW (wanted[1]));
    return gtk_tree_view_get_model (wanted[1]);
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

/* Also before the session's signal says so, which waits for more to say. */
static gboolean
have_all_arrived (Bench *bench)
{
    for (guint32 i = 0; i < MIN (session_get_size (bench->session), MAX_RANKS); i++) {
        if (session_get_rank (bench->session, i).stop <= bench->stops[i]) {
            return FALSE;
        }
    }
    return bench->begin_us != 0 && are_all_stopped (bench);
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

static void
on_value_row (Bench *bench)
{
    if (have_all_arrived (bench)) {
        note (bench, ARRIVED);
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
    fflush (stdout);
    session_end (bench->session);
    gtk_widget_destroy (bench->window);
}

static gboolean
begin_step (gpointer user)
{
    Bench *bench = user;

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
    note (bench, DRAWN);
    for (guint i = 0; i < N_TIMES; i++) {
        bench->taken_ms[i][bench->n_steps] = (double) (bench->at[i] - bench->begin_us) / 1000;
    }
    bench->begin_us = 0;
    bench->n_warm -= bench->n_warm > 0 ? 1 : 0;
    bench->n_steps += bench->n_warm == 0 ? 1 : 0;
    if (bench->n_steps == bench->n_wanted) {
        finish (bench);
    } else {
        g_timeout_add (REST_MS, begin_step, bench);
    }
}

static gboolean
on_there (gpointer user)
{
    Bench *bench = user;
    g_autoptr (GList) windows = gtk_window_list_toplevels ();

    if (!session_is_ready (bench->session) || !are_all_stopped (bench)) {
        return G_SOURCE_CONTINUE;
    }
    for (GList *link = windows; link != NULL; link = link->next) {
        if (gtk_widget_get_mapped (link->data) && G_IS_ACTION_GROUP (link->data)) {
            bench->window = link->data;
        }
    }
    g_signal_connect_swapped (bench->session, "states-changed", G_CALLBACK (on_states), bench);
    g_signal_connect_swapped (bench->session, "progress", G_CALLBACK (on_states), bench);
    g_signal_connect_swapped (find_model (bench, "stack"), "row-inserted",
                              G_CALLBACK (on_stack_row), bench);
    g_signal_connect_swapped (find_model (bench, "locals"), "row-inserted",
                              G_CALLBACK (on_value_row), bench);
    g_signal_connect_swapped (gtk_widget_get_frame_clock (bench->window), "after-paint",
                              G_CALLBACK (on_painted), bench);
    g_timeout_add (3 * REST_MS, begin_step, bench);
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

int
main (int argc, char **argv)
{
    Bench bench = { .n_warm = N_WARM,
                    .n_wanted = argc > 1 ? (guint) MIN (atoi (argv[1]), MAX_STEPS) : 0 };
    SessionOptions options = { .argv = (const char *const *) argv + 3, .timeout_s = 60 };
    g_autoptr (GError) error = NULL;

    if (argc < 4 || bench.n_wanted == 0) {
        fprintf (stderr, "bench-step STEPS over|in COMMAND [ARG…]\n");
        return 2;
    }
    bench.action = strcmp (argv[2], "in") == 0 ? "step-in" : "step-over";
    setlocale (LC_ALL, "");
    setlocale (LC_NUMERIC, "C");
    gui_settings_init ();
    if (!gui_theme_open_display ()) {
        return 77;
    }
    bench.session = session_new ();
    if (!session_start (bench.session, &options, &error)) {
        fprintf (stderr, "bench-step: %s\n", error->message);
        return 1;
    }
    g_timeout_add (100, on_there, &bench);
    g_timeout_add (LIMIT_MS, on_late, &bench);
    return gui_application_run (bench.session, NULL, NULL);
}
