/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/group/viewed-rank.h"
#include <glib/gi18n.h>
#include "gui/kit/properties.h"
#include "gui/kit/rank-choice.h"
#include "gui/kit/rank-set.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

struct _GuiViewedRank {
    GtkBox parent;
    GtkWidget *choice, *age;
    JobRankSet *ranks;
    guint rank;
    char *age_text;
    gboolean is_filling;
};

G_DEFINE_TYPE (GuiViewedRank, gui_viewed_rank, GTK_TYPE_BOX)

static guint chosen_signal;

static void
select_rank (GuiViewedRank *self)
{
    gboolean was_filling = self->is_filling;

    self->is_filling = TRUE;
    gui_rank_choice_select (GTK_COMBO_BOX_TEXT (self->choice), self->rank);
    self->is_filling = was_filling;
}

static void
enter_ranks (gpointer user)
{
    GuiViewedRank *self = user;

    self->is_filling = TRUE;
    gtk_combo_box_text_remove_all (GTK_COMBO_BOX_TEXT (self->choice));
    if (self->ranks != NULL) {
        gui_rank_choice_fill (GTK_COMBO_BOX_TEXT (self->choice), self->ranks);
        if (job_rank_set_contains (self->ranks, self->rank)) {
            select_rank (self);
        }
    }
    self->is_filling = FALSE;
}

static void
enter_rank (gpointer self)
{
    select_rank (self);
}

static void
enter_age (gpointer user)
{
    GuiViewedRank *self = user;

    gtk_label_set_text (GTK_LABEL (self->age), self->age_text != NULL ? self->age_text : "");
}

static void
on_changed (GuiViewedRank *self)
{
    const char *id = gtk_combo_box_get_active_id (GTK_COMBO_BOX (self->choice));

    if (!self->is_filling && id != NULL) {
        g_signal_emit (self, chosen_signal, 0, (guint) g_ascii_strtoull (id, NULL, 10));
    }
}

static void
gui_viewed_rank_class_init (GuiViewedRankClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiViewedRank, (ranks, GUI_TYPE_RANK_SET, .enter = enter_ranks),
                    (rank, G_TYPE_UINT, .enter = enter_rank),
                    (age_text, G_TYPE_STRING, .enter = enter_age));
    chosen_signal = GUI_SIGNAL (klass, "chosen", G_TYPE_UINT);
    GUI_TEMPLATE (klass, "viewed-rank.ui");
    GUI_CHILDREN (klass, GuiViewedRank, choice, age);
    GUI_CALLBACKS (klass, on_changed);
}

static void
gui_viewed_rank_init (GuiViewedRank *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->choice, "representative", _ ("View Rank"));
    gui_theme_name (self->age, "view-age", NULL);
}
