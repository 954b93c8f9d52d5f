/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/comparison-view.h"
#include <glib/gi18n.h>
#include "gui/profile/page-paint.h"
#include "profile/comparison.h"
#include "gui/kit/template.h"

struct _GuiComparisonView {
    GuiProfileCanvas parent;
    ProfileModel *other; /* NULL: there is none yet */
    char *name, *own_name;
    GuiPagePaint *paint; /* NULL: to be made */
};

G_DEFINE_TYPE (GuiComparisonView, gui_comparison_view, GUI_TYPE_PROFILE_CANVAS)

static gboolean
is_earlier (const ProfileModel *model, const ProfileModel *other)
{
    gint64 us = profile_model_get_info (model)->begin_real_us;
    gint64 other_us = profile_model_get_info (other)->begin_real_us;

    return us > 0 && other_us > us;
}

static ProfilePage *
make_page (GuiComparisonView *self)
{
    const ProfileModel *model = gui_profile_selection_get_model (
        gui_profile_canvas_get_selection (GUI_PROFILE_CANVAS (self)));
    const ProfileCompared own = { model, self->own_name };
    const ProfileCompared other = { self->other, self->name };

    if (model == NULL || self->other == NULL) {
        return profile_page_new ("");
    }
    return is_earlier (model, self->other)
               ? profile_comparison_new (&own, &other, BASE_TEXT_SHOWN)
               : profile_comparison_new (&other, &own, BASE_TEXT_SHOWN);
}

static GuiPagePaint *
get_paint (GuiComparisonView *self, double width)
{
    if (self->paint == NULL || gui_page_paint_get_width (self->paint) != width) {
        gui_page_paint_free (self->paint);
        self->paint = gui_page_paint_new (make_page (self), width);
    }
    return self->paint;
}

static void
changed (GuiProfileCanvas *canvas, guint what)
{
    if ((what & GUI_PROFILE_CHANGE_MODEL) != 0) {
        g_clear_pointer (&GUI_COMPARISON_VIEW (canvas)->paint, gui_page_paint_free);
    }
}

static double
get_full_height (GuiProfileCanvas *canvas, double width)
{
    return gui_page_paint_get_height (get_paint (GUI_COMPARISON_VIEW (canvas), width));
}

static void
paint (GuiProfileCanvas *canvas, cairo_t *cr, const GuiProfilePainting *painting)
{
    gui_page_paint_draw (get_paint (GUI_COMPARISON_VIEW (canvas), painting->width), cr,
                         painting->offset, painting->height, painting->colours);
}

static char *
describe (GuiProfileCanvas *canvas)
{
    GuiComparisonView *self = GUI_COMPARISON_VIEW (canvas);

    return self->name != NULL ? g_strdup_printf (_ ("Compared with %s"), self->name)
                              : g_strdup ("");
}

GUI_FINALIZE (gui_comparison_view, GuiComparisonView, gui_page_paint_free (self->paint);
              profile_model_free (self->other); g_free (self->name); g_free (self->own_name))

static void
gui_comparison_view_class_init (GuiComparisonViewClass *klass)
{
    GuiProfileCanvasClass *canvas = GUI_PROFILE_CANVAS_CLASS (klass);

    G_OBJECT_CLASS (klass)->finalize = gui_comparison_view_finalize;
    canvas->id = "comparison";
    canvas->title = N_ ("Comparison");
    canvas->paint = paint;
    canvas->get_full_height = get_full_height;
    canvas->changed = changed;
    canvas->describe = describe;
}

static void
gui_comparison_view_init (GuiComparisonView *self)
{
}

GtkWidget *
gui_comparison_view_new (GuiProfileSelection *selection)
{
    return g_object_new (GUI_TYPE_COMPARISON_VIEW, "selection", selection, NULL);
}

void
gui_comparison_view_set_other (GuiComparisonView *self, ProfileModel *other, const char *name,
                               const char *own_name)
{
    profile_model_free (self->other);
    self->other = other;
    g_free (self->name);
    self->name = g_strdup (name);
    g_free (self->own_name);
    self->own_name = g_strdup (own_name);
    g_clear_pointer (&self->paint, gui_page_paint_free);
    gui_profile_canvas_queue (GUI_PROFILE_CANVAS (self));
}
