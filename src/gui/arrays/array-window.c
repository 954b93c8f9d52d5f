/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queries when it is opened, when the expression or the rank change, and on Update. The table
 * shows the part of the slice from the chosen row and column on; everything else works on the
 * whole array. */
#include "gui/arrays/array-window.h"
#include <glib/gi18n.h>
#include "base/array.h"
#include "base/error.h"
#include <string.h>
#include "gui/arrays/array-answer.h"
#include "gui/arrays/array-choice.h"
#include "gui/arrays/array-export.h"
#include "gui/arrays/array-picture.h"
#include "gui/kit/chooser.h"
#include "gui/kit/freshness.h"
#include "gui/kit/hint.h"
#include "gui/kit/progress-line.h"
#include "gui/kit/rank-choice.h"
#include "gui/kit/properties.h"
#include "gui/kit/rank-set.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "session/query.h"

enum { MAX_ROWS = 500, MAX_COLUMNS = 40, EXPORT_US = 6000 };

struct _GuiArrayWindow {
    GtkWindow parent;
    Session *session;
    SessionSelection *selection; /* NULL: none */
    JobRankSet *ranks;
    SessionQuery *query;
    GuiArrayData *data;
    GuiArraySlice slice;
    GuiArrayStatistics statistics;
    GtkWidget *header, *expression, *rank, *slices, *numbers, *problem, *table, *scroller,
        *picture, *map, *from_row, *from_column, *save_csv, *save_npy, *age, *content, *pages;
    GuiArrayChoice *choice;
    GuiFreshness *freshness;
    JobRankSet *asked; /* by the query */
    char *key, *shown; /* expression and rank that were asked for, and those of data; NULL */
    GuiProgressLine *progress;
    GuiArrayExport *export; /* under way; NULL: none */
    GCancellable *cancellable;
    guint export_source;
    gboolean is_filling, is_single; /* single: of one rank */
};

G_DEFINE_TYPE (GuiArrayWindow, gui_array_window, GTK_TYPE_WINDOW)

/* Which index of the dimension a spin button's number is: the program's own, or a rank. */
static guint64
get_index (GuiArrayWindow *self, GtkWidget *spin, guint dimension)
{
    gint64 wanted = (gint64) gtk_spin_button_get_value (GTK_SPIN_BUTTON (spin));
    guint64 index = 0;

    if (dimension >= self->data->n_dimensions) {
        return 0;
    }
    if (self->data->ranks == NULL || dimension != self->data->rank_dimension) {
        return (guint64) (wanted - self->data->lower[dimension]);
    }
    while (index + 1 < self->data->shape[dimension] && self->data->ranks[index] < wanted) {
        index++;
    }
    return index;
}

/* The dimension's indices, beginning with the first. */
static void
set_range (GuiArrayWindow *self, GtkWidget *spin, guint dimension)
{
    guint64 count = dimension < self->data->n_dimensions ? self->data->shape[dimension] : 0;
    double first = count == 0
                       ? 0
                       : (double) gui_array_data_get_coordinate (self->data, dimension, 0);

    gtk_spin_button_set_range (GTK_SPIN_BUTTON (spin), first,
                               count == 0 ? 0
                                          : (double) gui_array_data_get_coordinate (self->data,
                                                                                    dimension,
                                                                                    count - 1));
    gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin), first);
}

/* The heading of a column or row. */
static char *
format_title (GuiArrayWindow *self, guint dimension, guint64 index)
{
    gint64 number = dimension < self->data->n_dimensions
                        ? gui_array_data_get_coordinate (self->data, dimension, index)
                        : (gint64) index;

    return self->data->ranks != NULL && dimension == self->data->rank_dimension
               ? g_strdup_printf (_ ("rank %u"), (guint) number)
               : g_strdup_printf ("%" G_GINT64_FORMAT, number);
}

/* Of joined arrays: with the rank whose part begins there. */
static char *
format_head (GuiArrayWindow *self, guint dimension, guint64 index)
{
    char *title = format_title (self, dimension, index);

    BASE_EACH_ROW (self->data->parts, const GuiArrayPart, part) {
        if (dimension == self->data->join_dimension && part->begin == index) {
            g_autofree char *plain = title;

            /* Translators: the index of a row or column, and the rank whose part begins there. */
            title = g_strdup_printf (_ ("rank %u: %s"), part->rank, plain);
        }
    }
    return title;
}

