/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a key does stands in the first frame that is painted after it was pressed, also while events
 * of single ranks pour in as fast as they are taken. Counted by the frame clock: how long a frame
 * takes is another question, and this machine's. */
#include "gui/application.h"
#include "gui/kit/settings.h"
#include "gui/kit/theme.h"
#include "widgets.h"
#include <string.h>

enum { N_RANKS = 100000, N_KEYS = 12, AT_ONCE = 2000, PAUSE_MS = 20, LIMIT_S = 120 };

typedef struct {
    Session *session;
    GtkWidget *window, *entry, *transcript;
    guint64 n_events, n_seen, seed; /* seen: when a key was pressed last */
    guint n_pressed, n_painted;     /* painted: frames since the press */
    guint n_lines;  /* of the step in the transcript, when the key was pressed */
    guint16 length; /* of the entry then */
    gboolean is_flood, is_waiting, is_over;
    guint worst[2]; /* frames until a letter, a step was to be seen */
} Frames;

static void
ignore_request (const JobRequest *request, gpointer user)
{
}

static gboolean
on_flood (gpointer user)
{
    static const JobState states[] = { JOB_STATE_RUNNING, JOB_STATE_BREAKPOINT,
                                       JOB_STATE_STOPPED };
    Frames *frames = user;

    for (guint i = 0; i < AT_ONCE; i++) {
        g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, NULL);

        frames->seed = frames->seed * 6364136223846793005u
                       + 1442695040888963407u; /* Knuth's MMIX */
        job_rank_set_add (event->ranks, (guint32) ((frames->seed >> 33) % N_RANKS));
        event->state = states[(frames->seed >> 20) % G_N_ELEMENTS (states)];
        event->stop = ++frames->n_events;
        session_apply (frames->session, event);
    }
    return frames->is_over ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

static guint
count_steps (Frames *frames)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (frames->transcript));
    g_autofree char *text = NULL;
    GtkTextIter start, end;
    guint n = 0;

    gtk_text_buffer_get_bounds (buffer, &start, &end);
    text = gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
    for (const char *at = text; (at = strstr (at, " next")) != NULL; at++) {
        n++;
    }
    return n;
}

/* The first key is that of a step; while its ranks move, or others do, further ones are dropped. */
static gboolean
is_step_key (const Frames *frames)
{
    return !frames->is_flood && frames->n_pressed == 1;
}

static gboolean
is_shown (Frames *frames, gboolean is_step)
{
    return is_step ? count_steps (frames) > frames->n_lines
                   : gtk_entry_get_text_length (GTK_ENTRY (frames->entry)) > frames->length;
}

static void
on_painted (GdkFrameClock *clock, Frames *frames)
{
    gboolean is_step = is_step_key (frames);

    if (!frames->is_waiting) {
        return;
    }
    frames->n_painted++;
    if (is_shown (frames, is_step)) {
        frames->worst[is_step] = MAX (frames->worst[is_step], frames->n_painted);
        frames->is_waiting = FALSE;
    }
}

/* Accelerators are looked for by it. */
static void
set_hardware_code (GdkWindow *window, GdkEventKey *event)
{
    GdkKeymap *keymap = gdk_keymap_get_for_display (gdk_window_get_display (window));
    g_autofree GdkKeymapKey *keys = NULL;
    int n = 0;

    if (gdk_keymap_get_entries_for_keyval (keymap, event->keyval, &keys, &n) && n > 0) {
        event->hardware_keycode = (guint16) keys[0].keycode;
        event->group = (guint8) keys[0].group;
    }
}

/* As the display server tells of it. */
static gboolean
on_press (gpointer user)
{
    Frames *frames = user;
    GdkWindow *window = gtk_widget_get_window (frames->window);
    GdkEvent *event;

    if (frames->is_waiting || (frames->is_flood && frames->n_events == frames->n_seen)) {
        return G_SOURCE_CONTINUE;
    }
    if (frames->n_pressed == N_KEYS) {
        frames->is_over = TRUE;
        session_set_keep (frames->session, TRUE); /* closing asks nothing */
        gtk_window_close (GTK_WINDOW (frames->window));
        return G_SOURCE_REMOVE;
    }
    event = gdk_event_new (GDK_KEY_PRESS);
    frames->n_seen = frames->n_events;
    frames->n_lines = count_steps (frames);
    frames->length = gtk_entry_get_text_length (GTK_ENTRY (frames->entry));
    frames->n_pressed++;
    frames->n_painted = 0;
    frames->is_waiting = TRUE;
    event->key.window = g_object_ref (window);
    event->key.keyval = is_step_key (frames) ? GDK_KEY_F10 : GDK_KEY_a;
    event->key.time = GDK_CURRENT_TIME;
    set_hardware_code (window, &event->key);
    gdk_event_set_device (event, gdk_seat_get_keyboard (gdk_display_get_default_seat (
                                     gdk_window_get_display (window))));
    gdk_event_put (event);
    gdk_event_free (event);
    return G_SOURCE_CONTINUE;
}

static gboolean
on_begin (gpointer user)
{
    Frames *frames = user;
    g_autoptr (GList) windows = gtk_window_list_toplevels ();

    for (GList *link = windows; link != NULL; link = link->next) {
        if (GTK_IS_APPLICATION_WINDOW (link->data) && gtk_widget_get_mapped (link->data)) {
            frames->window = link->data;
        }
    }
    if (frames->window == NULL) {
        return G_SOURCE_CONTINUE;
    }
    frames->entry = widgets_find (frames->window, "command");
    frames->transcript = widgets_find (frames->window, "transcript");
    gtk_widget_grab_focus (frames->entry);
    g_signal_connect (gtk_widget_get_frame_clock (frames->window), "after-paint",
                      G_CALLBACK (on_painted), frames);
    if (frames->is_flood) {
        g_idle_add (on_flood, frames);
    }
    g_timeout_add_full (G_PRIORITY_HIGH, PAUSE_MS, on_press, frames, NULL);
    return G_SOURCE_REMOVE;
}

static gboolean
on_limit (gpointer user)
{
    g_error ("a key's effect was not seen within %d s", LIMIT_S);
    return G_SOURCE_REMOVE;
}

static void
press_keys (gconstpointer is_flood)
{
    Frames frames = { .seed = 1, .is_flood = GPOINTER_TO_INT (is_flood) };
    guint limit = g_timeout_add_seconds (LIMIT_S, on_limit, NULL);

    frames.session = session_new ();
    session_start_scripted (frames.session, N_RANKS, ignore_request, NULL);
    g_timeout_add (50, on_begin, &frames);
    g_assert_cmpint (gui_application_run (frames.session, NULL, NULL), ==, 0);
    g_source_remove (limit);
    g_assert_cmpuint (frames.n_pressed, ==, N_KEYS);
    g_assert_cmpuint (frames.worst[0], ==, 1);
    g_assert_cmpuint (frames.worst[1], ==, frames.is_flood ? 0 : 1);
    if (frames.is_flood) {
        g_assert_cmpuint (frames.n_events, >=, N_KEYS * AT_ONCE);
        g_test_message ("%" G_GUINT64_FORMAT " events", frames.n_events);
    }
    g_object_unref (frames.session);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    gui_settings_init ();
    if (!gui_theme_open_display ()) {
        return 77;
    }
    g_test_add_data_func ("/frames/quiet", GINT_TO_POINTER (FALSE), press_keys);
    g_test_add_data_func ("/frames/flood", GINT_TO_POINTER (TRUE), press_keys);
    return g_test_run ();
}
