/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job that is being measured: what its ranks tell goes into a model, and into a file that survives
 * this process. */
#pragma once
#include "profile/model.h"
#include "session/session.h"

typedef struct _ProfileRecording ProfileRecording;

/* Begins with the session's next event. folder must be there. DENIED. */
ProfileRecording *profile_recording_new (Session *session, const char *folder,
                                         const ProfileInfo *info, GError **error);
void profile_recording_free (ProfileRecording *recording); /* NULL is fine */
/* The job is over: everything is in the file. */
void profile_recording_end (ProfileRecording *recording, int wait_status);
const ProfileModel *profile_recording_get_model (const ProfileRecording *recording);
/* Why the file does not have all of it; NULL: it does. */
const char *profile_recording_get_problem (const ProfileRecording *recording);