/* Something of the row is shown, in these columns. */
static gboolean
is_row_shown (GuiArrayWindow *self, guint64 row, guint64 first_column, guint n_columns)
{
    for (guint i = 0; i < n_columns; i++) {
        guint64 position = gui_array_slice_get_position (self->data, &self->slice, row,
                                                         first_column + i);

        if (!gui_array_data_is_hidden (self->data, position)) {
            return TRUE;
        }
    }
    return FALSE;
}

static void
append_row (GuiArrayWindow *self, GtkListStore *store, guint64 row, guint64 first_column,
            guint n_columns)
{
    g_autofree char *name = format_head (self, self->slice.rows, row);
    GtkTreeIter iter;

    gtk_list_store_insert_with_values (store, &iter, -1, 0, name, -1);
    for (guint i = 0; i < n_columns; i++) {
        guint64 position = gui_array_slice_get_position (self->data, &self->slice, row,
                                                         first_column + i);
        g_autofree char *text = gui_array_data_is_hidden (self->data, position)
                                    ? NULL
                                    : gui_array_data_format (self->data, position, FALSE);

        gtk_list_store_set (store, &iter, (int) i + 1, text, -1);
    }
}

static void
fill_table (GuiArrayWindow *self)
{
    guint64 first_row = get_index (self, self->from_row, self->slice.rows);
    guint64 first_column = get_index (self, self->from_column, self->slice.columns);
    guint64 n_rows = self->data->shape[self->slice.rows];
    guint64 n_columns = gui_array_slice_get_n_columns (self->data, &self->slice);
    guint columns = (guint) MIN (n_columns - MIN (first_column, n_columns), MAX_COLUMNS);
    GType types[MAX_COLUMNS + 1];
    g_autoptr (GtkListStore) store = NULL;

    for (guint i = 0; i <= columns; i++) {
        types[i] = G_TYPE_STRING;
    }
    store = gtk_list_store_newv ((int) columns + 1, types);
    gtk_tree_view_set_model (GTK_TREE_VIEW (self->table), NULL); /* columns of no model yet */
    while (gtk_tree_view_get_n_columns (GTK_TREE_VIEW (self->table)) > 0) {
        gtk_tree_view_remove_column (GTK_TREE_VIEW (self->table),
                                     gtk_tree_view_get_column (GTK_TREE_VIEW (self->table), 0));
    }
    for (guint i = 0; i <= columns; i++) {
        GtkCellRenderer *cell = gtk_cell_renderer_text_new ();
        g_autofree char *title = i == 0 ? g_strdup ("")
                                        : format_head (self, self->slice.columns,
                                                       first_column + i - 1);

        g_object_set (cell, "xalign", 1.0f, "weight",
                      i == 0 ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL, NULL);
        gtk_tree_view_insert_column_with_attributes (GTK_TREE_VIEW (self->table), -1, title,
                                                     cell, "text", (int) i, NULL);
    }
    gtk_tree_view_append_column (GTK_TREE_VIEW (self->table), gtk_tree_view_column_new ());
    for (guint64 row = first_row, n = 0; row < n_rows && n < MAX_ROWS; row++) {
        if (self->data->hidden == NULL || is_row_shown (self, row, first_column, columns)) {
            append_row (self, store, row, first_column, columns);
            n++;
        }
    }
    gtk_tree_view_set_model (GTK_TREE_VIEW (self->table), GTK_TREE_MODEL (store));
}

