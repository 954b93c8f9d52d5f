/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One entry, not a GtkSearchBar, which takes the focus before it is realized; its completion
 * lists files and functions: known ones, and those that the program has for the typed text. */
#include "gui/source/open-bar.h"
#include <glib/gi18n.h>
#include <string.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "job/where.h"
#include "session/sources.h"
#include "base/array.h"

enum { TEXT, FILE_NAME, LINE, PLACE, IS_LIBRARY, N_COLUMNS }; /* open-bar.ui has two of these */
enum { MAX_SIBLINGS = 2000, MIN_LOOKUP = 2, MAX_SCRIPT = 1 << 20, MAX_FILE = 64 << 20 };

struct _GuiOpenBar {
    GtkBox parent;
    GtkWidget *bar, *label, *entry, *problem;
    GtkEntryCompletion *completion;
    GtkListStore *store;
    GHashTable *known;     /* set of "text file line" in the list */
    Session *session;      /* NULL: files of this host */
    GCancellable *reading; /* of files and folders; NULL: none was read */
    gboolean lines_only;
    gboolean is_waiting; /* Return was pressed; the answer decides */
};

G_DEFINE_TYPE (GuiOpenBar, gui_open_bar, GTK_TYPE_BOX)

enum { OPEN, LOOKUP, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
add_row (GuiOpenBar *self, const char *text, const char *file, guint line, gboolean is_library)
{
    char *key = g_strdup_printf ("%s %s %u", text, file != NULL ? file : "", line);
    g_autofree char *base = file != NULL ? g_path_get_basename (file) : NULL;
    g_autofree char *place = base == NULL ? g_strdup (_ ("no source"))
                             : line > 1   ? g_strdup_printf ("%s:%u", base, line)
                                          : g_strdup (strcmp (base, text) == 0 ? "" : base);

    if (g_hash_table_add (self->known, key)) {
        gtk_list_store_insert_with_values (self->store, NULL, -1, TEXT, text, FILE_NAME, file,
                                           LINE, line, PLACE, place, IS_LIBRARY, is_library,
                                           -1);
    }
}

void
gui_open_bar_add_function (GuiOpenBar *self, const char *function, const char *file, guint line,
                           gboolean is_library)
{
    add_row (self, function, file, line, is_library);
}

/* A row, by what it is offered before. */
typedef struct {
    char *text; /* folded */
    guint score;
    int number; /* of the row */
} Offer;

static void
clear_offer (gpointer offer)
{
    g_free (((Offer *) offer)->text);
}

BASE_ORDER (compare_offers, Offer,
            BASE_BY (score) ?: BASE_COMPARE (strlen (left->text), strlen (right->text))
                ?: strcmp (left->text, right->text))

/* The program's own first; then exact matches, beginnings, beginnings of a part ("ns::NAME"), others. */
static guint
rate (const char *text, const char *wanted, gboolean is_library)
{
    const char *hit = strstr (text, wanted);
    guint score = 4;

    for (; hit != NULL; hit = strstr (hit + 1, wanted)) {
        guint here = strcmp (text, wanted) == 0        ? 0
                     : hit == text                     ? 1
                     : strchr (":./", hit[-1]) != NULL ? 2
                                                       : 3;

        score = MIN (score, here);
    }
    return score + (is_library ? 8 : 0);
}

/* "a.c" of "a.c:12", folded. */
static char *
dup_wanted (const char *typed)
{
    const char *colon = strrchr (typed, ':');
    gboolean has_line = colon != NULL && colon > typed && colon[-1] != ':';

    return g_utf8_casefold (typed, has_line ? colon - typed : -1);
}

/* Rows stand in the order in which they are offered for what is typed. */
static void
sort_rows (GuiOpenBar *self)
{
    GtkTreeModel *model = GTK_TREE_MODEL (self->store);
    g_autofree char *wanted = dup_wanted (gtk_entry_get_text (GTK_ENTRY (self->entry)));
    g_autoptr (GArray) offers = g_array_new (FALSE, FALSE, sizeof (Offer));
    g_autofree int *order = NULL;
    GtkTreeIter iter;

    if (*wanted == '\0') {
        return;
    }
    g_array_set_clear_func (offers, clear_offer);
    for (gboolean more = gtk_tree_model_get_iter_first (model, &iter); more;
         more = gtk_tree_model_iter_next (model, &iter)) {
        g_autofree char *text = NULL;
        gboolean is_library;
        Offer offer;

        gtk_tree_model_get (model, &iter, TEXT, &text, IS_LIBRARY, &is_library, -1);
        offer.text = g_utf8_casefold (text, -1);
        offer.score = rate (offer.text, wanted, is_library);
        offer.number = (int) offers->len;
        g_array_append_val (offers, offer);
    }
    g_array_sort (offers, compare_offers);
    order = g_new (int, offers->len + 1);
    for (guint i = 0; i < offers->len; i++) {
        order[i] = g_array_index (offers, Offer, i).number;
    }
    if (offers->len > 1) {
        gtk_list_store_reorder (self->store, order);
    }
}

/* What a file or folder is read for. */
typedef struct {
    GuiOpenBar *bar;
    char *path;
    guint line; /* of a file that is looked for */
} Reading;

static void
free_reading (Reading *reading)
{
    g_free (reading->path);
    g_free (reading);
}

static Reading *
make_reading (GuiOpenBar *self, const char *path)
{
    Reading *reading = g_new (Reading, 1);

    *reading = (Reading){ self, g_strdup (path), 1 };
    return reading;
}

/* The functions and classes of a Python file, by their lines. */
static void
add_definitions (GuiOpenBar *self, const char *file, const char *text)
{
    g_autoptr (GRegex) pattern
        = g_regex_new ("^[ \\t]*(?:async[ \\t]+)?(?:def|class)[ \\t]+(\\w+)", 0, 0, NULL);
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

    for (guint i = 0; lines[i] != NULL; i++) {
        g_autoptr (GMatchInfo) match = NULL;

        if (g_regex_match (pattern, lines[i], 0, &match)) {
            g_autofree char *name = g_match_info_fetch (match, 1);

            add_row (self, name, file, i + 1, FALSE);
        }
    }
}

static void
on_script (GObject *source, GAsyncResult *result, gpointer user)
{
    Reading *reading = user;
    g_autoptr (GError) error = NULL;
    gsize size = 0;
    g_autofree char *text = session_read_source_finish (result, &size, &error);

    if (text != NULL && g_utf8_validate (text, (gssize) size, NULL)) {
        add_definitions (reading->bar, reading->path, text); /* else cancelled, or unreadable */
    }
    free_reading (reading);
}

static gboolean
is_source (const char *name)
{
    static const char *const endings[] = { ".c",   ".h",   ".cc", ".cpp", ".cxx", ".hpp",
                                           ".hh",  ".cu",  ".f",  ".for", ".f90", ".f95",
                                           ".f03", ".f08", ".py", ".pyx", ".s" };
    g_autofree char *lower = g_ascii_strdown (name, -1);

    return BASE_ANY (i, G_N_ELEMENTS (endings), g_str_has_suffix (lower, endings[i]));
}

static void
on_folder (GObject *source, GAsyncResult *result, gpointer user)
{
    Reading *reading = user;
    g_autoptr (GError) error = NULL;
    g_autoptr (GPtrArray) names = session_list_folder_finish (result, &error);

    for (guint i = 0; names != NULL && i < names->len; i++) {
        if (is_source (names->pdata[i])) {
            g_autofree char *path = g_build_filename (reading->path, names->pdata[i], NULL);

            add_row (reading->bar, names->pdata[i], path, 1, FALSE);
        }
    }
    free_reading (reading);
}

/* Files beside it, and what it defines; rows come when they are known. */
static void
begin_reading (GuiOpenBar *self, const char *file)
{
    g_autofree char *folder = g_path_get_dirname (file);

    session_list_folder_async (self->session, folder, MAX_SIBLINGS, self->reading, on_folder,
                               make_reading (self, folder));
    if (g_str_has_suffix (file, ".py")) {
        session_read_source_async (self->session, file, MAX_SCRIPT, self->reading, on_script,
                                   make_reading (self, file));
    }
}

static void
stop_reading (GuiOpenBar *self)
{
    g_cancellable_cancel (self->reading);
    g_clear_object (&self->reading);
}

static void
leave_session (gpointer self)
{
    stop_reading (self);
}

void
gui_open_bar_show (GuiOpenBar *self, char **files, gboolean lines_only)
{
    gtk_list_store_clear (self->store);
    g_hash_table_remove_all (self->known);
    stop_reading (self);
    self->reading = g_cancellable_new ();
    self->lines_only = lines_only;
    for (guint i = 0; !lines_only && files != NULL && files[i] != NULL; i++) {
        g_autofree char *name = g_path_get_basename (files[i]);

        add_row (self, name, files[i], 1, FALSE);
        begin_reading (self, files[i]);
    }
    self->is_waiting = FALSE;
    gtk_label_set_text (GTK_LABEL (self->problem), "");
    gtk_label_set_text (GTK_LABEL (self->label),
                        lines_only ? _ ("Line") : _ ("File, FILE:LINE or function"));
    gtk_widget_set_tooltip_text (self->label, gtk_label_get_text (GTK_LABEL (self->label)));
    gtk_entry_set_text (GTK_ENTRY (self->entry), "");
    gtk_widget_show (self->bar);
    gtk_widget_grab_focus (self->entry);
}

static void
open_place (GuiOpenBar *self, const char *file, guint line)
{
    gtk_widget_hide (self->bar);
    g_signal_emit (self, signals[OPEN], 0, file, line);
}

/* The row with this text, or the only one that this is the beginning of; *ret_file NULL: what is
 * named so has no source. */
static gboolean
find_row (GuiOpenBar *self, const char *text, char **ret_file, guint *ret_line)
{
    GtkTreeModel *model = GTK_TREE_MODEL (self->store);
    GtkTreeIter iter;
    guint n_found = 0;

    for (gboolean more = gtk_tree_model_get_iter_first (model, &iter); more;
         more = gtk_tree_model_iter_next (model, &iter)) {
        g_autofree char *row = NULL, *file = NULL;
        guint line;

        gtk_tree_model_get (model, &iter, TEXT, &row, FILE_NAME, &file, LINE, &line, -1);
        gboolean is_exact = strcmp (row, text) == 0
                            || (file != NULL && job_where_match_file (text, file));
        if (is_exact || g_str_has_prefix (row, text)) {
            n_found++;
            g_free (*ret_file);
            *ret_file = g_steal_pointer (&file);
            *ret_line = line;
            if (is_exact) {
                return TRUE;
            }
        }
    }
    return n_found == 1;
}

/* A path that no row has: it is a file, or something that the program may know. */
static void
on_file (GObject *source, GAsyncResult *result, gpointer user)
{
    Reading *reading = user;
    g_autoptr (GError) error = NULL;
    g_autofree char *text = session_read_source_finish (result, NULL, &error);

    if (text != NULL) {
        reading->bar->is_waiting = FALSE;
        open_place (reading->bar, reading->path, reading->line);
    } else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
               && reading->bar->is_waiting) {
        g_signal_emit (reading->bar, signals[LOOKUP], 0, reading->path);
    }
    free_reading (reading);
}

