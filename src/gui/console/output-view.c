/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A VTE terminal without a pty, because a text view cannot follow 100,000 lines a second. It
 * shows a page of the log: the last one, which grows, or an earlier one. */
#include "gui/console/output-view.h"
#include "gui/console/output-log.h"
#include <glib/gi18n.h>
#include <string.h>
#include <vte/vte.h>
#include "gui/kit/hint.h"
#include "gui/kit/theme.h"

enum { PAGE = 20000, RETRY_MS = 1000 };

struct _GuiOutputView {
    GtkBox parent;
    Session *session;
    GtkWidget *terminal, *filter, *input, *earlier, *latest, *full;
    GuiOutputLog *log;
    guint64 first, end; /* lines of the log that are shown; end G_MAXUINT64: the last page */
    JobRankSet *shown;  /* NULL: all */
    gboolean is_open;   /* the terminal's last line has no end yet: it is of */
    JobRankSet *open_ranks; /* NULL: the job */
    guint open_stream;
    guint n_fed, retry;
};

G_DEFINE_TYPE (GuiOutputView, gui_output_view, GTK_TYPE_BOX)

static guint input_signal;

/* Is the piece the next one of the line that has no end yet? */
static gboolean
continues (GuiOutputView *self, const JobRankSet *ranks, guint stream)
{
    return self->is_open && self->open_stream == stream
           && (ranks == NULL || self->open_ranks == NULL
                   ? ranks == self->open_ranks
                   : job_rank_set_equal (ranks, self->open_ranks));
}

static void
leave_open (GuiOutputView *self, const JobRankSet *ranks, guint stream, gboolean is_open)
{
    g_clear_pointer (&self->open_ranks, job_rank_set_free);
    self->is_open = is_open;
    self->open_stream = stream;
    self->open_ranks = is_open && ranks != NULL ? job_rank_set_dup (ranks) : NULL;
}

static void
feed (const JobRankSet *ranks, guint stream, const char *line, gboolean is_open, gpointer user)
{
    GuiOutputView *self = user;
    g_autofree char *words = ranks != NULL ? job_rank_set_format (ranks) : g_strdup ("job");
    g_autofree char *shown = session_dup_output_line (self->session, line);
    g_autoptr (GString) text = g_string_new (NULL);

    if (self->shown != NULL
        && (ranks == NULL || !job_rank_set_intersects (self->shown, ranks))) {
        return;
    }
    if (!continues (self, ranks, stream)) {
        g_string_printf (text, "%s\033[2m%s|\033[0m ", self->is_open ? "\r\n" : "", words);
        self->n_fed++;
    }
    g_string_append_printf (text, "%s%s\033[0m%s", stream == 2 ? "\033[33m" : "", shown,
                            is_open ? "" : "\r\n");
    leave_open (self, ranks, stream, is_open);
    vte_terminal_feed (VTE_TERMINAL (self->terminal), text->str, (gssize) text->len);
}

static void
show_buttons (GuiOutputView *self)
{
    gtk_widget_set_visible (self->earlier, self->first > 0);
    gtk_widget_set_visible (self->latest, self->end != G_MAXUINT64);
}

/* Of the lines before `end` the last page that has something of the ranks shown. */
static void
show_page (GuiOutputView *self, guint64 end)
{
    guint64 count = gui_output_log_get_count (self->log), until = MIN (end, count);

    vte_terminal_reset (VTE_TERMINAL (self->terminal), TRUE, TRUE);
    vte_terminal_feed (VTE_TERMINAL (self->terminal), "\033[?25l", -1);
    self->n_fed = 0;
    leave_open (self, NULL, 0, FALSE);
    self->end = end >= count ? G_MAXUINT64 : end;
    do {
        self->first = until > PAGE ? until - PAGE : 0;
        gui_output_log_foreach (self->log, self->first, until, feed, self);
        until = self->first;
    } while (self->n_fed == 0 && until > 0);
    show_buttons (self);
}

static void
on_earlier (GtkButton *button, GuiOutputView *self)
{
    show_page (self, self->first);
}

static void
on_latest (GtkButton *button, GuiOutputView *self)
{
    show_page (self, G_MAXUINT64);
}