static void
show_numbers (GuiArrayWindow *self)
{
    const GuiArrayStatistics *s = &self->statistics;
    g_autofree char *low = s->n_finite > 0 ? gui_array_data_format_index (self->data, s->min_at)
                                           : g_strdup ("");
    g_autofree char *high = s->n_finite > 0
                                ? gui_array_data_format_index (self->data, s->max_at)
                                : g_strdup ("");
    g_autofree char *text
        = s->n_finite > 0
              ? g_strdup_printf (
                  _ ("%s elements · min %.6g at %s · max %.6g at %s · mean %.6g · "
                     "deviation %.6g · "
                     "zeros %s · NaN %s · infinite %s"),
                  "%1", s->min, low, s->max, high, s->mean, s->deviation, "%2", "%3", "%4")
              : g_strdup_printf (_ ("%s elements · zeros %s · NaN %s · infinite %s"), "%1",
                                 "%2", "%3", "%4");
    const guint64 counts[] = { s->n_shown, s->n_zero, s->n_nan, s->n_inf };
    g_autoptr (GString) whole = g_string_new (text);

    for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
        g_autofree char *mark = g_strdup_printf ("%%%u", i + 1);
        g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT, counts[i]);
        char *at = strstr (whole->str, mark);

        if (at != NULL) {
            gssize offset = at - whole->str;

            g_string_erase (whole, offset, 2);
            g_string_insert (whole, offset, number);
        }
    }
    if (self->data->hidden != NULL) {
        /* Translators: an expression, such as value > 0.5; what follows is about these elements. */
        g_autofree char *only = g_strdup_printf (_ ("Only where %s:"),
                                                 gui_array_choice_get_filter (self->choice));

        g_string_prepend (whole, " ");
        g_string_prepend (whole, only);
    }
    gtk_label_set_text (GTK_LABEL (self->numbers), whole->str);
}

static void
show_slice (GuiArrayWindow *self)
{
    fill_table (self);
    gui_array_picture_set (GUI_ARRAY_PICTURE (self->picture), self->data, &self->slice,
                           self->statistics.min, self->statistics.max);
    gui_array_picture_set (GUI_ARRAY_PICTURE (self->map), self->data, &self->slice,
                           self->statistics.min, self->statistics.max);
}

static void
set_corners (GuiArrayWindow *self)
{
    self->is_filling = TRUE;
    set_range (self, self->from_row, self->slice.rows);
    set_range (self, self->from_column, self->slice.columns);
    self->is_filling = FALSE;
}

/* A dimension's chooser: "rows", "columns" or an index. */
static void
on_dimension (GtkWidget *widget, GuiArrayWindow *self)
{
    guint dimension = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (widget), "dimension"));

    if (self->is_filling || self->data == NULL) {
        return;
    }
    if (GTK_IS_SPIN_BUTTON (widget)) {
        self->slice.fixed[dimension] = get_index (self, widget, dimension);
    } else if (GTK_IS_COMBO_BOX (widget)) {
        guint chosen = (guint) MAX (gtk_combo_box_get_active (GTK_COMBO_BOX (widget)), 0);
        guint *mine = dimension == 0 ? &self->slice.rows : &self->slice.columns;
        guint *other = dimension == 0 ? &self->slice.columns : &self->slice.rows;

        if (*other == chosen) {
            *other = *mine;
        }
        *mine = chosen;
    }
    set_corners (self);
    show_slice (self);
}

static void
on_corner (GuiArrayWindow *self)
{
    if (!self->is_filling && self->data != NULL) {
        fill_table (self);
    }
}

static void
add_to_slices (GuiArrayWindow *self, const char *label, GtkWidget *widget, guint dimension,
               const char *signal)
{
    gtk_box_pack_start (GTK_BOX (self->slices), gtk_label_new (label), FALSE, FALSE, 0);
    gtk_box_pack_start (GTK_BOX (self->slices), widget, FALSE, FALSE, 0);
    gui_theme_name (widget, NULL, label);
    g_object_set_data (G_OBJECT (widget), "dimension", GUINT_TO_POINTER (dimension));
    g_signal_connect (widget, signal, G_CALLBACK (on_dimension), self);
}

