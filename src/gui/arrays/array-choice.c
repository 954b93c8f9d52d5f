/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many dimensions can be joined is known with the first answer. */
#include "gui/arrays/array-choice.h"
#include <glib/gi18n.h>
#include "base/error.h"
#include "gui/arrays/array-filter.h"
#include "gui/kit/properties.h"
#include "gui/kit/rank-set.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

struct _GuiArrayChoice {
    GtkBox parent;
    GtkWidget *filter, *how, *how_label, *order, *order_label;
    JobRankSet *ranks;
    guint n_dimensions; /* of the arrays that can be joined */
    gboolean is_many, is_fortran, is_filling;
};

G_DEFINE_TYPE (GuiArrayChoice, gui_array_choice, GTK_TYPE_BOX)

enum { FILTERED, COMBINED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* The chosen dimension; -1: stacked. */
static int
get_dimension (GuiArrayChoice *self)
{
    return gtk_combo_box_get_active (GTK_COMBO_BOX (self->how)) - 1;
}

static void
show_parts (GuiArrayChoice *self)
{
    gboolean is_joined = self->is_many && get_dimension (self) >= 0;

    gtk_widget_set_visible (self->how, self->is_many);
    gtk_widget_set_visible (self->how_label, self->is_many);
    gtk_widget_set_visible (self->order, is_joined);
    gtk_widget_set_visible (self->order_label, is_joined);
}

static void
fill_how (GuiArrayChoice *self, guint n_dimensions, gboolean is_fortran)
{
    GtkComboBoxText *how = GTK_COMBO_BOX_TEXT (self->how);
    int chosen = gtk_combo_box_get_active (GTK_COMBO_BOX (how));

    self->is_filling = TRUE;
    self->n_dimensions = n_dimensions;
    self->is_fortran = is_fortran;
    gtk_combo_box_text_remove_all (how);
    gtk_combo_box_text_append_text (how, _ ("one more dimension"));
    for (guint i = 0; i < n_dimensions; i++) {
        g_autofree char *text = g_strdup_printf (_ ("joined along dimension %u"),
                                                 i + is_fortran);

        gtk_combo_box_text_append_text (how, text);
    }
    gtk_combo_box_set_active (GTK_COMBO_BOX (how),
                              chosen <= (int) n_dimensions ? MAX (chosen, 0) : 0);
    self->is_filling = FALSE;
    show_parts (self);
}

static void
on_how (GuiArrayChoice *self)
{
    if (!self->is_filling) {
        show_parts (self);
        g_signal_emit (self, signals[COMBINED], 0);
    }
}

static void
on_order (GuiArrayChoice *self)
{
    g_signal_emit (self, signals[COMBINED], 0);
}

static void
on_filter (GuiArrayChoice *self)
{
    g_signal_emit (self, signals[FILTERED], 0);
}

const char *
gui_array_choice_get_filter (GuiArrayChoice *self)
{
    return gtk_entry_get_text (GTK_ENTRY (self->filter));
}

gboolean
gui_array_choice_filter (GuiArrayChoice *self, GuiArrayData *data, guint32 rank, GError **error)
{
    g_autofree char *text = g_strstrip (g_strdup (gui_array_choice_get_filter (self)));
    g_autoptr (GuiArrayFilter) filter = *text != '\0' ? gui_array_filter_new (text, error)
                                                      : NULL;

    gui_array_filter_apply (filter, data, rank);
    return filter != NULL || *text == '\0';
}

static guint
find_rank (const GArray *ranks, guint32 rank)
{
    guint i = 0;

    while (i < ranks->len && g_array_index (ranks, guint32, i) != rank) {
        i++;
    }
    return i;
}

/* In the order that the user wants. */
static GuiArrayData *
join (GuiArrayChoice *self, GPtrArray *arrays, const GArray *ranks, GError **error)
{
    g_autoptr (GArray) order
        = gui_array_data_parse_order (gtk_entry_get_text (GTK_ENTRY (self->order)), self->ranks,
                                      error);
    g_autoptr (GPtrArray) sorted = g_ptr_array_new (); /* borrowed */

    if (order == NULL) {
        return NULL;
    }
    for (guint i = 0; i < order->len; i++) {
        guint32 rank = g_array_index (order, guint32, i);
        guint at = find_rank (ranks, rank);

        if (at == ranks->len) {
            base_error_set (error, BASE_ERROR_NOT_FOUND,
                            "cannot join the arrays: rank %u has none", rank);
            return NULL;
        }
        g_ptr_array_add (sorted, arrays->pdata[at]);
    }
    return gui_array_data_join (sorted, (const guint32 *) (gpointer) order->data,
                                (guint) get_dimension (self), error);
}

GuiArrayData *
gui_array_choice_combine (GuiArrayChoice *self, GPtrArray *arrays, const GArray *ranks,
                          GError **error)
{
    const GuiArrayData *first = arrays->pdata[0];

    if (first->n_dimensions != self->n_dimensions || first->is_fortran != self->is_fortran) {
        fill_how (self, first->n_dimensions, first->is_fortran);
    }
    return get_dimension (self) >= 0
               ? join (self, arrays, ranks, error)
               : gui_array_data_stack (arrays, (const guint32 *) (gpointer) ranks->data, error);
}

static void
enter_ranks (gpointer user)
{
    GuiArrayChoice *self = user;
    g_autofree char *text = self->ranks != NULL ? job_rank_set_format (self->ranks) : NULL;

    gtk_entry_set_text (GTK_ENTRY (self->order), text != NULL ? text : "");
}

static void
enter_is_many (gpointer self)
{
    show_parts (self);
}

static void
gui_array_choice_class_init (GuiArrayChoiceClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiArrayChoice, (ranks, GUI_TYPE_RANK_SET, .enter = enter_ranks),
                    (is_many, G_TYPE_BOOLEAN, .enter = enter_is_many));
    signals[FILTERED] = GUI_SIGNAL (klass, "filtered");
    signals[COMBINED] = GUI_SIGNAL (klass, "combined");
    GUI_TEMPLATE (klass, "array-choice.ui");
    GUI_CHILDREN (klass, GuiArrayChoice, filter, how, how_label, order, order_label);
    GUI_CALLBACKS (klass, on_filter, on_how, on_order);
}

static void
gui_array_choice_init (GuiArrayChoice *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->filter, "array-filter", _ ("Only where"));
    gui_theme_name (self->how, "array-how", _ ("Ranks"));
    gui_theme_name (self->order, "array-order", _ ("Order"));
    fill_how (self, 0, FALSE);
}
