/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all views of the Performance window show and obey: a profile, a stretch of its time, some of
 * its ranks, perhaps one class, perhaps one context or function. Views set it where the user chooses
 * something, and follow "changed" (GuiProfileChange what), which comes once for each call that changes
 * anything. Properties, for notify and reading: "begin", "end" (double, s), "class" (int), "context"
 * (uint). */
#pragma once
#include <glib-object.h>
#include "profile/costs.h"
#include "profile/slice.h"

#define GUI_TYPE_PROFILE_SELECTION (gui_profile_selection_get_type ())
G_DECLARE_FINAL_TYPE (GuiProfileSelection, gui_profile_selection, GUI, PROFILE_SELECTION,
                      GObject)

typedef enum {
    GUI_PROFILE_CHANGE_MODEL = 1 << 0, /* another model, or more samples in it */
    GUI_PROFILE_CHANGE_SLICE = 1 << 1, /* time, ranks or class: get_slice gives another model */
    GUI_PROFILE_CHANGE_PLACE = 1 << 2, /* the context or function that is selected */
} GuiProfileChange;

GuiProfileSelection *gui_profile_selection_new (void);

/* The whole profile. model: borrowed, must stay until another is set; NULL: none. Resets everything. */
void gui_profile_selection_set_model (GuiProfileSelection *selection,
                                      const ProfileModel *model);
/* The model has got more samples: what is selected stays, a stretch that was all of the time grows. */
void gui_profile_selection_update (GuiProfileSelection *selection);
const ProfileModel *gui_profile_selection_get_model (GuiProfileSelection *selection);
/* A model of what is selected (profile/slice.h), made when it is asked for and kept until the next
 * change; its rank indices are its own, its contexts are those of the whole. NULL without a model. */
const ProfileModel *gui_profile_selection_get_slice (GuiProfileSelection *selection);

/* ---- time, in s from 0 to get_duration ---- */
double gui_profile_selection_get_duration (GuiProfileSelection *selection);
double gui_profile_selection_get_begin (GuiProfileSelection *selection);
double gui_profile_selection_get_end (GuiProfileSelection *selection);
/* In either order; clamped, and at least 1 µs. */
void gui_profile_selection_set_time (GuiProfileSelection *selection, double begin_s,
                                     double end_s);
gboolean gui_profile_selection_is_all_time (GuiProfileSelection *selection);

/* ---- ranks ---- */
/* Borrowed; NULL: all. */
const JobRankSet *gui_profile_selection_get_ranks (GuiProfileSelection *selection);
/* Copies those of the model; NULL, or none of them: all. */
void gui_profile_selection_set_ranks (GuiProfileSelection *selection, const JobRankSet *ranks);

/* ---- code ---- */
/* TRUE: what libraries spent counts for the program's own functions that called them. */
void gui_profile_selection_set_own (GuiProfileSelection *selection, gboolean is_own);
/* Of get_slice, with that. Caller owns; NULL without a model. */
ProfileCosts *gui_profile_selection_new_costs (GuiProfileSelection *selection);

/* ---- class ---- */
int gui_profile_selection_get_class (GuiProfileSelection *selection); /* PROFILE_ALL_CLASSES */
void gui_profile_selection_set_class (GuiProfileSelection *selection, int class);

/* ---- the place that is selected ---- */
/* A number of the model's context tree; 0: none. */
guint32 gui_profile_selection_get_context (GuiProfileSelection *selection);
/* The function, with file and line where they are known; its texts are the model's. NULL: none. */
const JobLocation *gui_profile_selection_get_location (GuiProfileSelection *selection);
/* A frame inside its callers; 0: none. */
void gui_profile_selection_set_context (GuiProfileSelection *selection, guint32 context);
/* A function whoever has called it; copied, texts must be the model's. NULL: none. */
void gui_profile_selection_set_location (GuiProfileSelection *selection,
                                         const JobLocation *location);

/* All time, all ranks, all classes; the place stays. */
void gui_profile_selection_reset (GuiProfileSelection *selection);
/* "0.0–12.4 s, ranks 0–31, MPI", for the user. Caller owns. */
char *gui_profile_selection_format (GuiProfileSelection *selection);