static void
fill_slices (GuiArrayWindow *self)
{
    g_autoptr (GList) old = gtk_container_get_children (GTK_CONTAINER (self->slices));
    static const char *const names[] = { N_ ("Rows"), N_ ("Columns") };

    g_list_foreach (old, (GFunc) (void (*) (void)) gtk_widget_destroy, NULL);
    self->is_filling = TRUE;
    for (guint i = 0; i < 2 && self->data->n_dimensions > 1; i++) {
        GtkWidget *combo = gtk_combo_box_text_new ();

        for (guint j = 0; j < self->data->n_dimensions; j++) {
            gboolean is_ranks = self->data->ranks != NULL && j == self->data->rank_dimension;
            g_autofree char *text = is_ranks
                                        ? g_strdup_printf (_ ("ranks (%s)"), "%")
                                        : g_strdup_printf (_ ("dimension %u (%s)"),
                                                           j + self->data->is_fortran, "%");
            g_auto (GStrv) halves = g_strsplit (text, "%", 2);
            g_autofree char *full = g_strdup_printf ("%s%" G_GUINT64_FORMAT "%s", halves[0],
                                                     self->data->shape[j],
                                                     halves[1] != NULL ? halves[1] : "");

            gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (combo), full);
        }
        gtk_combo_box_set_active (GTK_COMBO_BOX (combo),
                                  (int) (i == 0 ? self->slice.rows : self->slice.columns));
        add_to_slices (self, _ (names[i]), combo, i, "changed");
    }
    for (guint j = 0; j < self->data->n_dimensions && self->data->n_dimensions > 2; j++) {
        if (j != self->slice.rows && j != self->slice.columns) {
            GtkWidget *spin = gtk_spin_button_new_with_range (0, 1, 1);
            gboolean is_ranks = self->data->ranks != NULL && j == self->data->rank_dimension;
            g_autofree char *label = is_ranks ? g_strdup (_ ("Rank"))
                                              : g_strdup_printf (_ ("Index %u"),
                                                                 j + self->data->is_fortran);

            set_range (self, spin, j);
            gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin),
                                       (double) gui_array_data_get_coordinate (self->data, j,
                                                                               self->slice
                                                                                   .fixed[j]));
            add_to_slices (self, label, spin, j, "value-changed");
        }
    }
    gtk_widget_show_all (self->slices);
    self->is_filling = FALSE;
}

static void
show_problem (GuiArrayWindow *self, const char *text)
{
    gtk_label_set_text (GTK_LABEL (self->problem), text != NULL ? text : "");
    gtk_widget_set_visible (self->problem, text != NULL);
    gtk_widget_set_sensitive (self->save_csv, text == NULL);
    gtk_widget_set_sensitive (self->save_npy, text == NULL);
}

/* The two fastest dimensions as rows and columns; stacked vectors have one row for each
 * rank. */
static GuiArraySlice
choose_slice (const GuiArrayData *data)
{
    GuiArraySlice slice = { 0, G_MAXUINT, { 0 } };

    if (data->n_dimensions == 2 && data->ranks != NULL) {
        slice.rows = data->rank_dimension;
        slice.columns = 1 - data->rank_dimension;
    } else if (data->n_dimensions > 1) {
        slice.rows = data->is_fortran ? 0 : data->n_dimensions - 2;
        slice.columns = slice.rows + 1;
    }
    return slice;
}

static void end_export (GuiArrayWindow *self, const char *problem);

/* What the filter leaves of the data. FALSE: it cannot be understood, which is said. */
static gboolean
show_filtered (GuiArrayWindow *self)
{
    g_autoptr (GError) error = NULL;
    guint32 rank = self->is_single ? job_rank_set_get_lowest (self->asked) : 0;
    gboolean ok = gui_array_choice_filter (self->choice, self->data, rank, &error);

    gui_hint_set (self->table,
                  self->data->hidden != NULL
                      ? _ ("No element is so")
                      : _ ("Type the name of an array above; for a C pointer, *POINTER@COUNT"));
    gui_array_data_summarise (self->data, &self->statistics);
    show_numbers (self);
    show_slice (self);
    if (!ok) {
        show_problem (self, base_error_get_shown (error));
    }
    return ok;
}

static void
on_filtered (GuiArrayWindow *self)
{
    if (self->data != NULL) {
        end_export (self, NULL); /* of what was hidden before */
        show_problem (self, NULL);
        show_filtered (self);
    }
}

