/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the user sets for the whole job: options, and what steps skip. There is one of each, whoever has
 * set it: a script, the prompt, any window. */
#pragma once
#include "session/session.h"

typedef struct {
    const char *name, *value; /* at first */
    /* it may be, separated by '|'; NULL: any text, "": a number, 0 for none */
    const char *words;
    const char *help;   /* what it means: English, without a full stop */
    const char *python; /* at first where a rank stands at a Python line; NULL: value, too */
    const char *example, *use; /* a value to set, and what for: English, an infinitive */
} SessionOption;
const SessionOption *session_option_get (guint index); /* by name; NULL past the end */
const SessionOption *session_option_find (const char *name);
/* What it is now; NULL when there is no such option. Borrowed until it is set again. */
const char *session_get_option (const Session *session, const char *name);
/* What it is now for a rank that stands at a Python line, where that is something else; NULL: it is the same. */
const char *session_get_option_at_python (const Session *session, const char *name);
/* Sets a known option to a value that it may be. Returns the request that tells the ranks, for the caller
 * to send; NULL: there is nobody to tell, or nobody yet: those who come are told before "ready". */
JobRequest *session_set_option (Session *session, const char *name, const char *value);

/* Functions and files that steps skip: of char*, "function NAME" or "file END"; NULL: removed. The
 * first one is number 1. Borrowed. */
const GPtrArray *session_get_skips (const Session *session);
guint32 session_add_skip (Session *session, const char *line);   /* its number */
gboolean session_remove_skip (Session *session, guint32 number); /* FALSE: there is none */
/* Tells the ranks all of them; NULL as above. */
JobRequest *session_make_skip_request (Session *session);
