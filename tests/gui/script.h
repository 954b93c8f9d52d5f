/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fake job: its ranks are at a file's lines, answer requests by a few rules, and follow
 * commands. For the tests of windows; lives as long as the program. */
#pragma once
#include "session/session.h"

typedef struct _Script Script;

/* All ranks have stopped at line 5 of the file, in main. For them it is in /far/away, where this host has
 * nothing: its text is delivered by the session's backend. One that does not exist they cannot read either. */
Script *script_new (guint32 n_ranks, const char *file);
/* The same in a session that has not been started; keeps a reference. */
Script *script_new_in (Session *session, guint32 n_ranks, const char *file);
Session *script_get_session (Script *script);
/* From now on four hosts answer each in its own time, as random numbers have it, and who runs stops some time. */
void script_scatter (Script *script, guint32 seed);
/*   state SET WORD FUNCTION LINE [TEXT]     ranks are now so
 *   output SET TEXT                         ranks print TEXT
 *   part SET TEXT                           the same, without the line's end
 *   nul SET TEXT                            as output, each | a NUL byte
 *   hold SET                                they begin a step and do not arrive; release: they do
 *   mute SET                                they answer nothing; speak: they do again
 *   without SET                             they have no place for a breakpoint
 *   silent SET MS                           their host has not answered for so long; 0: it does
 *   source FILE                             the job's hosts have this host's file, too
 *   asked                                   a notice says how often stacks and locals were asked for
 *   message SEVERITY TEXT */
void script_play (Script *script, const char *line);
