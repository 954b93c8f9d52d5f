/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/report-view.h"
#include <glib/gi18n.h>
#include "gui/profile/page-paint.h"
#include "profile/report.h"
#include "gui/kit/template.h"

struct _GuiReportView {
    GuiProfileCanvas parent;
    GuiPagePaint *paint; /* NULL: to be made */
};

G_DEFINE_TYPE (GuiReportView, gui_report_view, GUI_TYPE_PROFILE_CANVAS)

typedef struct {
    ProfileReportFacts facts; /* what it points to is beside it */
    char *date;
} Facts;

static void
find_facts (const ProfileModel *model, Facts *facts)
{
    const ProfileInfo *info = profile_model_get_info (model);
    g_autoptr (GDateTime) begun = g_date_time_new_from_unix_local (info->begin_real_us
                                                                   / G_USEC_PER_SEC);

    facts->date = begun != NULL && info->begin_real_us > 0
                      ? g_date_time_format (begun, "%Y-%m-%d %H:%M:%S")
                      : NULL;
    facts->facts = (ProfileReportFacts){ info->command, facts->date, info->rate };
}

ProfilePage *
gui_report_view_make_page (const ProfileModel *model)
{
    Facts facts;
    ProfilePage *page;

    find_facts (model, &facts);
    page = profile_report_new (model, &facts.facts, BASE_TEXT_SHOWN);
    g_free (facts.date);
    return page;
}

gboolean
gui_report_view_write (const ProfileModel *model, const char *path, GError **error)
{
    Facts facts;
    gboolean ok;

    find_facts (model, &facts);
    ok = profile_report_write (model, path, &facts.facts, error);
    g_free (facts.date);
    return ok;
}

static GuiPagePaint *
get_paint (GuiReportView *self, double width)
{
    if (self->paint == NULL || gui_page_paint_get_width (self->paint) != width) {
        const ProfileModel *slice = gui_profile_selection_get_slice (
            gui_profile_canvas_get_selection (GUI_PROFILE_CANVAS (self)));

        gui_page_paint_free (self->paint);
        self->paint = gui_page_paint_new (gui_report_view_make_page (slice), width);
    }
    return self->paint;
}

static void
changed (GuiProfileCanvas *canvas, guint what)
{
    if ((what & (GUI_PROFILE_CHANGE_MODEL | GUI_PROFILE_CHANGE_SLICE)) != 0) {
        g_clear_pointer (&GUI_REPORT_VIEW (canvas)->paint, gui_page_paint_free);
    }
}

static double
get_full_height (GuiProfileCanvas *canvas, double width)
{
    return gui_page_paint_get_height (get_paint (GUI_REPORT_VIEW (canvas), width));
}

static void
paint (GuiProfileCanvas *canvas, cairo_t *cr, const GuiProfilePainting *painting)
{
    gui_page_paint_draw (get_paint (GUI_REPORT_VIEW (canvas), painting->width), cr,
                         painting->offset, painting->height, painting->colours);
}

static char *
describe (GuiProfileCanvas *canvas)
{
    return gui_profile_selection_format (gui_profile_canvas_get_selection (canvas));
}

GUI_FINALIZE (gui_report_view, GuiReportView, gui_page_paint_free (self->paint))

static void
gui_report_view_class_init (GuiReportViewClass *klass)
{
    GuiProfileCanvasClass *canvas = GUI_PROFILE_CANVAS_CLASS (klass);

    G_OBJECT_CLASS (klass)->finalize = gui_report_view_finalize;
    canvas->id = "report";
    canvas->title = N_ ("Report");
    canvas->paint = paint;
    canvas->get_full_height = get_full_height;
    canvas->changed = changed;
    canvas->describe = describe;
}

static void
gui_report_view_init (GuiReportView *self)
{
}

GtkWidget *
gui_report_view_new (GuiProfileSelection *selection)
{
    return g_object_new (GUI_TYPE_REPORT_VIEW, "selection", selection, NULL);
}
