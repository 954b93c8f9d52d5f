/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Are the ranks of a set together? A face, the sentence, and the list of places behind a click.
 * Signal "set-chosen" (gpointer JobRankSet*, borrowed): one place's ranks, for a new window. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_FACE_BAR (gui_face_bar_get_type ())
G_DECLARE_FINAL_TYPE (GuiFaceBar, gui_face_bar, GUI, FACE_BAR, GtkBox)

GtkWidget *gui_face_bar_new (void);
/* Looks anew at the set. */
void gui_face_bar_update (GuiFaceBar *bar, Session *session, const JobRankSet *set);
/* "Step: 6 of 8 arrived, not yet 3,5", of a step that ranks of the set are in; NULL: all have
 * arrived, or none is under way. Caller owns. */
char *gui_face_bar_format_progress (Session *session, const JobRankSet *set);
/* "3 ranks have not answered for 7 s"; NULL: all of the set answer. Caller owns. */
char *gui_face_bar_format_silence (Session *session, const JobRankSet *set);
