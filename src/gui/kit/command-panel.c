/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entry with history and completion over a transcript of at most 5,000 lines. */
#include "gui/kit/command-panel.h"
#include <glib/gi18n.h>
#include <string.h>
#include "gui/kit/hint.h"
#include "gui/kit/properties.h"
#include "gui/kit/rank-set.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "base/array.h"

enum { MAX_LINES = 5000, MAX_PROMPT = 24, MAX_SHOWN = 1000 };

struct _GuiCommandPanel {
    GtkBox parent;
    Session *session;
    CommandContext *context;     /* NULL: there is no session */
    SessionSelection *selection; /* the context's */
    JobRankSet *ranks;
    GtkWidget *transcript, *entry, *prompt;
    GPtrArray *running; /* of Line */
    GtkTextMark *end;
    GPtrArray *history;
    guint at;
    guint scroll_idle;
    char *asked; /* the line that names are asked for */
};

/* One that runs. */
typedef struct {
    GuiCommandPanel *panel; /* borrowed */
    char *text;             /* this one */
    char *rest;             /* the lines that run when it has succeeded; NULL: none */
} Line;

G_DEFINE_TYPE (GuiCommandPanel, gui_command_panel, GTK_TYPE_BOX)

enum { DONE, QUIT, BUSY, N_SIGNALS };
static guint signals[N_SIGNALS];

static gboolean
scroll_to_end (gpointer user)
{
    GuiCommandPanel *self = user;

    self->scroll_idle = 0;
    gtk_text_view_scroll_mark_onscreen (GTK_TEXT_VIEW (self->transcript), self->end);
    return G_SOURCE_REMOVE;
}

static void
append (GuiCommandPanel *self, const char *tag, const char *text)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->transcript));
    g_autofree char *valid = g_utf8_make_valid (text, -1);
    GtkTextIter end, start;

    gtk_text_buffer_get_end_iter (buffer, &end);
    if (gtk_text_buffer_get_char_count (buffer) > 0) {
        gtk_text_buffer_insert (buffer, &end, "\n", 1);
    }
    gtk_text_buffer_insert_with_tags_by_name (buffer, &end, valid, -1, tag, NULL);
    int extra = gtk_text_buffer_get_line_count (buffer) - MAX_LINES;
    if (extra > 0) {
        gtk_text_buffer_get_start_iter (buffer, &start);
        gtk_text_buffer_get_iter_at_line (buffer, &end, extra);
        gtk_text_buffer_delete (buffer, &start, &end);
    }
    if (self->scroll_idle == 0) {
        self->scroll_idle = g_idle_add (scroll_to_end, self);
    }
}

static void
on_write (CommandOutKind kind, int stream, const char *text, gpointer user)
{
    GuiCommandPanel *self = user;

    if (kind == COMMAND_OUT_OUTPUT) {
        return; /* the Output page shows it */
    }
    append (self,
            kind == COMMAND_OUT_ERROR   ? "error"
            : kind == COMMAND_OUT_EVENT ? "event"
                                        : "answer",
            text);
}

gboolean
gui_command_panel_is_busy (GuiCommandPanel *self)
{
    return self->running->len > 0;
}

gboolean
gui_command_panel_has_hooks (GuiCommandPanel *self, guint32 breakpoint)
{
    return self->context != NULL && command_has_hooks (self->context, breakpoint);
}

gboolean
gui_command_panel_is_waiting (GuiCommandPanel *self)
{
    return self->context != NULL && command_wait_is_active (self->context);
}

gboolean
gui_command_panel_is_profiling (GuiCommandPanel *self)
{
    return self->context != NULL && command_profile_is_open (self->context);
}

gboolean
gui_command_panel_cancel (GuiCommandPanel *self)
{
    return self->context != NULL && command_cancel (self->context);
}

BASE_FREE (free_line, Line, line, g_free (line->text); g_free (line->rest))

