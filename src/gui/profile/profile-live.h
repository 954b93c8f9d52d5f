/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The profile of a job that is being debugged, while it is taken: what `profile` and `profile start`
 * collect in a session. Each of them begins a new one. */
#pragma once
#include "profile/slice.h"
#include "session/session.h"

typedef struct _GuiProfileLive GuiProfileLive;

/* has_begun: it is another model, which replaces the one before (freed after the call); else it has got
 * more samples. Often: the receiver decides when to draw. */
typedef void (*GuiProfileLiveChanged) (const ProfileModel *model, gboolean has_begun,
                                       gpointer user);

GuiProfileLive *gui_profile_live_new (Session *session, GuiProfileLiveChanged changed,
                                      gpointer user);
void gui_profile_live_free (GuiProfileLive *live); /* NULL is fine; and the model */
