/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench-window RANKS EVENTS-A-SECOND | bench-window list RANKS EVENTS-A-SECOND | bench-window cost
 * RANKS EVENTS-A-SECOND | bench-window source LINES: a real console window that events of single
 * ranks pour into; how late the main loop runs, what it takes of a processor, and how much memory.
 * The peer is what one would write first: a GtkListStore with a row for each rank, changed with
 * each event. `cost` is for a machine that others use too: the events of a second frame by frame,
 * and what they take of the main thread, whenever it gets it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "gui/application.h"
#include "gui/kit/settings.h"
#include "gui/kit/theme.h"
#include "gui/source/source-view.h"

enum { SECONDS = 4, PULSE_MS = 4, KEY_MS = 37, SLICE_US = 4000, FRAMES = 60 };

typedef struct {
    Session *session;
    GtkListStore *store;
    GtkTreeIter *rows;
    guint32 n_ranks, rate;
    guint64 n_events, seed;
    gint64 begin_us, pulse_us, worst_us, sum_us;
    gint64 pulse_cpu_us, worst_cpu_us;
    double begin_cpu_s;
    gint64 intake_us;
    guint n_pulses, n_frames;
    /* as of a packet's list, which knows what is next */
    JobEvent *coming[SESSION_EXPECT_AHEAD];
    GtkWidget *entry; /* keys are typed into it */
    gint64 key_us, worst_key_us, key_cpu_us, worst_key_cpu_us;
    guint key_frame, worst_key_frames, n_keys;
    guint16 typed; /* length of the text when the key was pressed */
} Bench;

/* Of this thread: what it takes between two pulses is what the loop is late by where nobody else
 * wants the processor. */