static void
look_for_file (GuiOpenBar *self, const char *path, guint line)
{
    Reading *reading = make_reading (self, path);

    reading->line = line;
    session_read_source_async (self->session, path, MAX_FILE, self->reading, on_file, reading);
}

static void
on_activate (GuiOpenBar *self)
{
    g_autofree char *text
        = g_strstrip (g_strdup (gtk_entry_get_text (GTK_ENTRY (self->entry))));
    g_autofree char *file = NULL;
    char *colon = strrchr (text, ':');
    guint64 number = 0;
    guint line = 0;

    if (g_ascii_string_to_unsigned (text, 10, 1, G_MAXINT, &number, NULL)) {
        open_place (self, "", (guint) number);
        return;
    }
    if (colon != NULL
        && g_ascii_string_to_unsigned (colon + 1, 10, 1, G_MAXINT, &number, NULL)) {
        *colon = '\0';
    }
    if (!self->lines_only && find_row (self, text, &file, &line)) {
        self->is_waiting = FALSE;
        if (file != NULL) {
            open_place (self, file, number > 0 ? (guint) number : line);
        } else {
            gtk_label_set_text (GTK_LABEL (self->problem), _ ("Source not found"));
        }
    } else if (!self->lines_only && !self->is_waiting && *text != '\0') {
        self->is_waiting = TRUE; /* the program may know it */
        gtk_label_set_text (GTK_LABEL (self->problem), _ ("Looking for it…"));
        if (g_path_is_absolute (text)) {
            look_for_file (self, text, number > 0 ? (guint) number : 1);
        } else {
            g_signal_emit (self, signals[LOOKUP], 0, text);
        }
    } else {
        self->is_waiting = FALSE;
        gtk_label_set_text (GTK_LABEL (self->problem),
                            self->lines_only ? _ ("Type a line number") : _ ("No match"));
    }
}

