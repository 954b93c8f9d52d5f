/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One entry, not a GtkSearchBar, which takes the focus before it is realized; the list of its completion holds files and functions. */
#include "gui/open-bar.h"
#include <glib/gi18n.h>
#include <string.h>
#include "gui/theme.h"
#include "job/where.h"

enum { TEXT, FILE_NAME, LINE, N_COLUMNS };
enum { MAX_SIBLINGS = 2000, MIN_LOOKUP = 2 };

struct _GuiOpenBar {
    GtkBox parent;
    GtkWidget *bar, *entry, *problem;
    GtkListStore *store;
    GHashTable *known;   /* set of texts in the list */
    gboolean lines_only;
};

G_DEFINE_TYPE (GuiOpenBar, gui_open_bar, GTK_TYPE_BOX)

enum { OPEN, LOOKUP, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
add_row (GuiOpenBar *self, const char *text, const char *file, guint line)
{
    if (g_hash_table_add (self->known, g_strdup (text))) {
        gtk_list_store_insert_with_values (self->store, NULL, -1, TEXT, text, FILE_NAME, file,
                                           LINE, line, -1);
    }
}

void
gui_open_bar_add_function (GuiOpenBar *self, const char *function, const char *file, guint line)
{
    add_row (self, function, file, line);
}

static gboolean
is_source (const char *name)
{
    static const char *const endings[] = { ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".cu",
        ".f", ".for", ".f90", ".f95", ".f03", ".f08", ".py", ".pyx", ".s" };
    g_autofree char *lower = g_ascii_strdown (name, -1);

    for (guint i = 0; i < G_N_ELEMENTS (endings); i++) {
        if (g_str_has_suffix (lower, endings[i])) {
            return TRUE;
        }
    }
    return FALSE;
}

static void
add_siblings (GuiOpenBar *self, const char *file)
{
    g_autofree char *folder = g_path_get_dirname (file);
    g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
    const char *name;

    for (guint n = 0; dir != NULL && n < MAX_SIBLINGS && (name = g_dir_read_name (dir)) != NULL;
         n++) {
        if (is_source (name)) {
            g_autofree char *path = g_build_filename (folder, name, NULL);

            add_row (self, name, path, 1);
        }
    }
}

void
gui_open_bar_show (GuiOpenBar *self, char **files, gboolean lines_only)
{
    gtk_list_store_clear (self->store);
    g_hash_table_remove_all (self->known);
    self->lines_only = lines_only;
    for (guint i = 0; !lines_only && files != NULL && files[i] != NULL; i++) {
        g_autofree char *name = g_path_get_basename (files[i]);

        add_row (self, name, files[i], 1);
        add_siblings (self, files[i]);
    }
    gtk_label_set_text (GTK_LABEL (self->problem), "");
    gtk_entry_set_placeholder_text (GTK_ENTRY (self->entry), lines_only
        ? _("Line") : _("File, FILE:LINE or function"));
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

/* The only row with this text, or that this is the beginning of. */
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
                         || job_where_match_file (text, file);
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

static void
on_activate (GuiOpenBar *self)
{
    g_autofree char *text = g_strstrip (g_strdup (gtk_entry_get_text (GTK_ENTRY (self->entry))));
    g_autofree char *file = NULL;
    char *colon = strrchr (text, ':');
    guint64 number = 0;
    guint line = 0;

    if (g_ascii_string_to_unsigned (text, 10, 1, G_MAXINT, &number, NULL)) {
        open_place (self, "", (guint) number);
        return;
    }
    if (colon != NULL && g_ascii_string_to_unsigned (colon + 1, 10, 1, G_MAXINT, &number, NULL)) {
        *colon = '\0';
    }
    if (!self->lines_only && find_row (self, text, &file, &line)) {
        open_place (self, file, number > 0 ? (guint) number : line);
    } else if (!self->lines_only && g_path_is_absolute (text)
               && g_file_test (text, G_FILE_TEST_IS_REGULAR)) {
        open_place (self, text, number > 0 ? (guint) number : 1);
    } else {
        gtk_label_set_text (GTK_LABEL (self->problem),
                            self->lines_only ? _("A line is a number") : _("Nothing is named so"));
    }
}

static gboolean
on_match (GtkEntryCompletion *completion, GtkTreeModel *model, GtkTreeIter *iter, GuiOpenBar *self)
{
    g_autofree char *file = NULL;
    guint line;

    gtk_tree_model_get (model, iter, FILE_NAME, &file, LINE, &line, -1);
    open_place (self, file, line);
    return TRUE;
}

static void
on_changed (GuiOpenBar *self)
{
    const char *text = gtk_entry_get_text (GTK_ENTRY (self->entry));

    gtk_label_set_text (GTK_LABEL (self->problem), "");
    if (!self->lines_only && strlen (text) >= MIN_LOOKUP && strpbrk (text, "/.: ") == NULL) {
        g_signal_emit (self, signals[LOOKUP], 0, text);
    }
}

static void
gui_open_bar_finalize (GObject *object)
{
    g_object_unref (GUI_OPEN_BAR (object)->store);
    g_hash_table_unref (GUI_OPEN_BAR (object)->known);
    G_OBJECT_CLASS (gui_open_bar_parent_class)->finalize (object);
}

static void
gui_open_bar_class_init (GuiOpenBarClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = gui_open_bar_finalize;
    signals[OPEN] = g_signal_new ("open", GUI_TYPE_OPEN_BAR, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_UINT);
    signals[LOOKUP] = g_signal_new ("lookup", GUI_TYPE_OPEN_BAR, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                    NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
gui_open_bar_init (GuiOpenBar *self)
{
    GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
    GtkEntryCompletion *completion = gtk_entry_completion_new ();

    self->known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    self->store = gtk_list_store_new (N_COLUMNS, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_UINT);
    self->bar = row;
    self->entry = gtk_search_entry_new ();
    gtk_entry_set_width_chars (GTK_ENTRY (self->entry), 40);
    gui_theme_name (self->entry, "open", _("File, line or function"));
    self->problem = gtk_label_new (NULL);
    gui_theme_name (self->problem, "open-problem", NULL);
    gtk_style_context_add_class (gtk_widget_get_style_context (self->problem), "pddt-error");
    gtk_entry_completion_set_model (completion, GTK_TREE_MODEL (self->store));
    gtk_entry_completion_set_text_column (completion, TEXT);
    gtk_entry_completion_set_minimum_key_length (completion, 1);
    gtk_entry_set_completion (GTK_ENTRY (self->entry), completion);
    gtk_box_pack_start (GTK_BOX (row), self->entry, TRUE, TRUE, 0);
    gtk_box_pack_start (GTK_BOX (row), self->problem, FALSE, FALSE, 0);
    gtk_container_set_border_width (GTK_CONTAINER (row), 4);
    gtk_box_pack_start (GTK_BOX (self), self->bar, TRUE, TRUE, 0);
    g_signal_connect_swapped (self->entry, "activate", G_CALLBACK (on_activate), self);
    g_signal_connect_swapped (self->entry, "search-changed", G_CALLBACK (on_changed), self);
    g_signal_connect (completion, "match-selected", G_CALLBACK (on_match), self);
    g_object_unref (completion);
    g_signal_connect_swapped (self->entry, "stop-search", G_CALLBACK (gtk_widget_hide), row);
    gtk_widget_show_all (GTK_WIDGET (self));
    gtk_widget_hide (row);
    gtk_widget_set_no_show_all (row, TRUE);
}

GtkWidget *
gui_open_bar_new (void)
{
    return g_object_new (GUI_TYPE_OPEN_BAR, NULL);
}
