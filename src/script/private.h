/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of script's own side in the main loop share. */
#pragma once
#include "base/array.h"
#include "command/script.h"
#include "profile/report.h"
#include "script/port.h"
#include "script/script.h"
#include "session/query.h"

/* script.c: to the thread of Python; takes the message. */
void script_post (ScriptMessage *message);
/* Of a question with that id. From any thread. */
void script_answer (guint64 id, const char *text, gboolean ok);
guint64 script_next_id (void);

/* hits.c: breakpoints whose hits a script judges. */
void script_hits_own (Session *session, guint32 number);
void script_hits_disown (guint32 number);
void script_hits_take_judged (guint64 id);
void script_hits_forget (Session *session); /* NULL: of any */
gboolean script_hits_is_judging (Session *session);
gboolean script_hits_has (Session *session, guint32 number);

/* Python has been started, or begins to; the session is the one that is asked. FALSE: it cannot be. */
gboolean script_prepare (Session *session, GError **error);
void script_interrupt_python (void);
/* For which Python's thread had a processor, in µs; 0 before it has begun. */
gint64 script_get_python_time_us (void);
/* A script has been given to Python, and has not ended yet. */
gboolean script_is_running (void);

/* show.c: values that printers show. */
void script_show_install (void);
void script_show_begin (guint64 id);
void script_show_take (guint64 id, const char *text);
void script_show_arm (void);
/* Whose thread and frame are meant by what printers ask; NULL: no printer runs. */
const JobRequest *script_show_get_request (Session *session);

/* offered.c: printers that came with the packages of libraries that ranks have mapped. */
/* One of them might show the value, which has no view of pddt's own. */
gboolean script_offered_is_possible (const JobValue *value);
/* FALSE: it is to be asked for. *ret_offered: there is one. */
gboolean script_offered_is_known (Session *session, gboolean *ret_offered);
/* FALSE: it is being asked for. */
gboolean script_offered_ask (Session *session, guint32 rank, void (*done) (gpointer user),
                             gpointer user);
void script_offered_forget (gpointer user);

/* functions.c: $NAME (…) of scripts. */
void script_function_add (const char *name);
/* The whole expression calls one of them. */
gboolean script_function_is_call (const JobRequest *request);
/* What Python is asked: RANKS and the call; NULL: no rank has answered. Caller owns. */
char *script_function_describe (const JobRequest *request, const SessionAnswer *answer);
/* text: lines of what it says, instead of what the ranks have answered; NULL: nothing. reason: why it says nothing for a rank. */
void script_function_answer (const JobRequest *request, guint64 id, SessionAnswer *answer,
                             const char *text, const char *reason);

/* profiles.c: profiles that scripts have opened, and what they ask of them. */
/* Answers the message. taken: the last profile of the session, NULL: none; find: of pddt's programs. */
void script_profiles_ask (const ScriptMessage *message, CommandProfile *taken, ScriptFind find);

/* profile-rows.c: JSON of a profile. */
/* A part of its time, in s since its first sample. */
typedef struct {
    double begin_s, end_s;
    const JobRankSet *ranks; /* borrowed; NULL: all */
    guint n_bins;
    double offset,
        scale; /* a time of the part is (a time of the model that was read - offset) / scale */
} ScriptProfilePart;

void script_profile_add_head (GString *json, const ProfileModel *model,
                              const ProfileReportFacts *facts);
/* FALSE: there are no such rows. path: of its archive; NULL: it has none. */
gboolean script_profile_add_rows (GString *json, const char *what, const ProfileModel *model,
                                  const char *path, const ScriptProfilePart *part);
void script_profile_add_samples (GString *json, const ProfileModel *model,
                                 const ScriptProfilePart *part);
