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
 *   log SET NUMBER TEXT                     a logpoint writes TEXT
 *   hold SET                                they begin a step and do not arrive; release: they do
 *   mute SET                                they answer nothing; speak: they do again
 *   without SET                             they have no place for a breakpoint
 *   silent SET MS                           their host has not answered for so long; 0: it does
 *   source FILE                             the job's hosts have this host's file, too
 *   asked                                   a notice says how often stacks and locals were asked for
 *   keep                                    answers come later; deliver: they come
 *   restart                                 the job is started again, and its ranks stand somewhere
 *   message SEVERITY TEXT */
void script_play (Script *script, const char *line);

/* A mark is a number that tells what it is of: SCRIPT_MARK_FIRST, a hundred for each moment, ten for each rank
 * (SCRIPT_MARK_ANY: all that have stopped together), one for the frame. */
enum { SCRIPT_MARK_FIRST = 700000, SCRIPT_MARK_END = 800000, SCRIPT_MARK_ANY = 9 };
/* Of what a rank says, and of where it is, which no write changes; 0: it runs or has ended, and says nothing. */
typedef struct {
    guint values, place;
} ScriptMoment;
/* From now on all values and the names of functions bear marks; there are fewer than SCRIPT_MARK_ANY ranks. They stop
 * once more. */
void script_mark (Script *script);
ScriptMoment script_get_moment (const Script *script, guint32 rank);
/* The source's text from now on. */
void script_edit (Script *script, const char *text);