static void
take_data (GuiArrayWindow *self, GuiArrayData *data)
{
    GuiArraySlice nothing = { 0, 0, { 0 } };
    gboolean is_same = self->data != NULL && self->data->n_dimensions == data->n_dimensions
                       && memcmp (self->data->shape, data->shape, sizeof data->shape) == 0;
    g_autofree char *shape = gui_array_data_format_shape (data);
    g_autofree char *type = gui_array_data_format_type (data);
    g_autofree char *subtitle = g_strdup_printf ("%s %s", type, shape);

    gui_array_picture_set (GUI_ARRAY_PICTURE (self->picture), NULL, &nothing, 0, 0);
    gui_array_picture_set (GUI_ARRAY_PICTURE (self->map), NULL, &nothing, 0, 0);
    end_export (self, NULL); /* it reads the old one */
    gui_array_data_free (self->data);
    self->data = data;
    gtk_header_bar_set_subtitle (GTK_HEADER_BAR (self->header), subtitle);
    if (!is_same) {
        self->slice = choose_slice (data);
        fill_slices (self);
        set_corners (self);
    }
    show_problem (self, NULL);
    show_filtered (self);
}

/* What is shown is another array than what the title says. */
static void
forget_data (GuiArrayWindow *self)
{
    GuiArraySlice nothing = { 0, 0, { 0 } };

    gui_array_picture_set (GUI_ARRAY_PICTURE (self->picture), NULL, &nothing, 0, 0);
    gui_array_picture_set (GUI_ARRAY_PICTURE (self->map), NULL, &nothing, 0, 0);
    end_export (self, NULL);
    g_clear_pointer (&self->data, gui_array_data_free);
    g_clear_pointer (&self->shown, g_free);
    gtk_container_foreach (GTK_CONTAINER (self->slices),
                           (GtkCallback) (void (*) (void)) gtk_widget_destroy, NULL);
    gtk_tree_view_set_model (GTK_TREE_VIEW (self->table), NULL);
    gtk_label_set_text (GTK_LABEL (self->numbers), "");
    gtk_header_bar_set_subtitle (GTK_HEADER_BAR (self->header), NULL);
    gtk_widget_hide (self->content);
    gtk_widget_hide (self->age);
}

static void
on_answer (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    GuiArrayWindow *self = user;
    g_autoptr (GError) error = NULL;
    g_autoptr (GArray) ranks = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_autoptr (GPtrArray) arrays = gui_array_answer_read (answer->groups, ranks, &error);
    g_autofree char *failures = gui_array_answer_format_failures (answer);
    GuiArrayData *data = NULL;

    if (arrays != NULL && arrays->len > 0) {
        data = self->is_single ? g_ptr_array_steal_index (arrays, 0)
                               : gui_array_choice_combine (self->choice, arrays, ranks, &error);
    }
    if (data != NULL) {
        take_data (self, data);
        g_free (self->shown);
        self->shown = g_strdup (self->key);
        gtk_widget_show (self->content);
        gtk_widget_show (self->age);
        gui_freshness_note (self->freshness, self->session, self->asked, answer->old);
        if (failures != NULL) {
            show_problem (self, failures);
        }
        gtk_widget_set_sensitive (self->save_csv, TRUE); /* of those that have answered */
        gtk_widget_set_sensitive (self->save_npy, TRUE);
    } else {
        if (error != NULL || g_strcmp0 (self->key, self->shown) != 0) {
            forget_data (self);
        }
        show_problem (self, error != NULL ? base_error_get_shown (error) : failures);
    }
    g_clear_pointer (&self->query, session_query_free);
}

static void
ask (GuiArrayWindow *self)
{
    const char *id = gtk_combo_box_get_active_id (GTK_COMBO_BOX (self->rank));
    const char *text = gtk_entry_get_text (GTK_ENTRY (self->expression));
    guint32 rank = id != NULL ? (guint32) g_ascii_strtoull (id, NULL, 10) : 0;
    g_autoptr (JobRankSet) ranks = g_strcmp0 (id, "all") == 0
                                       ? job_rank_set_dup (self->ranks)
                                       : job_rank_set_new_range (rank, rank + 1);
    JobRequest *request;

    g_clear_pointer (&self->query, session_query_free);
    self->is_single = g_strcmp0 (id, "all") != 0;
    g_object_set (self->choice, "is-many", !self->is_single, NULL);
    if (self->is_filling || id == NULL || *text == '\0') {
        return;
    }
    if (session_is_ended (self->session)) {
        show_problem (self, _ ("The job has ended"));
        return;
    }
    gtk_header_bar_set_title (GTK_HEADER_BAR (self->header), text);
    gtk_window_set_title (GTK_WINDOW (self), text);
    request = job_request_new (JOB_VERB_ARRAY, ranks);
    request->text = g_strdup (text);
    if (self->selection != NULL) {
        session_selection_mark (self->selection, request);
    }
    gui_freshness_ask (self->freshness, ranks);
    job_rank_set_free (self->asked);
    self->asked = g_steal_pointer (&ranks);
    g_free (self->key);
    self->key = g_strdup_printf ("%s %s", id, text);
    self->query = session_query_new (self->session, request, on_answer, self);
}