static void
on_done (gboolean ok, gpointer user)
{
    Line *line = user;
    g_autoptr (GuiCommandPanel) self = g_object_ref (line->panel);
    g_autofree char *text = NULL;

    if (ok && line->rest != NULL) {
        gui_command_panel_run (self, line->rest);
    }
    text = g_steal_pointer (&line->text);
    g_ptr_array_remove (self->running, line);
    gui_command_panel_update_prompt (self);
    g_signal_emit (self, signals[DONE], 0, ok, text);
    if (self->context != NULL && command_context_is_quit (self->context)) {
        g_signal_emit (self, signals[QUIT], 0);
    }
}

/* Truncates very long lists of ranks, but keeps the command readable. */
static void
append_line (GuiCommandPanel *self, const char *line)
{
    gsize length = strlen (line);
    g_autofree char *head = NULL, *text = NULL;

    if (length <= MAX_SHOWN) {
        append (self, "line", line);
        return;
    }
    head = g_strndup (line, MAX_SHOWN / 2);
    text = g_strdup_printf ("%s … %s", head, line + length - MAX_SHOWN / 4);
    append (self, "line", text);
}

void
gui_command_panel_run (GuiCommandPanel *self, const char *lines)
{
    const char *end = strchr (lines, '\n');
    g_autofree char *first = end != NULL ? g_strndup (lines, (gsize) (end - lines))
                                         : g_strdup (lines);
    Line *line = g_new (Line, 1);

    *line = (Line){ self, g_strdup (first), end != NULL ? g_strdup (end + 1) : NULL };
    append_line (self, first);
    g_ptr_array_add (self->running, line);
    g_signal_emit (self, signals[BUSY], 0);
    command_run (self->context, first, on_done, line);
}

void
gui_command_panel_runf (GuiCommandPanel *self, const char *format, ...)
{
    va_list list;

    va_start (list, format);
    g_autofree char *line = g_strdup_vprintf (format, list);
    va_end (list);
    gui_command_panel_run (self, line);
}

void
gui_command_panel_suggest (GuiCommandPanel *self, const char *line)
{
    if (!g_str_has_suffix (line, " ")) {
        gui_command_panel_run (self, line);
        return;
    }
    gtk_widget_grab_focus (self->entry);
    gtk_entry_set_text (GTK_ENTRY (self->entry), line);
    gtk_editable_set_position (GTK_EDITABLE (self->entry), -1);
}

/* Commands that are about the session, not about ranks, and those that say their ranks. */
static gboolean
takes_no_set (const char *line)
{
    g_auto (GStrv) parts = g_strsplit_set (line, " \t", 3);

    return g_strcmp0 (parts[0], "on") == 0 || g_strcmp0 (parts[0], "handle") == 0
           || command_takes_no_set (line);
}

static void
on_activate (GtkEntry *entry, GuiCommandPanel *self)
{
    g_autofree char *line = g_strstrip (g_strdup (gtk_entry_get_text (entry)));

    g_strdelimit (line, "\n", ' '); /* as pasted: one line it is */
    if (*line == '\0') {
        return;
    }
    g_ptr_array_add (self->history, g_strdup (line));
    self->at = self->history->len;
    gtk_entry_set_text (entry, "");
    if (self->ranks != NULL && !takes_no_set (line)) {
        g_autofree char *set = job_rank_set_format (self->ranks);

        gui_command_panel_runf (self, "on %s %s", set, line);
    } else {
        gui_command_panel_run (self, line);
    }
}

static void
recall (GuiCommandPanel *self, int by)
{
    gint64 at = (gint64) self->at + by;

    if (at < 0 || at > (gint64) self->history->len) {
        return;
    }
    self->at = (guint) at;
    gtk_entry_set_text (GTK_ENTRY (self->entry),
                        self->at < self->history->len ? self->history->pdata[self->at] : "");
    gtk_editable_set_position (GTK_EDITABLE (self->entry), -1);
}

