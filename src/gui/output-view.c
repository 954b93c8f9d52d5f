/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A VTE terminal without a pty, because a text view cannot follow 100,000 lines a second. The last
 * lines are kept, so that another filter can feed them again. */
#include "gui/output-view.h"
#include <glib/gi18n.h>
#include <string.h>
#include <vte/vte.h>
#include "gui/theme.h"

enum { MAX_LINES = 20000 };

typedef struct {
    JobRankSet *ranks; /* NULL: of the job */
    guint stream;
    char *text;
} Line;

struct _GuiOutputView {
    GtkBox parent;
    Session *session;
    GtkWidget *terminal, *filter, *input;
    GQueue lines; /* of Line */
    JobRankSet *shown; /* NULL: all */
};

G_DEFINE_TYPE (GuiOutputView, gui_output_view, GTK_TYPE_BOX)

static guint input_signal;

static void
free_line (gpointer data)
{
    Line *line = data;

    job_rank_set_free (line->ranks);
    g_free (line->text);
    g_free (line);
}

static void
feed (GuiOutputView *self, const Line *line)
{
    g_autofree char *ranks = line->ranks != NULL ? job_rank_set_format (line->ranks)
                                                 : g_strdup ("job");
    g_autoptr (GString) text = g_string_new (NULL);

    if (self->shown != NULL
        && (line->ranks == NULL || !job_rank_set_intersects (self->shown, line->ranks))) {
        return;
    }
    g_string_printf (text, "\033[2m%s|\033[0m %s%s\033[0m\r\n", ranks,
                     line->stream == 2 ? "\033[33m" : "", line->text);
    vte_terminal_feed (VTE_TERMINAL (self->terminal), text->str, (gssize) text->len);
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
        if (lines[i + 1] == NULL && lines[i][0] == '\0') {
            break;
        }
        Line *line = g_new0 (Line, 1);
        line->ranks = ranks != NULL ? job_rank_set_dup (ranks) : NULL;
        line->stream = stream;
        line->text = g_utf8_make_valid (lines[i], -1);
        g_queue_push_tail (&self->lines, line);
        feed (self, line);
        if (self->lines.length > MAX_LINES) {
            free_line (g_queue_pop_head (&self->lines));
        }
    }
}

static void
on_filter (GtkEntry *entry, GuiOutputView *self)
{
    const char *text = gtk_entry_get_text (entry);
    guint32 size = session_get_size (self->session);

    g_clear_pointer (&self->shown, job_rank_set_free);
    self->shown = *text != '\0' ? job_rank_set_parse (text, MAX (size, 1), NULL) : NULL;
    vte_terminal_reset (VTE_TERMINAL (self->terminal), TRUE, TRUE);
    for (GList *link = self->lines.head; link != NULL; link = link->next) {
        feed (self, link->data);
    }
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

static void
gui_output_view_finalize (GObject *object)
{
    GuiOutputView *self = GUI_OUTPUT_VIEW (object);

    g_queue_clear_full (&self->lines, free_line);
    job_rank_set_free (self->shown);
    g_clear_object (&self->session);
    G_OBJECT_CLASS (gui_output_view_parent_class)->finalize (object);
}

static void
gui_output_view_class_init (GuiOutputViewClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = gui_output_view_finalize;
    input_signal = g_signal_new ("input", GUI_TYPE_OUTPUT_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
gui_output_view_init (GuiOutputView *self)
{
    GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
    GtkWidget *lines = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0), *bar;

    gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
    self->terminal = vte_terminal_new ();
    vte_terminal_set_scrollback_lines (VTE_TERMINAL (self->terminal), MAX_LINES);
    vte_terminal_set_cursor_blink_mode (VTE_TERMINAL (self->terminal), VTE_CURSOR_BLINK_OFF);
    vte_terminal_set_scroll_on_output (VTE_TERMINAL (self->terminal), FALSE);
    vte_terminal_feed (VTE_TERMINAL (self->terminal), "\033[?25l", -1);
    set_colours (self->terminal);
    vte_terminal_set_font_scale (VTE_TERMINAL (self->terminal), 0.9);
    gui_theme_name (self->terminal, "output", _("Program output"));
    bar = gtk_scrollbar_new (GTK_ORIENTATION_VERTICAL,
                             gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (self->terminal)));
    gtk_box_pack_start (GTK_BOX (lines), self->terminal, TRUE, TRUE, 0);
    gtk_box_pack_start (GTK_BOX (lines), bar, FALSE, FALSE, 0);
    gtk_box_pack_start (GTK_BOX (self), lines, TRUE, TRUE, 0);
    self->filter = gtk_entry_new ();
    gtk_entry_set_placeholder_text (GTK_ENTRY (self->filter), _("Only ranks, e.g. 0-3"));
    gui_theme_name (self->filter, "output-filter", _("Ranks whose output is shown"));
    self->input = gtk_entry_new ();
    gtk_entry_set_placeholder_text (GTK_ENTRY (self->input), _("Input for the program"));
    gui_theme_name (self->input, "output-input", _("Input for the program"));
    gtk_box_pack_start (GTK_BOX (row), self->filter, FALSE, FALSE, 0);
    gtk_box_pack_start (GTK_BOX (row), self->input, TRUE, TRUE, 0);
    gtk_container_set_border_width (GTK_CONTAINER (row), 4);
    gtk_box_pack_start (GTK_BOX (self), row, FALSE, FALSE, 0);
    g_signal_connect (self->filter, "activate", G_CALLBACK (on_filter), self);
    g_signal_connect (self->input, "activate", G_CALLBACK (on_input), self);
    g_queue_init (&self->lines);
    gtk_widget_show_all (lines);
    gtk_widget_show_all (row);
}

GtkWidget *
gui_output_view_new (void)
{
    return g_object_new (GUI_TYPE_OUTPUT_VIEW, NULL);
}
