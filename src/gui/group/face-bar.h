/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the ranks of a set are together: a face, a sentence, and the list of places in a
 * popover. Signal "set-chosen" (gpointer JobRankSet*, borrowed): open a window for the ranks of
 * a place. Properties: "session"; "ranks" (GUI_TYPE_RANK_SET); "hides-places": for a window that lists the
 * places elsewhere, without the button "Places". */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_FACE_BAR (gui_face_bar_get_type ())
G_DECLARE_FINAL_TYPE (GuiFaceBar, gui_face_bar, GUI, FACE_BAR, GtkBox)

/* Updates the face; the owner decides how often. */
void gui_face_bar_update (GuiFaceBar *bar);
/* "Step: 6 of 8 arrived, not yet 3,5", for a step of ranks of the set; NULL: no step is
 * running. Caller owns. */
char *gui_face_bar_format_progress (Session *session, const JobRankSet *set);
/* "3 ranks have not answered for 7 s"; NULL: all of the set answer. Caller owns. */
char *gui_face_bar_format_silence (Session *session, const JobRankSet *set);
