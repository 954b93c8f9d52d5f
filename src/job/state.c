/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of states. */
#include "job/state.h"
#include <glib/gi18n.h>
#include <string.h>

static const JobStateInfo infos[JOB_N_STATES] = {
    [JOB_STATE_NONE] = { .word = "not started",
                         .colour = "none",
                         .title = N_ ("Not started"),
                         .glyph = "·",
                         .severity = 0 },
    [JOB_STATE_RUNNING] = { .word = "running",
                            .colour = "running",
                            .title = N_ ("Running"),
                            .glyph = "▶",
                            .severity = 2,
                            .is_moving = TRUE },
    [JOB_STATE_STEPPING] = { .word = "stepping",
                             .colour = "stepping",
                             .title = N_ ("Stepping"),
                             .glyph = "»",
                             .severity = 3,
                             .is_moving = TRUE },
    [JOB_STATE_BLOCKED] = { .word = "blocked",
                            .colour = "blocked",
                            .title = N_ ("Blocked"),
                            .glyph = "⊘",
                            .severity = 6,
                            .severe = TRUE,
                            .is_moving = TRUE },
    [JOB_STATE_STOPPED] = { .word = "stopped",
                            .colour = "stopped",
                            .title = N_ ("Stopped"),
                            .glyph = "‖",
                            .severity = 4,
                            .is_stopped = TRUE },
    [JOB_STATE_BREAKPOINT] = { .word = "breakpoint",
                               .colour = "breakpoint",
                               .title = N_ ("At a breakpoint"),
                               .glyph = "●",
                               .severity = 5,
                               .is_stopped = TRUE },
    [JOB_STATE_EXCEPTION] = { .word = "exception",
                              .colour = "exception",
                              .title = N_ ("Exception"),
                              .glyph = "!",
                              .severity = 7,
                              .severe = TRUE,
                              .is_stopped = TRUE },
    [JOB_STATE_SIGNAL] = { .word = "signal",
                           .colour = "signal",
                           .title = N_ ("Signal"),
                           .glyph = "!",
                           .severity = 8,
                           .severe = TRUE,
                           .is_stopped = TRUE },
    [JOB_STATE_EXITED] = { .word = "exited",
                           .colour = "exited",
                           .title = N_ ("Exited"),
                           .glyph = "✓",
                           .severity = 1,
                           .is_ended = TRUE },
    [JOB_STATE_FAILED] = { .word = "failed",
                           .colour = "failed",
                           .title = N_ ("Failed"),
                           .glyph = "✗",
                           .severity = 9,
                           .severe = TRUE,
                           .is_ended = TRUE },
    [JOB_STATE_LOST] = { .word = "lost",
                         .colour = "lost",
                         .title = N_ ("Lost"),
                         .glyph = "?",
                         .severity = 10,
                         .severe = TRUE,
                         .is_ended = TRUE },
};

const JobStateInfo *
job_state_get_info (JobState state)
{
    if ((guint) state >= JOB_N_STATES) {
        return &infos[JOB_STATE_NONE];
    }
    return &infos[state];
}

const char *
job_state_get_shown (JobState state, gulong n)
{
    switch (state) {
    case JOB_STATE_RUNNING: return ngettext ("running", "running", n);
    case JOB_STATE_STEPPING: return ngettext ("stepping", "stepping", n);
    case JOB_STATE_BLOCKED: return ngettext ("blocked", "blocked", n);
    case JOB_STATE_STOPPED: return ngettext ("stopped", "stopped", n);
    case JOB_STATE_BREAKPOINT: return ngettext ("at a breakpoint", "at a breakpoint", n);
    case JOB_STATE_EXCEPTION: return ngettext ("exception", "exception", n);
    case JOB_STATE_SIGNAL: return ngettext ("signal", "signal", n);
    case JOB_STATE_EXITED: return ngettext ("exited", "exited", n);
    case JOB_STATE_FAILED: return ngettext ("failed", "failed", n);
    case JOB_STATE_LOST: return ngettext ("lost", "lost", n);
    default: return ngettext ("not started", "not started", n);
    }
}

gboolean
job_state_find (const char *word, JobState *ret_state)
{
    for (guint i = 0; word != NULL && i < JOB_N_STATES; i++) {
        if (strcmp (infos[i].word, word) == 0) {
            *ret_state = (JobState) i;
            return TRUE;
        }
    }
    return FALSE;
}
