/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The moment that something shown or answered belongs to: a start of the job, each rank's stop number and last
 * motion, and how often the user has written to ranks. Every view and client asks here whether what it has is of
 * the present moment; a selected frame is the client's own (session/selection.h). */
#pragma once
#include "session/session.h"

/* Counts the starts of the job: 0 for the first one, one more as soon as the one before is forgotten. */
guint64 session_get_start (const Session *session);
/* When it was started, by the wall clock; 0: pddt did not start it. */
gint64 session_get_started_us (const Session *session);
/* Another number as soon as one of these ranks has begun to move, stopped once more, or ended, a rank was
 * written to, or the job was started again. What a rank waits for changes nothing. */
guint64 session_sign_moment (const Session *session, const JobRankSet *ranks);
