/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The states of a rank: one table of word, JSON name, colour name and severity for all. */
#pragma once
#include <glib.h>

typedef enum {
    JOB_STATE_NONE, /* not started: the launcher has not reported it */
    JOB_STATE_RUNNING,
    JOB_STATE_STEPPING,
    JOB_STATE_BLOCKED, /* a step that cannot finish */
    JOB_STATE_STOPPED,
    JOB_STATE_BREAKPOINT,
    JOB_STATE_EXCEPTION,
    JOB_STATE_SIGNAL,
    JOB_STATE_EXITED, /* status 0 */
    JOB_STATE_FAILED, /* other status, or killed */
    JOB_STATE_LOST,
    JOB_N_STATES
} JobState;

typedef struct {
    const char *word;    /* of the command language and JSON; "not started" for NONE */
    const char *colour;  /* name in style.css without "pddt_", e.g. "running" */
    const char *title;   /* for a legend: "Running"; untranslated, marked with N_() */
    const char *glyph;   /* UTF-8, one character */
    guint8 severity;     /* larger is worse; a column stacks the most severe on top */
    gboolean severe;     /* gets hatch and beacon */
    gboolean is_stopped; /* stopped, breakpoint, exception, signal: can be inspected and
                            moved */
    gboolean is_ended;   /* exited, failed, lost */
    gboolean is_moving;  /* running, stepping, blocked */
} JobStateInfo;

const JobStateInfo *job_state_get_info (JobState state); /* any number; NONE's for unknown */
/* After a number of ranks, in the middle of a sentence of the windows and in their language: "at a breakpoint". */
const char *job_state_get_shown (JobState state, gulong n);
/* FALSE when word is no state's word. */
gboolean job_state_find (const char *word, JobState *ret_state);
