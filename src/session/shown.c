/* SPDX-License-Identifier: GPL-3.0-or-later */
/* States and places as windows show them: the words of the contract's state lines, in the user's language. */
#include <glib/gi18n.h>
#include "session/private.h"

/* What a rank does, without where. Caller owns. */
static char *
dup_state (const JobEvent *event)
{
    switch (event->state) {
    case JOB_STATE_RUNNING: return g_strdup (_ ("running"));
    case JOB_STATE_STEPPING: return g_strdup (_ ("stepping"));
    case JOB_STATE_BLOCKED: return g_strdup (_ ("blocked"));
    case JOB_STATE_STOPPED: return g_strdup (_ ("stopped"));
    case JOB_STATE_BREAKPOINT:
        /* Translators: where ranks have stopped; the number of a breakpoint. */
        return event->number > 0 ? g_strdup_printf (_ ("breakpoint %d"), event->number)
                                 : g_strdup (_ ("breakpoint"));
    case JOB_STATE_EXCEPTION:
        /* Translators: a Python exception's type, such as ValueError. */
        return event->text != NULL ? g_strdup_printf (_ ("exception %s"), event->text)
                                   : g_strdup (_ ("exception"));
    case JOB_STATE_SIGNAL:
        return event->text != NULL ? g_strdup_printf (_ ("signal %s"), event->text)
                                   : g_strdup (_ ("signal"));
    case JOB_STATE_EXITED: return g_strdup_printf (_ ("exited %d"), 0);
    case JOB_STATE_FAILED:
        /* Translators: a program's exit status, or the signal that ended it. */
        return event->text != NULL ? g_strdup_printf (_ ("failed %s"), event->text)
                                   : g_strdup_printf (_ ("failed %d"), event->number);
    case JOB_STATE_LOST:
        if (session_is_detached_text (event->text)) {
            return g_strdup (_ ("detached"));
        }
        return event->text != NULL ? g_strdup_printf (_ ("lost, host %s"), event->text)
                                   : g_strdup (_ ("lost"));
    default: return g_strdup (_ ("not started"));
    }
}

char *
session_dup_shown_place (const Session *session, const JobLocation *place)
{
    g_autofree char *file = NULL;

    if (place == NULL || place->file == NULL || place->function == NULL
        || *place->function == '\0') {
        return session_format_place (session, place);
    }
    file = session_dup_short_file (session, place->file);
    /* Translators: a function, and the file and line where it is: "main at app.c:12". */
    return g_strdup_printf (_ ("%s at %s:%u"), place->function, file, place->line);
}

char *
session_dup_shown_state (const Session *session, const JobEvent *event)
{
    g_autofree char *state = dup_state (event);
    g_autofree char *place = job_state_get_info (event->state)->is_ended
                                 ? g_strdup ("")
                                 : session_dup_shown_place (session, event->place);

    /* Translators: a state and a place: "stopped, main at app.c:12". */
    return *place != '\0' ? g_strdup_printf (_ ("%s, %s"), state, place)
                          : g_steal_pointer (&state);
}
