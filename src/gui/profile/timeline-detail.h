/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a model keeps of a large trace is a picture of it. Zoomed in, the Timeline asks the archive again for the time that
 * it shows, and has each event of it, to the ns. */
#pragma once
#include <gtk/gtk.h>
#include "gui/profile/profile-axis.h"
#include "gui/profile/timeline-rows.h"

typedef struct _GuiTimelineDetail GuiTimelineDetail;

/* program: path of pddt-archive; path: of the archive. ready is called when there is more than before; user: a
 * GObject that outlives nothing here. */
GuiTimelineDetail *gui_timeline_detail_new (const char *program, const char *path,
                                            void (*ready) (gpointer user), gpointer user);
void gui_timeline_detail_free (GuiTimelineDetail *detail); /* NULL is fine */
/* The time of the axis is shown now: asks for it, unless it is there or the model itself has all of it. NULL is fine, as
 * below. */
void gui_timeline_detail_want (GuiTimelineDetail *detail, const ProfileModel *model,
                               const GuiProfileAxis *axis);
/* n rows of the model at top, each `height` high, as gui_timeline_rows_paint has them: in the archive's own events where
 * these are there, with lines where they begin and names where there is room, else in what the model keeps. */
void gui_timeline_detail_paint (const GuiTimelineDetail *detail, cairo_t *cr,
                                const ProfileModel *model, const GuiTimelineRow *rows, guint n,
                                guint height, int class, const GuiProfileAxis *axis, double top,
                                const GuiProfileColours *colours);
/* What the row did at x, exactly. NULL: that is not known. Caller owns. */
char *gui_timeline_detail_dup_tip (const GuiTimelineDetail *detail, const ProfileModel *model,
                                   const GuiTimelineRow *row, const GuiProfileAxis *axis,
                                   double x);
/* The call at x of a row of a level; the time it takes where that is known. NULL: there is none. Caller owns. */
char *gui_timeline_detail_dup_call_tip (const GuiTimelineDetail *detail,
                                        const ProfileModel *model, const GuiTimelineRow *row,
                                        const GuiProfileAxis *axis, double x);
/* Appends the innermost line of the user's in the stack of a context of the model, after its function. */
void gui_timeline_detail_append_place (const ProfileModel *model, GString *text,
                                       guint32 context);
/* Samples of the model stand for several events each: calls beside each other are not told apart. */
gboolean gui_timeline_detail_is_rough (const ProfileModel *model);
/* "3.2 ms". Caller owns. */
char *gui_timeline_detail_format_duration (double ns);
/* TRUE: nothing is being read, and nothing is about to be. For tests. */
gboolean gui_timeline_detail_is_idle (const GuiTimelineDetail *detail);
