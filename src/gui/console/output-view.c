/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A VTE terminal without a pty, because a text view cannot follow 100,000 lines a second. It
 * shows a page of the log: the last one, which grows, or an earlier one. */
#include "base/utf8.h"
#include "gui/console/output-view.h"
#include "gui/kit/palette.h"
#include "gui/console/output-log.h"
#include <glib/gi18n.h>
#include <string.h>
#include <vte/vte.h>
#include "gui/kit/hint.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

enum { PAGE = 20000, RETRY_MS = 1000 };
#define SEARCH_FLAGS 0x00000408u /* PCRE2_MULTILINE | PCRE2_CASELESS, which VTE wants */

struct _GuiOutputView {
    GtkBox parent;
    Session *session;
    GtkWidget *terminal, *bar, *filter, *input, *earlier, *latest, *full, *find, *place;
    GuiOutputLog *log;
    guint64 first, end; /* lines of the log that are shown; end G_MAXUINT64: the last page */
    JobRankSet *shown;  /* NULL: all */
    gboolean is_open;   /* the terminal's last line has no end yet: it is of */
    JobRankSet *open_ranks; /* NULL: the job */
    guint open_stream;
    guint n_fed, retry;
    guint64 found; /* the line that the search has shown last */
    gboolean has_found;
    GHashTable *rests; /* stream and ranks to GByteArray: a character that is not complete */
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

/* How a line's ranks are written: one in its colour, several dim. Caller owns. */
static char *
format_colour (GuiOutputView *self, const JobRankSet *ranks)
{
    guint32 colour;

    if (ranks == NULL || job_rank_set_get_count (ranks) != 1) {
        return g_strdup ("\033[2m");
    }
    colour = gui_palette_get_rank (job_rank_set_get_lowest (ranks),
                                   gui_theme_is_dark (self->terminal));
    return g_strdup_printf ("\033[38;2;%u;%u;%um", colour >> 16 & 255, colour >> 8 & 255,
                            colour & 255);
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
        g_autofree char *colour = format_colour (self, ranks);

        g_string_printf (text, "%s%s%s|\033[0m ", self->is_open ? "\r\n" : "", colour, words);
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
on_earlier (GuiOutputView *self)
{
    show_page (self, self->first);
}

static void
on_latest (GuiOutputView *self)
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
take_line (GuiOutputView *self, const JobRankSet *ranks, guint stream, const char *line,
           gsize size, gboolean is_open)
{
    g_autofree char *text = g_utf8_make_valid (line, (gssize) size); /* NUL bytes too */

    gui_output_log_append (self->log, ranks, stream, text, is_open);
    if (self->end == G_MAXUINT64) {
        feed (ranks, stream, text, is_open, self);
    }
}

/* The bytes of a character that were cut off the output before; stream and ranks are those of the key. */
static GByteArray *
find_rest (GuiOutputView *self, const JobRankSet *ranks, guint stream)
{
    g_autofree char *who = ranks != NULL ? job_rank_set_format (ranks) : g_strdup ("");
    g_autofree char *key = g_strdup_printf ("%u%s", stream, who);
    GByteArray *rest = g_hash_table_lookup (self->rests, key);

    if (rest == NULL) {
        rest = g_byte_array_new ();
        g_hash_table_insert (self->rests, g_steal_pointer (&key), rest);
    }
    return rest;
}

static void
on_output (Session *session, const JobRankSet *ranks, guint stream, GBytes *bytes,
           GuiOutputView *self)
{
    GByteArray *rest = find_rest (self, ranks, stream);
    g_autofree char *whole = NULL;
    gsize size, cut, start = 0;
    const guint8 *fresh = g_bytes_get_data (bytes, &size);

    g_byte_array_append (rest, fresh, (guint) size);
    size = rest->len;
    cut = base_utf8_find_cut ((const char *) rest->data, size);
    whole = g_memdup2 (rest->data, size);
    g_byte_array_remove_range (rest, 0, (guint) cut);
    for (gsize i = 0; i < cut; i++) {
        if (whole[i] == '\n') {
            take_line (self, ranks, stream, whole + start, i - start, FALSE);
            start = i + 1;
        }
    }
    if (start < cut) {
        take_line (self, ranks, stream, whole + start, cut - start, TRUE);
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

/* Of text that is no set of ranks nothing would be shown: all is, and the entry says so. */
static void
on_filter (GtkEntry *entry, GuiOutputView *self)
{
    const char *text = gtk_entry_get_text (entry);
    guint32 size = self->session != NULL ? session_get_size (self->session) : 0;

    g_clear_pointer (&self->shown, job_rank_set_free);
    self->shown = *text != '\0' ? job_rank_set_parse (text, MAX (size, 1), NULL) : NULL;
    (*text != '\0' && self->shown == NULL
         ? gtk_style_context_add_class
         : gtk_style_context_remove_class) (gtk_widget_get_style_context (GTK_WIDGET (entry)),
                                            GTK_STYLE_CLASS_ERROR);
    show_page (self, self->end);
}

/* ---- search ---- */

typedef struct {
    GuiOutputView *view;
    char *wanted; /* folded */
    guint64 line, found;
    gboolean is_found, is_last; /* is_last: the last one counts, else the first */
} Search;

static void
look_at (const JobRankSet *ranks, guint stream, const char *line, gboolean is_open,
         gpointer user)
{
    Search *search = user;
    const JobRankSet *shown = search->view->shown;
    gboolean is_shown = shown == NULL
                        || (ranks != NULL && job_rank_set_intersects (shown, ranks));
    g_autofree char *folded = NULL;

    if (is_shown && (search->is_last || !search->is_found)) {
        folded = g_utf8_casefold (line, -1);
        if (strstr (folded, search->wanted) != NULL) {
            search->found = search->line;
            search->is_found = TRUE;
        }
    }
    search->line++;
}

/* Among the lines from first to end, in pieces, so that the nearest piece that has it ends the search. */
static gboolean
find_line (GuiOutputView *self, const char *wanted, guint64 first, guint64 end,
           gboolean is_last, guint64 *ret_line)
{
    g_autofree char *folded = g_utf8_casefold (wanted, -1);

    while (first < end) {
        guint64 piece = MIN (end - first, PAGE);
        guint64 begin = is_last ? end - piece : first;
        Search search = { self, folded, begin, 0, FALSE, is_last };

        gui_output_log_foreach (self->log, begin, begin + piece, look_at, &search);
        if (search.is_found) {
            *ret_line = search.found;
            return TRUE;
        }
        if (is_last) {
            end -= piece;
        } else {
            first += piece;
        }
    }
    return FALSE;
}

/* Shows the page in which that line is the last one, with all places of the text marked in it. */
static void
show_found (GuiOutputView *self, const char *wanted, guint64 line)
{
    g_autofree char *quoted = g_regex_escape_string (wanted, -1);
    g_autoptr (VteRegex) regex = vte_regex_new_for_search (quoted, -1, SEARCH_FLAGS, NULL);
    g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT, line + 1);
    g_autofree char *text = g_strdup_printf (_ ("line %s"), number);

    self->found = line;
    self->has_found = TRUE;
    show_page (self, line + 1);
    vte_terminal_search_set_regex (VTE_TERMINAL (self->terminal), regex, 0);
    vte_terminal_search_find_previous (VTE_TERMINAL (self->terminal));
    gtk_label_set_text (GTK_LABEL (self->place), text);
}

static void
search (GuiOutputView *self, gboolean is_back)
{
    const char *wanted = gtk_entry_get_text (GTK_ENTRY (self->find));
    guint64 count = gui_output_log_get_count (self->log), line;
    guint64 from = self->has_found ? MIN (self->found, count) : count;
    gboolean is_found;

    if (*wanted == '\0') {
        gtk_label_set_text (GTK_LABEL (self->place), "");
        return;
    }
    is_found = is_back
                   ? find_line (self, wanted, 0, from, TRUE, &line)
                         || find_line (self, wanted, from, count, TRUE, &line)
                   : find_line (self, wanted, MIN (from + 1, count), count, FALSE, &line)
                         || find_line (self, wanted, 0, MIN (from + 1, count), FALSE, &line);
    if (is_found) {
        show_found (self, wanted, line);
    } else {
        gtk_label_set_text (GTK_LABEL (self->place), _ ("Not in the output"));
    }
}

static void
on_find (GuiOutputView *self)
{
    search (self, TRUE);
}

static void
on_find_changed (GuiOutputView *self)
{
    self->has_found = FALSE;
    gtk_label_set_text (GTK_LABEL (self->place), "");
}

static void
on_find_next (GuiOutputView *self)
{
    search (self, FALSE);
}

void
gui_output_view_find (GuiOutputView *self)
{
    gtk_widget_grab_focus (self->find);
}

static void
on_input (GtkEntry *entry, GuiOutputView *self)
{
    g_signal_emit (self, input_signal, 0, gtk_entry_get_text (entry));
    gtk_entry_set_text (entry, "");
}

static void
leave_session (gpointer user)
{
    GuiOutputView *self = user;

    g_signal_handlers_disconnect_by_data (self->session, self);
    g_clear_handle_id (&self->retry, g_source_remove);
}

static void
enter_session (gpointer user)
{
    GuiOutputView *self = user;

    if (self->session != NULL) {
        g_signal_connect (self->session, "output", G_CALLBACK (on_output), self);
    }
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

GUI_FINALIZE (gui_output_view, GuiOutputView, gui_output_log_free (self->log);
              g_hash_table_unref (self->rests); job_rank_set_free (self->shown);
              job_rank_set_free (self->open_ranks))

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
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiOutputView,
                    (session, SESSION_TYPE_SESSION, leave_session, enter_session));
    input_signal = GUI_SIGNAL (klass, "input", G_TYPE_STRING);
    GUI_ENSURE (VTE_TYPE_TERMINAL);
    GUI_TEMPLATE (klass, "output-view.ui");
    GUI_CHILDREN (klass, GuiOutputView, terminal, bar, filter, input, earlier, latest, full,
                  find, place);
    GUI_CALLBACKS (klass, on_filter, on_input, on_earlier, on_latest, on_find, on_find_changed,
                   on_find_next);
}

static void
gui_output_view_init (GuiOutputView *self)
{
    GtkAdjustment *range;

    gtk_widget_init_template (GTK_WIDGET (self));
    range = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (self->terminal));
    gtk_range_set_adjustment (GTK_RANGE (self->bar), range);
    g_signal_connect_object (range, "changed", G_CALLBACK (on_range), self->bar, 0);
    vte_terminal_set_scrollback_lines (VTE_TERMINAL (self->terminal), PAGE);
    vte_terminal_feed (VTE_TERMINAL (self->terminal), "\033[?25l", -1);
    set_colours (self->terminal);
    gui_theme_name (self->terminal, "output", _ ("Program output"));
    gui_hint_set (self->terminal, _ ("What the ranks print appears here"));
    gui_theme_name (self->filter, "output-filter", _ ("Ranks whose output is shown"));
    gui_theme_name (self->input, "output-input", _ ("Input for the program"));
    gui_theme_name (self->find, "output-find", _ ("Search the output"));
    gui_theme_name (self->place, "output-found", NULL);
    gui_theme_name (self->earlier, "output-earlier", NULL);
    gui_theme_name (self->latest, "output-latest", NULL);
    self->log = gui_output_log_new (0);
    self->rests = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                         (GDestroyNotify) g_byte_array_unref);
    self->end = G_MAXUINT64;
}