void
gui_open_bar_finish (GuiOpenBar *self)
{
    sort_rows (self);
    if (self->is_waiting) {
        on_activate (self);
    } else if (gtk_widget_has_focus (self->entry)) {
        gtk_entry_completion_complete (gtk_entry_get_completion (GTK_ENTRY (self->entry)));
    }
}

/* Offers every name that contains the text. */
static gboolean
is_offered (GtkEntryCompletion *completion, const char *key, GtkTreeIter *iter, gpointer user)
{
    g_autofree char *text = NULL, *folded = NULL;
    g_autofree char *wanted = dup_wanted (key);

    gtk_tree_model_get (gtk_entry_completion_get_model (completion), iter, TEXT, &text, -1);
    folded = text != NULL ? g_utf8_casefold (text, -1) : NULL; /* the key is folded already */
    return folded != NULL && strstr (folded, wanted) != NULL;
}

static gboolean
on_match (GtkEntryCompletion *completion, GtkTreeModel *model, GtkTreeIter *iter,
          GuiOpenBar *self)
{
    g_autofree char *file = NULL;
    guint line;

    gtk_tree_model_get (model, iter, FILE_NAME, &file, LINE, &line, -1);
    if (file != NULL) {
        open_place (self, file, line);
    } else {
        gtk_label_set_text (GTK_LABEL (self->problem), _ ("Source not found"));
    }
    return TRUE;
}