/* ---- saving ---- */

static void
end_export (GuiArrayWindow *self, const char *problem)
{
    g_clear_handle_id (&self->export_source, g_source_remove);
    if (self->export != NULL) {
        gui_progress_line_end (self->progress);
        show_problem (self, problem);
    }
    g_clear_pointer (&self->export, gui_array_export_free);
    g_clear_object (&self->cancellable);
}

static gboolean
on_export (gpointer user)
{
    GuiArrayWindow *self = user;
    g_autoptr (GError) error = NULL;
    gboolean is_done = FALSE;

    if (g_cancellable_is_cancelled (self->cancellable)) {
        self->export_source = 0;
        end_export (self, _ ("Cancelled: nothing was saved"));
        gtk_widget_set_sensitive (self->save_csv, TRUE);
        gtk_widget_set_sensitive (self->save_npy, TRUE);
        return G_SOURCE_REMOVE;
    }
    if (!gui_array_export_step (self->export, EXPORT_US, &is_done, &error) || is_done) {
        self->export_source = 0;
        end_export (self, error != NULL ? base_error_get_shown (error) : NULL);
        return G_SOURCE_REMOVE;
    }
    return G_SOURCE_CONTINUE;
}

static void
begin_export (GuiArrayWindow *self, const char *file, gboolean is_npy)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *base = g_path_get_basename (file);
    g_autofree char *text = g_strdup_printf (_ ("Saving %s"), base);

    end_export (self, NULL);
    self->export = gui_array_export_new (self->data, is_npy ? NULL : &self->slice, file,
                                         &error);
    if (self->export == NULL) {
        show_problem (self, base_error_get_shown (error));
        return;
    }
    self->cancellable = g_cancellable_new ();
    gui_progress_line_begin (self->progress, text, self->cancellable,
                             gui_array_export_get_permille (self->export));
    self->export_source = g_idle_add (on_export, self);
}

static void
on_chosen (GtkWidget *widget, const char *file, GtkFileChooserNative *chooser)
{
    GuiArrayWindow *self = GUI_ARRAY_WINDOW (widget);

    if (self->data != NULL) {
        begin_export (self, file, g_object_get_data (G_OBJECT (chooser), "npy") != NULL);
    }
}

static void
save (GuiArrayWindow *self, gboolean is_npy)
{
    GtkFileChooserNative *chooser = gtk_file_chooser_native_new (_ ("Save the Array"),
                                                                 GTK_WINDOW (self),
                                                                 GTK_FILE_CHOOSER_ACTION_SAVE,
                                                                 NULL, NULL);

    gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (chooser),
                                       is_npy ? "array.npy" : "array.csv");
    gtk_file_chooser_set_do_overwrite_confirmation (GTK_FILE_CHOOSER (chooser), TRUE);
    g_object_set_data (G_OBJECT (chooser), "npy", GINT_TO_POINTER (is_npy));
    gui_chooser_show (chooser, GTK_WIDGET (self), on_chosen);
}

static void
on_save (GtkWidget *button, GuiArrayWindow *self)
{
    save (self, button == self->save_npy);
}

static gboolean
press_key (GtkWidget *widget, GdkEventKey *event)
{
    if (event->keyval == GDK_KEY_Escape
        && gui_progress_line_cancel (GUI_ARRAY_WINDOW (widget)->progress)) {
        return TRUE;
    }
    if (event->keyval == GDK_KEY_Escape) {
        gtk_window_close (GTK_WINDOW (widget));
        return TRUE;
    }
    return GTK_WIDGET_CLASS (gui_array_window_parent_class)->key_press_event (widget, event);
}