static gint64
get_thread_us (void)
{
    struct timespec now;

    clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
    return (gint64) now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

static double
get_cpu_s (void)
{
    struct rusage usage;

    getrusage (RUSAGE_SELF, &usage);
    return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
           + (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static double
get_resident_mb (void)
{
    g_autofree char *text = NULL;

    g_file_get_contents ("/proc/self/statm", &text, NULL, NULL);
    return text != NULL ? (double) g_ascii_strtoull (strchr (text, ' ') + 1, NULL, 10)
                              * (double) sysconf (_SC_PAGESIZE) / 1e6
                        : 0;
}

static double
get_peak_mb (void)
{
    struct rusage usage;

    getrusage (RUSAGE_SELF, &usage);
    return (double) usage.ru_maxrss * 1024 / 1e6;
}

static void
happen (Bench *bench)
{
    static const JobState states[] = { JOB_STATE_RUNNING, JOB_STATE_BREAKPOINT,
                                       JOB_STATE_STOPPED };
    guint32 rank;
    JobState state;

    bench->seed = bench->seed * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
    rank = (guint32) ((bench->seed >> 33) % bench->n_ranks);
    state = states[(bench->seed >> 20) % G_N_ELEMENTS (states)];
    if (bench->store != NULL) {
        gtk_list_store_set (bench->store, &bench->rows[rank], 1,
                            job_state_get_info (state)->title, -1);
    } else {
        JobEvent *event = job_event_new (JOB_EVENT_STATE, 0, NULL);
        JobEvent **place = &bench->coming[bench->n_events % SESSION_EXPECT_AHEAD];

        job_rank_set_add (event->ranks, rank);
        event->state = state;
        event->number = 1;
        event->stop = bench->n_events;
        session_expect (bench->session, event);
        if (*place != NULL) {
            session_apply (bench->session, *place);
            job_event_free (*place);
        }
        *place = event;
    }
    bench->n_events++;
}

/* As much as is due, in helpings as net/root.c takes them in a flood. */
static gboolean
on_work (gpointer user)
{
    Bench *bench = user;
    gint64 now_us = g_get_monotonic_time (), end_us = now_us + SLICE_US;
    gint64 cpu_us = get_thread_us ();
    guint64 due = (guint64) (now_us - bench->begin_us) * bench->rate / G_USEC_PER_SEC;

    while (bench->n_events < due
           && ((bench->n_events & 15) != 0 || g_get_monotonic_time () < end_us)) {
        happen (bench);
    }
    bench->intake_us += get_thread_us () - cpu_us;
    return G_SOURCE_CONTINUE;
}

static gboolean
on_pulse (gpointer user)
{
    Bench *bench = user;
    gint64 now_us = g_get_monotonic_time ();
    gint64 late_us = bench->pulse_us > 0 ? now_us - bench->pulse_us - PULSE_MS * 1000 : 0;
    gint64 cpu_us = get_thread_us ();

    if (bench->pulse_us > 0) {
        bench->worst_cpu_us = MAX (bench->worst_cpu_us, cpu_us - bench->pulse_cpu_us);
    }
    bench->pulse_cpu_us = cpu_us;
    bench->pulse_us = now_us;
    bench->worst_us = MAX (bench->worst_us, late_us);
    bench->sum_us += MAX (late_us, 0);
    bench->n_pulses++;
    if (now_us - bench->begin_us > SECONDS * G_USEC_PER_SEC) {
        printf (
            "%s %7u ranks, %7.0f of %7u events/s: late %5.2f ms in the mean, %6.1f ms at worst "
            "(%4.1f ms of CPU), %4.1f frames/s, %4.2f CPU, %4.2f us an event taken in, %5.1f MB, "
            "%5.1f MB at its peak\n",
            bench->store != NULL ? "list store" : "window    ", bench->n_ranks,
            (double) bench->n_events / SECONDS, bench->rate,
            (double) bench->sum_us / bench->n_pulses / 1000, (double) bench->worst_us / 1000,
            (double) bench->worst_cpu_us / 1000, (double) bench->n_frames / SECONDS,
            (get_cpu_s () - bench->begin_cpu_s) / SECONDS,
            (double) bench->intake_us / (double) bench->n_events, get_resident_mb (),
            get_peak_mb ());
        if (bench->entry != NULL) {
            printf (
                "           %u keys: painted after %.1f ms at worst (%.1f ms of CPU), in frame %u "
                "after the press\n",
                bench->n_keys, (double) bench->worst_key_us / 1000,
                (double) bench->worst_key_cpu_us / 1000, bench->worst_key_frames);
        }
        fflush (stdout);
        _exit (0);
    }
    return G_SOURCE_CONTINUE;
}

/* The frame that shows the typed letter ends its way. */
static void
on_painted (GdkFrameClock *clock, Bench *bench)
{
    bench->n_frames += bench->begin_us > 0;
    if (bench->key_us > 0
        && gtk_entry_get_text_length (GTK_ENTRY (bench->entry)) > bench->typed) {
        bench->worst_key_us = MAX (bench->worst_key_us,
                                   g_get_monotonic_time () - bench->key_us);
        bench->worst_key_cpu_us = MAX (bench->worst_key_cpu_us,
                                       get_thread_us () - bench->key_cpu_us);
        bench->worst_key_frames = MAX (bench->worst_key_frames,
                                       bench->n_frames - bench->key_frame);
        bench->key_us = 0;
        bench->n_keys++;
    }
}

/* As the display server tells of it. */
static gboolean
on_press (gpointer user)
{
    Bench *bench = user;
    GdkWindow *window = gtk_widget_get_window (gtk_widget_get_toplevel (bench->entry));
    GdkEvent *event = gdk_event_new (GDK_KEY_PRESS);

    if (bench->key_us == 0) {
        bench->typed = gtk_entry_get_text_length (GTK_ENTRY (bench->entry));
        bench->key_us = g_get_monotonic_time ();
        bench->key_cpu_us = get_thread_us ();
        bench->key_frame = bench->n_frames;
        event->key.window = g_object_ref (window);
        event->key.keyval = GDK_KEY_a;
        event->key.time = GDK_CURRENT_TIME;
        gdk_event_set_device (event, gdk_seat_get_keyboard (gdk_display_get_default_seat (
                                         gdk_window_get_display (window))));
        gdk_event_put (event);
    }
    gdk_event_free (event);
    return G_SOURCE_CONTINUE;
}

/* The clock's next frame that draws the events. */
static void
await_frame (Bench *bench, GdkFrameClock *clock)
{
    guint before = bench->n_frames;

    gdk_frame_clock_request_phase (clock, GDK_FRAME_CLOCK_PHASE_PAINT);
    while (bench->n_frames == before) {
        g_main_context_iteration (NULL, TRUE);
    }
}

static gboolean
on_cost (gpointer user)
{
    Bench *bench = user;
    g_autoptr (GList) windows = gtk_window_list_toplevels ();
    GdkFrameClock *clock = gtk_widget_get_frame_clock (windows->data);
    gint64 intake_us = 0, begin_us = get_thread_us ();

    g_signal_connect (clock, "after-paint", G_CALLBACK (on_painted), bench);
    bench->begin_us = g_get_monotonic_time ();
    for (guint frame = 0; frame < FRAMES; frame++) {
        gint64 from_us = get_thread_us ();

        for (guint i = 0; i < bench->rate / FRAMES; i++) {
            happen (bench);
        }
        intake_us += get_thread_us () - from_us;
        await_frame (bench, clock);
    }
    begin_us = get_thread_us () - begin_us;
    printf (
        "window     %7u ranks, %7u events in %d frames: %.3f s of the main thread, %.2f us an "
        "event taken in, %.2f ms a frame\n",
        bench->n_ranks, (guint) bench->n_events, FRAMES, (double) begin_us / 1e6,
        (double) intake_us / (double) bench->n_events,
        (double) (begin_us - intake_us) / FRAMES / 1000);
    fflush (stdout);
    _exit (0);
}

static gboolean
on_begin (gpointer user)
{
    Bench *bench = user;
    g_autoptr (GList) windows = gtk_window_list_toplevels ();

    for (GList *link = windows; link != NULL; link = link->next) {
        if (gtk_widget_get_mapped (link->data)) {
            g_signal_connect (gtk_widget_get_frame_clock (link->data), "after-paint",
                              G_CALLBACK (on_painted), bench);
        }
    }
    for (GList *link = windows; link != NULL && bench->session != NULL; link = link->next) {
        GtkWidget *focus = gtk_window_get_focus (link->data);

        if (GTK_IS_ENTRY (focus)) {
            bench->entry = focus;
            g_timeout_add_full (G_PRIORITY_HIGH, KEY_MS, on_press, bench, NULL);
        }
    }
    printf ("%5.1f MB before\n", get_resident_mb ());
    bench->begin_cpu_s = get_cpu_s ();
    bench->begin_us = g_get_monotonic_time ();
    g_timeout_add_full (G_PRIORITY_DEFAULT_IDLE, 1, on_work, bench, NULL);
    g_timeout_add_full (G_PRIORITY_HIGH, PULSE_MS, on_pulse, bench, NULL);
    return G_SOURCE_REMOVE;
}

static void
ignore_request (const JobRequest *request, gpointer user)
{
}

static void
show_list (Bench *bench)
{
    GtkWidget *window = gtk_window_new (GTK_WINDOW_TOPLEVEL), *view;

    bench->store = gtk_list_store_new (2, G_TYPE_UINT, G_TYPE_STRING);
    bench->rows = g_new (GtkTreeIter, bench->n_ranks);
    for (guint32 i = 0; i < bench->n_ranks; i++) {
        gtk_list_store_insert_with_values (bench->store, &bench->rows[i], -1, 0, i, 1, "", -1);
    }
    view = gtk_tree_view_new_with_model (GTK_TREE_MODEL (bench->store));
    gtk_tree_view_insert_column_with_attributes (GTK_TREE_VIEW (view), -1, "",
                                                 gtk_cell_renderer_text_new (), "text", 1,
                                                 NULL);
    gtk_container_add (GTK_CONTAINER (window), gtk_scrolled_window_new (NULL, NULL));
    gtk_container_add (GTK_CONTAINER (gtk_bin_get_child (GTK_BIN (window))), view);
    gtk_window_set_default_size (GTK_WINDOW (window), 600, 500);
    gtk_widget_show_all (window);
}

static void
find_text_view (GtkWidget *widget, gpointer found)
{
    if (GTK_IS_TEXT_VIEW (widget)) {
        *(GtkWidget **) found = widget;
    } else if (GTK_IS_CONTAINER (widget)) {
        gtk_container_foreach (GTK_CONTAINER (widget), find_text_view, found);
    }
}

static int
measure_source (int n_lines)
{
    GtkWidget *window = gtk_window_new (GTK_WINDOW_TOPLEVEL), *view = gui_source_view_new ();
    GtkWidget *text = NULL;
    GString *content = g_string_new (NULL);
    g_autofree char *file = NULL;
    int descriptor = g_file_open_tmp ("pddt-XXXXXX.c", &file, NULL);
    gint64 begin_us;

    for (int i = 0; i < n_lines; i++) {
        g_string_append_printf (content, "    value_%d = compute (%d, \"text\"); /* line */\n",
                                i, i);
    }
    g_file_set_contents (file, content->str, (gssize) content->len, NULL);
    gtk_container_add (GTK_CONTAINER (window), view);
    gtk_window_set_default_size (GTK_WINDOW (window), 900, 700);
    gtk_widget_show_all (window);
    begin_us = g_get_monotonic_time ();
    gui_source_view_show (GUI_SOURCE_VIEW (view), file, (guint) n_lines / 2, TRUE);
    find_text_view (view, &text);
    while (gtk_text_buffer_get_line_count (gtk_text_view_get_buffer (GTK_TEXT_VIEW (text)))
           < n_lines) {
        gtk_main_iteration_do (TRUE);
    }
    printf ("source of %d lines: %.0f ms\n", n_lines,
            (double) (g_get_monotonic_time () - begin_us) / 1000);
    close (descriptor);
    unlink (file);
    g_string_free (content, TRUE);
    return 0;
}

int
main (int argc, char **argv)
{
    Bench bench = { .seed = 1 };
    gboolean is_list = argc > 1 && strcmp (argv[1], "list") == 0;
    gboolean is_cost = argc > 1 && strcmp (argv[1], "cost") == 0;

    if (argc < 3 || ((is_list || is_cost) && argc < 4)) {
        fprintf (stderr, "bench-window [list|cost] RANKS RATE | source LINES\n");
        return 2;
    }
    gui_settings_init ();
    if (!gui_theme_open_display ()) {
        return 77;
    }
    if (strcmp (argv[1], "source") == 0) {
        gui_theme_init ();
        return measure_source (atoi (argv[2]));
    }
    bench.n_ranks = (guint32) strtoul (argv[is_list || is_cost ? 2 : 1], NULL, 10);
    bench.rate = (guint32) strtoul (argv[is_list || is_cost ? 3 : 2], NULL, 10);
    g_timeout_add (1500, is_cost ? on_cost : on_begin, &bench);
    if (is_list) {
        show_list (&bench);
        gtk_main ();
        return 0;
    }
    bench.session = session_new ();
    session_start_scripted (bench.session, bench.n_ranks, ignore_request, NULL);
    return gui_application_run (bench.session, NULL, NULL);
}
