/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A window with the views Calls, Functions and Source of one selection, for their tests. */
#pragma once
#include <gtk/gtk.h>
#include "gui/profile/profile-selection.h"
#include "session/session.h"

typedef struct {
    ProfileModel *model;
    GuiProfileSelection *selection;
    GtkWidget *window, *stack, *calls, *functions, *source;
    char *file; /* of "go-to-source" and "debug-here" */
    guint line, n_sources, n_debugs;
} ProfileRig;

typedef gboolean (*ProfileRigFact) (ProfileRig *rig);

/* Shows the window with a model of eight ranks whose files are in the folder. session: of the source;
 * NULL: none. */
void profile_rig_init (ProfileRig *rig, const char *folder, Session *session);
void profile_rig_clear (ProfileRig *rig);
/* Runs the loop until the fact is true; fails after 30 s. what: for the message. */
void profile_rig_wait_for (ProfileRig *rig, ProfileRigFact fact, const char *what);
void profile_rig_show_view (ProfileRig *rig, GtkWidget *view);
GtkTreeModel *profile_rig_get_rows (ProfileRig *rig); /* of Functions' list */
/* The list (by its name) has n rows, the first of that name. */
void profile_rig_assert_list (ProfileRig *rig, const char *list, const char *first, guint n);
/* The widget takes the key. */
void profile_rig_press_key (ProfileRig *rig, GtkWidget *widget, guint key);
/* Facts of Source: it shows the text of heat.py; it says that the file is missing. */
gboolean profile_rig_has_source (ProfileRig *rig);
gboolean profile_rig_is_missing (ProfileRig *rig);