/* Lets the launcher's pipe fill up while the log is full, and retries from time to time. */
static gboolean
check_room (gpointer data)
{
    GuiOutputView *self = data;
    gboolean is_full = gui_output_log_is_full (self->log);
    g_autofree char *text = NULL;

    self->retry = 0;
    if (is_full) {
        text = g_strdup_printf (_ ("Program paused: the output disk is full (%s)"),
                                gui_output_log_get_problem (self->log));
        gtk_label_set_text (GTK_LABEL (self->full), text);
        self->retry = g_timeout_add (RETRY_MS, check_room, self);
    }
    gtk_widget_set_visible (self->full, is_full);
    session_hold_output (self->session, is_full);
    return G_SOURCE_REMOVE;
}

static void
on_output (Session *session, const JobRankSet *ranks, guint stream, GBytes *bytes,
           GuiOutputView *self)
{
    gsize size;
    const char *data = g_bytes_get_data (bytes, &size);
    g_autofree char *whole = g_strndup (data != NULL ? data : "", size);
    g_auto (GStrv) lines = g_strsplit (whole, "\n", -1);

    for (guint i = 0; lines[i] != NULL; i++) {
        g_autofree char *text = NULL;

        if (lines[i + 1] == NULL && lines[i][0] == '\0') {
            break;
        }
        text = g_utf8_make_valid (lines[i], -1);
        gui_output_log_append (self->log, ranks, stream, text, lines[i + 1] == NULL);
        if (self->end == G_MAXUINT64) {
            feed (ranks, stream, text, lines[i + 1] == NULL, self);
        }
    }
    if (self->end == G_MAXUINT64) { /* the terminal forgets what has left its page */
        guint64 count = gui_output_log_get_count (self->log);
        gboolean had_earlier = self->first > 0;

        self->first = MAX (self->first, count > PAGE ? count - PAGE : 0);
        if (!had_earlier && self->first > 0) {
            show_buttons (self);
        }
    }
    if (self->retry == 0 && gui_output_log_is_full (self->log)) {
        check_room (self);
    }
}

static void
on_filter (GtkEntry *entry, GuiOutputView *self)
{
    const char *text = gtk_entry_get_text (entry);
    guint32 size = session_get_size (self->session);

    g_clear_pointer (&self->shown, job_rank_set_free);
    self->shown = *text != '\0' ? job_rank_set_parse (text, MAX (size, 1), NULL) : NULL;
    show_page (self, self->end);
}

static void
on_input (GtkEntry *entry, GuiOutputView *self)
{
    g_signal_emit (self, input_signal, 0, gtk_entry_get_text (entry));
    gtk_entry_set_text (entry, "");
}

void
gui_output_view_set_session (GuiOutputView *self, Session *session)
{
    g_set_object (&self->session, session);
    g_signal_connect_object (session, "output", G_CALLBACK (on_output), self, 0);
}

static void
set_colours (GtkWidget *terminal)
{
    gboolean dark = gui_theme_is_dark (terminal);
    GdkRGBA ink = { dark ? 0.93 : 0.1, dark ? 0.93 : 0.1, dark ? 0.93 : 0.1, 1 };
    GdkRGBA paper = { dark ? 0.15 : 1, dark ? 0.15 : 1, dark ? 0.15 : 1, 1 };

    vte_terminal_set_colors (VTE_TERMINAL (terminal), &ink, &paper, NULL, 0);
}

/* Hides the scrollbar if the page fits, but keeps its space, so that lines do not rewrap. */
static void
on_range (GtkAdjustment *range, GtkWidget *bar)
{
    gtk_widget_set_opacity (bar,
                            gtk_adjustment_get_upper (range) - gtk_adjustment_get_lower (range)
                                    > gtk_adjustment_get_page_size (range)
                                ? 1
                                : 0);
}

static void
gui_output_view_finalize (GObject *object)
{
    GuiOutputView *self = GUI_OUTPUT_VIEW (object);

    g_clear_handle_id (&self->retry, g_source_remove);
    gui_output_log_free (self->log);
    job_rank_set_free (self->shown);
    job_rank_set_free (self->open_ranks);
    g_clear_object (&self->session);
    G_OBJECT_CLASS (gui_output_view_parent_class)->finalize (object);
}

static void
gui_output_view_style_updated (GtkWidget *widget)
{
    GuiOutputView *self = GUI_OUTPUT_VIEW (widget);

    GTK_WIDGET_CLASS (gui_output_view_parent_class)->style_updated (widget);
    if (self->terminal != NULL) {
        set_colours (self->terminal);
    }
}