static char *
find_common (char **words)
{
    gsize length = strlen (words[0]);

    for (guint i = 1; words[i] != NULL; i++) {
        gsize same = 0;

        while (same < length && words[i][same] == words[0][same]) {
            same++;
        }
        length = same;
    }
    return g_strndup (words[0], length);
}

static void complete (GuiCommandPanel *self);

static void
on_names (Session *session, gpointer user)
{
    GuiCommandPanel *self = user;
    g_autofree char *asked = g_steal_pointer (&self->asked);

    /* not if the user has typed more meanwhile */
    if (strcmp (gtk_entry_get_text (GTK_ENTRY (self->entry)), asked) == 0) {
        complete (self);
    }
}

static void
complete (GuiCommandPanel *self)
{
    const char *text = gtk_entry_get_text (GTK_ENTRY (self->entry));

    if (command_complete_ask (self->session, text, on_names, self)) {
        g_free (self->asked);
        self->asked = g_strdup (text);
        return;
    }
    g_auto (GStrv) words = command_complete (self->session, text);

    if (words == NULL || words[0] == NULL) {
        return;
    }
    g_autofree char *common = find_common (words);
    const char *space = strrchr (text, ' ');
    g_autofree char *head = g_strndup (text, space != NULL ? (gsize) (space - text) + 1 : 0);
    gboolean whole_line = g_str_has_prefix (common,
                                            text); /* words may be given as whole lines */
    g_autofree char *line = g_strconcat (whole_line ? "" : head, common,
                                         words[1] == NULL ? " " : "", NULL);
    if (words[1] != NULL && strlen (line) <= strlen (text)) {
        g_autofree char *list = g_strjoinv ("  ", words);

        append (self, "event", list);
        return;
    }
    gtk_entry_set_text (GTK_ENTRY (self->entry), line);
    gtk_editable_set_position (GTK_EDITABLE (self->entry), -1);
}

static gboolean
on_key (GtkWidget *entry, GdkEventKey *event, GuiCommandPanel *self)
{
    if (event->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK)) {
        return FALSE;
    }
    switch (event->keyval) {
    case GDK_KEY_Escape: return gui_command_panel_cancel (self);
    case GDK_KEY_Up: recall (self, -1); return TRUE;
    case GDK_KEY_Down: recall (self, 1); return TRUE;
    case GDK_KEY_Tab:
        if (*gtk_entry_get_text (GTK_ENTRY (entry)) == '\0') {
            return FALSE; /* leaves the entry, as everywhere */
        }
        complete (self);
        return TRUE;
    default: return FALSE;
    }
}

void
gui_command_panel_update_prompt (GuiCommandPanel *self)
{
    const JobRankSet *set = self->ranks != NULL     ? self->ranks
                            : self->session != NULL ? session_get_focus (self->session)
                                                    : NULL;
    g_autofree char *ranks = set != NULL ? job_rank_set_format_brief (set) : g_strdup ("");
    g_autofree char *full = NULL;

    if (strlen (ranks) > MAX_PROMPT) {
        strcpy (ranks + MAX_PROMPT - 1, "…");
    }
    full = *ranks == '\0'
               ? g_strdup (">")
               : g_strdup_printf ("on %s (%u) >", ranks, /* as it is typed: English */
                                  job_rank_set_get_count (set));
    gtk_label_set_text (GTK_LABEL (self->prompt), full);
}

/* Lines that are running are not answered any more. */
static void
leave_session (gpointer user)
{
    GuiCommandPanel *self = user;

    command_complete_cancel (self->session, self);
    g_clear_pointer (&self->context, command_context_free);
    g_ptr_array_set_size (self->running, 0);
    g_clear_object (&self->selection);
    g_object_notify (G_OBJECT (self), "selection");
}

