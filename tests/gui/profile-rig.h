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