GUI_DISPOSE (gui_array_window, GuiArrayWindow,
             g_clear_handle_id (&self->export_source, g_source_remove);
             g_clear_pointer (&self->export, gui_array_export_free);
             g_clear_object (&self->cancellable);
             g_clear_pointer (&self->query, session_query_free);
             g_clear_pointer (&self->freshness, gui_freshness_free);
             gui_properties_clear (self, GUI_TYPE_ARRAY_WINDOW))

GUI_FINALIZE (gui_array_window, GuiArrayWindow, gui_array_data_free (self->data);
              job_rank_set_free (self->asked); g_free (self->key); g_free (self->shown))

static void
gui_array_window_class_init (GuiArrayWindowClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_array_window_dispose;
    GUI_PROPERTIES (klass, GuiArrayWindow,
                    (session, SESSION_TYPE_SESSION, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (selection, SESSION_TYPE_SELECTION, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (ranks, GUI_TYPE_RANK_SET, .flags = G_PARAM_CONSTRUCT_ONLY));
    G_OBJECT_CLASS (klass)->finalize = gui_array_window_finalize;
    GTK_WIDGET_CLASS (klass)->key_press_event = press_key;
    GUI_ENSURE (GUI_TYPE_ARRAY_CHOICE, GUI_TYPE_ARRAY_PICTURE, GUI_TYPE_PROGRESS_LINE);
    GUI_TEMPLATE (klass, "array-window.ui");
    GUI_CHILDREN (klass, GuiArrayWindow, header, save_npy, save_csv, expression, rank, age,
                  slices, choice, problem, content, numbers, pages, scroller, table, from_row,
                  from_column, picture, map, progress);
    GUI_CALLBACKS (klass, on_save, ask, on_corner, on_filtered);
}

static void
gui_array_window_init (GuiArrayWindow *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_guard_notebook (GTK_NOTEBOOK (self->pages));
    gui_properties_share (self, "session", self->progress, NULL);
    gui_properties_share (self, "ranks", self->choice, NULL);
    gui_theme_name (self->expression, "array-expression", _ ("Expression"));
    gui_theme_name (self->rank, "array-rank", _ ("Rank"));
    gui_theme_name (self->age, "array-age", NULL);
    gui_theme_name (self->numbers, "array-numbers", NULL);
    gui_theme_name (self->problem, "array-problem", NULL);
    gui_theme_name (self->table, "array-table", _ ("Elements"));
    gui_theme_name (self->from_row, "array-from-row", _ ("From row"));
    gui_theme_name (self->from_column, "array-from-column", _ ("From column"));
    gui_hint_set (self->table,
                  _ ("Type the name of an array above; for a C pointer, *POINTER@COUNT"));
    self->freshness = gui_freshness_new (self->age, self->content, FALSE);
}

static void
fill_ranks (GuiArrayWindow *self, guint32 rank)
{
    self->is_filling = TRUE;
    gtk_combo_box_text_append (GTK_COMBO_BOX_TEXT (self->rank), "all", _ ("all ranks"));
    gui_rank_choice_fill (GTK_COMBO_BOX_TEXT (self->rank), self->ranks);
    gui_rank_choice_select (GTK_COMBO_BOX_TEXT (self->rank), rank);
    self->is_filling = FALSE;
}

GtkWidget *
gui_array_window_open (GtkWindow *parent, Session *session, SessionSelection *selection,
                       const JobRankSet *ranks, guint32 rank, const char *expression)
{
    GuiArrayWindow *self = g_object_new (GUI_TYPE_ARRAY_WINDOW, "transient-for", parent,
                                         "destroy-with-parent", TRUE, "session", session,
                                         "selection", selection, "ranks", ranks, NULL);

    gui_freshness_follow (self->freshness, selection);
    fill_ranks (self, rank);
    gtk_entry_set_text (GTK_ENTRY (self->expression), expression);
    show_problem (self, NULL);
    ask (self);
    gtk_window_present (GTK_WINDOW (self));
    return GTK_WIDGET (self);
}