static void
enter_session (gpointer user)
{
    GuiCommandPanel *self = user;

    if (self->session != NULL) {
        self->context = command_context_new (self->session, FALSE, on_write, self);
        self->selection = g_object_ref (command_context_get_selection (self->context));
        if (self->ranks != NULL) {
            command_context_show_only (self->context, self->ranks);
        }
        g_object_notify (G_OBJECT (self), "selection");
    }
    gui_command_panel_update_prompt (self);
}

void
gui_command_panel_keep_displays (GuiCommandPanel *self)
{
    command_context_keep_displays (self->context);
}

static void
enter_ranks (gpointer user)
{
    GuiCommandPanel *self = user;

    if (self->context != NULL) {
        command_context_show_only (self->context, self->ranks);
    }
    gui_command_panel_update_prompt (self);
}

void
gui_command_panel_focus (GuiCommandPanel *self)
{
    gtk_widget_grab_focus (self->entry);
}

GUI_DISPOSE (gui_command_panel, GuiCommandPanel,
             gui_properties_clear (self, GUI_TYPE_COMMAND_PANEL);
             g_clear_handle_id (&self->scroll_idle, g_source_remove))

GUI_FINALIZE (gui_command_panel, GuiCommandPanel, g_ptr_array_unref (self->history);
              g_ptr_array_unref (self->running); g_free (self->asked))

static void
gui_command_panel_class_init (GuiCommandPanelClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_command_panel_dispose;
    G_OBJECT_CLASS (klass)->finalize = gui_command_panel_finalize;
    GUI_PROPERTIES (klass, GuiCommandPanel,
                    (session, SESSION_TYPE_SESSION, leave_session, enter_session),
                    (ranks, GUI_TYPE_RANK_SET, .enter = enter_ranks),
                    (selection, SESSION_TYPE_SELECTION, .flags = G_PARAM_READABLE));
    signals[DONE] = GUI_SIGNAL (klass, "done", G_TYPE_BOOLEAN, G_TYPE_STRING);
    signals[BUSY] = GUI_SIGNAL (klass, "busy");
    signals[QUIT] = GUI_SIGNAL (klass, "quit");
    GUI_TEMPLATE (klass, "command-panel.ui");
    GUI_CHILDREN (klass, GuiCommandPanel, transcript, prompt, entry);
    GUI_CALLBACKS (klass, on_activate, on_key);
}

static void
prepare_transcript (GuiCommandPanel *self)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->transcript));
    GtkTextIter end;

    gtk_text_buffer_create_tag (buffer, "line", "weight", PANGO_WEIGHT_BOLD, NULL);
    gtk_text_buffer_create_tag (buffer, "answer", NULL);
    gtk_text_buffer_create_tag (buffer, "event", "style", PANGO_STYLE_ITALIC, NULL);
    gtk_text_buffer_create_tag (buffer, "error", "foreground",
                                gui_theme_is_dark (self->transcript) ? "#ff8a75" : "#c01c28",
                                NULL);
    gtk_text_buffer_get_end_iter (buffer, &end);
    self->end = gtk_text_buffer_create_mark (buffer, NULL, &end, FALSE);
    gui_hint_set (self->transcript,
                  _ ("Your actions appear here as commands, with the ranks' answers; "
                     "type help for all commands"));
}

static void
gui_command_panel_init (GuiCommandPanel *self)
{
    self->history = g_ptr_array_new_with_free_func (g_free);
    self->running = g_ptr_array_new_with_free_func (free_line);
    gtk_widget_init_template (GTK_WIDGET (self));
    prepare_transcript (self);
    gui_theme_name (self->transcript, "transcript", _ ("Transcript"));
    gui_theme_name (self->prompt, "prompt", NULL);
    gui_theme_name (self->entry, "command", _ ("Command"));
}

GtkWidget *
gui_command_panel_new (void)
{
    return g_object_new (GUI_TYPE_COMMAND_PANEL, NULL);
}