static void
on_changed (GuiOpenBar *self)
{
    const char *text = gtk_entry_get_text (GTK_ENTRY (self->entry));

    if (self->is_waiting) {
        return; /* it has been asked for */
    }
    if (!self->lines_only && strlen (text) >= MIN_LOOKUP) {
        g_signal_emit (self, signals[LOOKUP], 0, text);
    }
}

GUI_FINALIZE (gui_open_bar, GuiOpenBar, stop_reading (self);
              gui_properties_clear (self, GUI_TYPE_OPEN_BAR); g_object_unref (self->store);
              g_hash_table_unref (self->known))

static void
on_typed (GuiOpenBar *self)
{
    self->is_waiting = FALSE;
    gtk_label_set_text (GTK_LABEL (self->problem), "");
    sort_rows (self);
}

static void
gui_open_bar_class_init (GuiOpenBarClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = gui_open_bar_finalize;
    GUI_PROPERTIES (klass, GuiOpenBar, (session, SESSION_TYPE_SESSION, leave_session));
    signals[OPEN] = GUI_SIGNAL (klass, "open", G_TYPE_STRING, G_TYPE_UINT);
    signals[LOOKUP] = GUI_SIGNAL (klass, "lookup", G_TYPE_STRING);
    GUI_TEMPLATE (klass, "open-bar.ui");
    GUI_CHILDREN (klass, GuiOpenBar, bar, label, entry, completion, problem);
    GUI_CALLBACKS (klass, on_activate, on_typed, on_match, on_changed, gtk_widget_hide);
}

static void
gui_open_bar_init (GuiOpenBar *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    self->known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    self->store = gtk_list_store_new (N_COLUMNS, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_UINT,
                                      G_TYPE_STRING, G_TYPE_BOOLEAN);
    gui_theme_name (self->entry, "open", _ ("File, line or function"));
    gui_theme_name (self->problem, "open-problem", NULL);
    gtk_entry_completion_set_model (self->completion, GTK_TREE_MODEL (self->store));
    gtk_entry_completion_set_match_func (self->completion, is_offered, NULL, NULL);
}

GtkWidget *
gui_open_bar_new (void)
{
    return g_object_new (GUI_TYPE_OPEN_BAR, NULL);
}
