/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/profile-save.h"
#include <cairo-svg.h>
#include <math.h>
#include "base/array.h"
#include "base/error.h"

enum { HEAD = 52, PNG_SCALE = 2, MAX_PIXELS = 32000, PAGE_WIDTH = 1000 };

/* ---- what all have in common ---- */

static void
draw_head (GuiProfileView *view, cairo_t *cr, const char *heading, double width,
           const GuiProfileColours *colours)
{
    gui_profile_draw_text (cr, gui_profile_view_get_title (view), 16, TRUE, colours->foreground,
                           GUI_PROFILE_LEFT, 12, 6, width - 24);
    gui_profile_draw_text (cr, heading, 12, FALSE, colours->muted, GUI_PROFILE_LEFT, 12, 28,
                           width - 24);
}

static void
draw_all (GuiProfileView *view, cairo_t *cr, const char *heading, double width, double height)
{
    GuiProfileColours colours;

    gui_profile_colours_fill (NULL, &colours);
    gui_profile_set_colour (cr, colours.background, 1);
    cairo_paint (cr);
    draw_head (view, cr, heading, width, &colours);
    cairo_save (cr);
    cairo_translate (cr, 0, HEAD);
    cairo_rectangle (cr, 0, 0, width, height);
    cairo_clip (cr);
    gui_profile_view_draw (view, cr, width, height, &colours);
    cairo_restore (cr);
}

/* ---- files ---- */

static gboolean
check (cairo_status_t status, const char *path, GError **error)
{
    if (status != CAIRO_STATUS_SUCCESS) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot write %s: %s", path,
                        cairo_status_to_string (status));
    }
    return status == CAIRO_STATUS_SUCCESS;
}

static gboolean
save_svg (GuiProfileView *view, const char *heading, const char *path, double width,
          double height, GError **error)
{
    cairo_surface_t *surface = cairo_svg_surface_create (path, width, height + HEAD);
    cairo_t *cr = cairo_create (surface);
    cairo_status_t status;

    draw_all (view, cr, heading, width, height);
    cairo_destroy (cr);
    cairo_surface_finish (surface);
    status = cairo_surface_status (surface);
    cairo_surface_destroy (surface);
    return check (status, path, error);
}

static gboolean
save_png (GuiProfileView *view, const char *heading, const char *path, double width,
          double height, GError **error)
{
    double scale = MIN (PNG_SCALE, MAX_PIXELS / (height + HEAD));
    cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24,
                                                           (int) (width * scale),
                                                           (int) ((height + HEAD) * scale));
    cairo_t *cr = cairo_create (surface);
    cairo_status_t status;

    cairo_scale (cr, scale, scale);
    draw_all (view, cr, heading, width, height);
    cairo_destroy (cr);
    status = cairo_surface_write_to_png (surface, path);
    cairo_surface_destroy (surface);
    return check (status, path, error);
}

gboolean
gui_profile_save (GuiProfileView *view, const char *heading, const char *path, double width,
                  GError **error)
{
    double height = ceil (gui_profile_view_get_height (view, width));

    if (g_str_has_suffix (path, ".svg")) {
        return save_svg (view, heading, path, width, height, error);
    }
    if (g_str_has_suffix (path, ".png")) {
        return save_png (view, heading, path, width, height, error);
    }
    base_error_set (error, BASE_ERROR_INVALID,
                    "cannot save %s: the name must end in .svg or .png", path);
    return FALSE;
}

/* ---- paper ---- */

typedef struct {
    GuiProfileView *view;
    char *heading;
    double width, height; /* of the picture */
    double on_page;       /* of its height */
} Printing;

BASE_FREE (free_printing, Printing, printing, g_object_unref (printing->view);
           g_free (printing->heading))

static void
on_begin (GtkPrintOperation *operation, GtkPrintContext *context, Printing *printing)
{
    double scale = gtk_print_context_get_width (context) / PAGE_WIDTH;

    printing->width = PAGE_WIDTH;
    printing->height = gui_profile_view_get_height (printing->view, PAGE_WIDTH);
    printing->on_page = MAX (1, gtk_print_context_get_height (context) / scale - HEAD);
    gtk_print_operation_set_n_pages (operation, (int) MAX (1, ceil (printing->height
                                                                    / printing->on_page)));
}

static void
on_page (GtkPrintOperation *operation, GtkPrintContext *context, int page, Printing *printing)
{
    cairo_t *cr = gtk_print_context_get_cairo_context (context);
    double scale = gtk_print_context_get_width (context) / PAGE_WIDTH;
    GuiProfileColours colours;

    gui_profile_colours_fill (NULL, &colours);
    cairo_scale (cr, scale, scale);
    draw_head (printing->view, cr, printing->heading, PAGE_WIDTH, &colours);
    cairo_rectangle (cr, 0, HEAD, PAGE_WIDTH, printing->on_page);
    cairo_clip (cr);
    cairo_translate (cr, 0, HEAD - page * printing->on_page);
    gui_profile_view_draw (printing->view, cr, PAGE_WIDTH, printing->height, &colours);
}

static GtkPrintOperation *
make_operation (GuiProfileView *view, const char *heading)
{
    GtkPrintOperation *operation = gtk_print_operation_new ();
    Printing *printing = g_new0 (Printing, 1);
    g_autoptr (GtkPageSetup) setup = gtk_page_setup_new ();

    printing->view = g_object_ref (view);
    printing->heading = g_strdup (heading);
    gtk_page_setup_set_orientation (setup, GTK_PAGE_ORIENTATION_LANDSCAPE);
    gtk_print_operation_set_default_page_setup (operation, setup);
    gtk_print_operation_set_job_name (operation, gui_profile_view_get_title (view));
    g_object_set_data_full (G_OBJECT (operation), "printing", printing, free_printing);
    g_signal_connect (operation, "begin-print", G_CALLBACK (on_begin), printing);
    g_signal_connect (operation, "draw-page", G_CALLBACK (on_page), printing);
    return operation;
}

void
gui_profile_print (GuiProfileView *view, const char *heading, GtkWindow *parent)
{
    g_autoptr (GtkPrintOperation) operation = make_operation (view, heading);

    gtk_print_operation_run (operation, GTK_PRINT_OPERATION_ACTION_PRINT_DIALOG, parent, NULL);
}

gboolean
gui_profile_print_to (GuiProfileView *view, const char *heading, const char *path,
                      GError **error)
{
    g_autoptr (GtkPrintOperation) operation = make_operation (view, heading);

    gtk_print_operation_set_export_filename (operation, path);
    return gtk_print_operation_run (operation, GTK_PRINT_OPERATION_ACTION_EXPORT, NULL, error)
           != GTK_PRINT_OPERATION_RESULT_ERROR;
}