static void
gui_output_view_class_init (GuiOutputViewClass *klass)
{
    GTK_WIDGET_CLASS (klass)->style_updated = gui_output_view_style_updated;
    G_OBJECT_CLASS (klass)->finalize = gui_output_view_finalize;
    input_signal = g_signal_new ("input", GUI_TYPE_OUTPUT_VIEW, G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static GtkWidget *
make_button (GuiOutputView *self, GtkWidget *row, const char *label, const char *name,
             GCallback on_clicked)
{
    GtkWidget *button = gtk_button_new_with_label (label);

    gui_theme_name (button, name, label);
    gtk_widget_set_no_show_all (button, TRUE);
    gtk_box_pack_start (GTK_BOX (row), button, FALSE, FALSE, 0);
    g_signal_connect (button, "clicked", on_clicked, self);
    return button;
}

static void
gui_output_view_init (GuiOutputView *self)
{
    GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
    GtkWidget *lines = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0), *bar;

    gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
    self->terminal = vte_terminal_new ();
    vte_terminal_set_scrollback_lines (VTE_TERMINAL (self->terminal), PAGE);
    vte_terminal_set_cursor_blink_mode (VTE_TERMINAL (self->terminal), VTE_CURSOR_BLINK_OFF);
    vte_terminal_set_scroll_on_output (VTE_TERMINAL (self->terminal), FALSE);
    vte_terminal_feed (VTE_TERMINAL (self->terminal), "\033[?25l", -1);
    set_colours (self->terminal);
    vte_terminal_set_font_scale (VTE_TERMINAL (self->terminal), 0.9);
    gui_theme_name (self->terminal, "output", _ ("Program output"));
    gui_hint_set (self->terminal, _ ("What the ranks print appears here"));
    bar = gtk_scrollbar_new (GTK_ORIENTATION_VERTICAL,
                             gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (self->terminal)));
    g_signal_connect_object (gtk_range_get_adjustment (GTK_RANGE (bar)), "changed",
                             G_CALLBACK (on_range), bar, 0);
    gtk_widget_set_opacity (bar, 0);
    gtk_box_pack_start (GTK_BOX (lines), self->terminal, TRUE, TRUE, 0);
    gtk_box_pack_start (GTK_BOX (lines), bar, FALSE, FALSE, 0);
    gtk_box_pack_start (GTK_BOX (self), lines, TRUE, TRUE, 0);
    self->filter = gtk_entry_new ();
    gtk_entry_set_placeholder_text (GTK_ENTRY (self->filter), _ ("Only ranks, e.g. 0-3"));
    gui_theme_name (self->filter, "output-filter", _ ("Ranks whose output is shown"));
    self->input = gtk_entry_new ();
    gtk_entry_set_placeholder_text (GTK_ENTRY (self->input), _ ("Input for the program"));
    gui_theme_name (self->input, "output-input", _ ("Input for the program"));
    gtk_box_pack_start (GTK_BOX (row), self->filter, FALSE, FALSE, 0);
    self->earlier = make_button (self, row, _ ("Earlier"), "output-earlier",
                                 G_CALLBACK (on_earlier));
    self->latest = make_button (self, row, _ ("Latest"), "output-latest",
                                G_CALLBACK (on_latest));
    gtk_box_pack_start (GTK_BOX (row), self->input, TRUE, TRUE, 0);
    gtk_container_set_border_width (GTK_CONTAINER (row), 4);
    gtk_box_pack_start (GTK_BOX (self), row, FALSE, FALSE, 0);
    g_signal_connect (self->filter, "activate", G_CALLBACK (on_filter), self);
    g_signal_connect (self->input, "activate", G_CALLBACK (on_input), self);
    self->log = gui_output_log_new (0);
    self->end = G_MAXUINT64;
    gtk_widget_show_all (lines);
    gtk_widget_show_all (row);
    self->full = gtk_label_new (NULL);
    gtk_label_set_xalign (GTK_LABEL (self->full), 0);
    gtk_label_set_line_wrap (GTK_LABEL (self->full), TRUE);
    gtk_widget_set_no_show_all (self->full, TRUE);
    gtk_box_pack_start (GTK_BOX (self), self->full, FALSE, FALSE, 0);
}

GtkWidget *
gui_output_view_new (void)
{
    return g_object_new (GUI_TYPE_OUTPUT_VIEW, NULL);
}
