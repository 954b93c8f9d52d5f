/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the painted views share: one picture that can be higher than the widget and is scrolled then, the
 * pointer, the keyboard and tooltips. Signal "moment" (double time_s, guint rank, guint thread): the user
 * wants to know what was done then; rank G_MAXUINT: in all ranks; thread: index of the rank's. */
#pragma once
#include "gui/profile/profile-view.h"

typedef struct {
    double width, height; /* to be painted; less than all of it where it is scrolled */
    double offset;        /* that is scrolled away at the top */
    const GuiProfileColours *colours;
    gboolean is_screen; /* not paper and not a file: the pointer and the focus may be shown */
} GuiProfilePainting;

#define GUI_TYPE_PROFILE_CANVAS (gui_profile_canvas_get_type ())
G_DECLARE_DERIVABLE_TYPE (GuiProfileCanvas, gui_profile_canvas, GUI, PROFILE_CANVAS, GtkBox)

/* Positions are in pixels of the visible picture. All but id, title and paint may be NULL. */
struct _GuiProfileCanvasClass {
    GtkBoxClass parent;
    const char *id, *title; /* title: marked for translation */
    gboolean needs_times;   /* of sums alone there is nothing to paint */
    void (*paint) (GuiProfileCanvas *canvas, cairo_t *cr, const GuiProfilePainting *painting);
    /* Of all of it. NULL: whatever there is. */
    double (*get_full_height) (GuiProfileCanvas *canvas, double width);
    /* The selection has changed: GuiProfileChange. */
    void (*changed) (GuiProfileCanvas *canvas, guint what);
    void (*click) (GuiProfileCanvas *canvas, const GdkEventButton *event);
    /* From the point where the button went down; is_end: it has come up. */
    void (*drag) (GuiProfileCanvas *canvas, double from_x, double from_y, double x, double y,
                  gboolean is_end);
    /* steps: > 0 down or away. FALSE: the picture is scrolled. */
    gboolean (*wheel) (GuiProfileCanvas *canvas, double x, double y, double steps, guint state);
    gboolean (*key) (GuiProfileCanvas *canvas, const GdkEventKey *event);
    char *(*get_tip) (GuiProfileCanvas *canvas, double x,
                      double y); /* caller owns; NULL none */
    /* In words, for screen readers; caller owns. */
    char *(*describe) (GuiProfileCanvas *canvas);
};

/* The property "selection", at construction. */
GuiProfileSelection *gui_profile_canvas_get_selection (GuiProfileCanvas *canvas);
/* Paints again with the next frame; its full height may be another one. */
void gui_profile_canvas_queue (GuiProfileCanvas *canvas);
double gui_profile_canvas_get_width (GuiProfileCanvas *canvas);  /* of the picture */
double gui_profile_canvas_get_height (GuiProfileCanvas *canvas); /* that is visible */
double gui_profile_canvas_get_offset (GuiProfileCanvas *canvas);
/* Scrolls until that part of the picture is visible. */
void gui_profile_canvas_reveal (GuiProfileCanvas *canvas, double top, double bottom);
void gui_profile_canvas_emit_moment (GuiProfileCanvas *canvas, double time_s, guint rank,
                                     guint thread);
/* The picture without a window, for tests; the size is the painting's. */
void gui_profile_canvas_paint (GuiProfileCanvas *canvas, cairo_t *cr,
                               const GuiProfilePainting *painting);
