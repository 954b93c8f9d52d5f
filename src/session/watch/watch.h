/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the session looks for by itself while the program runs. Each asks as any client does, and knows alone what it
 * keeps. */
#pragma once
#include "session/session.h"

typedef struct _SessionHang SessionHang;
typedef struct _SessionWhy SessionWhy;
typedef struct _SessionCollectives SessionCollectives;
typedef struct _SessionDiverged SessionDiverged;

typedef struct {
    SessionHang *hang;
    SessionWhy *why;
    SessionCollectives *collectives;
    SessionDiverged *diverged;
} SessionWatch;

/* hang.c */
/* The table of a poll: who has been inside one call since when. Not from inside of an answer to it. */
void session_hang_update (Session *session, const JobMessageTable *table);
void session_hang_note_state (Session *session,
                              const JobEvent *event); /* after it was applied */
/* Until a look can show that a rank which stood in the last one still does; much when none did. */
guint session_hang_get_rest_ms (const Session *session);
void session_hang_clear (Session *session);

/* collectives.c */
void session_collectives_note_state (Session *session, const JobEvent *event);
/* Queues that nobody has asked for: of no concern to anybody else. */
void session_collectives_apply (Session *session, const JobEvent *event);
void session_collectives_note_option (Session *session, const JobRequest *request);
void session_collectives_init (Session *session);
void session_collectives_clear (Session *session);

/* why.c */
void session_why_note_state (Session *session, const JobEvent *event);
/* Why do those that are blocked not get on? Told by "verdict", where it is worth it; not before
 * so many ms, and a moment later, as they do not come at once. */
void session_why_ask (Session *session, guint ms);
void session_why_init (Session *session);
void session_why_clear (Session *session);

/* diverged.c */
void session_diverged_init (Session *session);
void session_diverged_clear (Session *session);
void session_diverged_note_state (Session *session, const JobEvent *event);
/* What the session does itself: it is not sent. */
gboolean session_diverged_is_own (const Session *session, const JobRequest *request);
/* Adds those of the set that go on line by line until they part. */
void session_diverged_add_marching (const Session *session, const JobRankSet *set,
                                    JobRankSet *ranks);
/* Another motion of these ranks begins. */
void session_diverged_cancel (Session *session, const JobRankSet *ranks);
