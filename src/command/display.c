/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `display`: expressions whose values are shown at each stop of their ranks. They are asked for in the
 * background; a `wait` ends when they are there. */
#include "command/private.h"
#include "base/error.h"
#include "session/remote.h"
#include <string.h>

/* One that has been asked for. */
typedef struct {
    CommandContext *context;
    SessionQuery *query;
    guint32 number;
    char *name;
    GPtrArray *answers; /* of JobEvent; NULL: not answered yet */
    gboolean is_told;   /* its user has asked for it just now: problems are shown, too */
} Asked;

void
command_display_free_asked (gpointer data)
{
    Asked *asked = data;

    session_query_free (asked->query);
    g_free (asked->name);
    g_clear_pointer (&asked->answers, g_ptr_array_unref);
    g_free (asked);
}

static char *
format_name (const SessionSavedDisplay *display)
{
    return display->letter != '\0'
               ? g_strdup_printf ("%u: /%c %s", display->number, display->letter,
                                  display->expression)
               : g_strdup_printf ("%u: %s", display->number, display->expression);
}

static void on_answer (SessionQuery *query, SessionAnswer *answer, gpointer user);

static void
ask (CommandContext *context, const SessionSavedDisplay *display, const JobRankSet *ranks,
     gboolean is_told)
{
    g_autoptr (JobRankSet) set = display->ranks != NULL
                                     ? job_rank_set_intersect (display->ranks, ranks)
                                     : job_rank_set_dup (ranks);
    JobRequest *request;
    Asked *asked;

    if (job_rank_set_is_empty (set)) {
        return;
    }
    request = command_new_print (JOB_VERB_PRINT, set, display->expression, display->letter);
    session_selection_mark (context->selection, request);
    asked = g_new0 (Asked, 1);
    asked->context = context;
    asked->number = display->number;
    asked->name = format_name (display);
    asked->is_told = is_told;
    g_ptr_array_add (context->asked, asked);
    asked->query = session_query_new (context->session, request, on_answer, asked);
}

void
command_display_show (CommandContext *context, const JobRankSet *ranks)
{
    for (guint i = 0; i < context->displays->len; i++) {
        ask (context, g_ptr_array_index (context->displays, i), ranks, FALSE);
    }
}

static void
write_answer (CommandContext *context, const Asked *asked, JobEvent *event)
{
    g_autofree char *text = NULL;

    if (event->kind == JOB_EVENT_FAILURE) {
        g_autofree char *plain = event->text;

        if (!asked->is_told
            && (event->code == BASE_ERROR_NOT_FOUND || g_str_has_prefix (plain, "NameError"))) {
            event->text = g_steal_pointer (&plain);
            return; /* not of this function */
        }
        event->text = g_strdup_printf ("display %u: %s", asked->number, plain);
    }
    for (guint i = 0;
         job_event_get_table (event) != NULL && i < job_event_get_table (event)->rows->len;
         i++) {
        JobValueRow *row = g_ptr_array_index (job_event_get_table (event)->rows, i);

        g_free (row->name);
        row->name = g_strdup (asked->name);
    }
    command_context_write_event (context, COMMAND_OUT_EVENT, event, asked->name);
}

/* They are written in the order in which they were asked for. */
static void
on_answer (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    CommandContext *context = ((Asked *) user)->context;

    ((Asked *) user)->answers = command_take_answers (answer);
    while (context->asked->len > 0
           && ((Asked *) g_ptr_array_index (context->asked, 0))->answers != NULL) {
        Asked *asked = g_ptr_array_index (context->asked, 0);

        for (guint i = 0; i < asked->answers->len; i++) {
            write_answer (context, asked, g_ptr_array_index (asked->answers, i));
        }
        g_ptr_array_remove_index (context->asked, 0);
    }
    if (context->asked->len == 0 && context->active != NULL
        && context->active->awaits_displays) {
        command_job_end (context->active);
    } else if (context->active != NULL) {
        command_wait_check (context->active);
    }
}

gboolean
command_display_is_open (const CommandContext *context)
{
    return context->asked->len > 0;
}

/* ---- commands ---- */

/* Shown at once where a rank stands still; the others come to their stop. */
static void
show_stopped (CommandJob *job, const SessionSavedDisplay *only)
{
    g_autoptr (JobRankSet) stopped = session_dup_ranks_in_state (job->session,
                                                                 JOB_STATE_STOPPED);
    g_autoptr (JobRankSet) set = job_rank_set_intersect (stopped, job->set);

    BASE_EACH (job->context->displays, const SessionSavedDisplay, display) {
        if (only == NULL || only == display) {
            ask (job->context, display, set, TRUE);
        }
    }
    if (command_display_is_open (job->context)) {
        job->awaits_displays = TRUE;
    } else {
        command_job_end (job);
    }
}

/* So that they are saved with the session. */
static void
tell (CommandContext *context)
{
    if (context->keeps_displays) {
        session_keep_displays (context->session, context->displays);
    }
}

static gboolean
has_display (const CommandContext *context, const SessionSavedDisplay *wanted)
{
    return BASE_HAS (context->displays, const SessionSavedDisplay, display,
                     strcmp (display->expression, wanted->expression) == 0
                         && display->letter == wanted->letter
                         && (display->ranks == NULL || wanted->ranks == NULL
                                 ? display->ranks == wanted->ranks
                                 : job_rank_set_equal (display->ranks, wanted->ranks)));
}

void
command_display_restore (CommandContext *context, const GPtrArray *displays)
{
    BASE_EACH (displays, const SessionSavedDisplay, display) {
        SessionSavedDisplay *copy;

        if (has_display (context, display)) {
            continue;
        }
        copy = session_saved_display_dup (display);
        if (copy->number <= context->last_display) {
            copy->number = context->last_display + 1;
        }
        context->last_display = copy->number;
        g_ptr_array_add (context->displays, copy);
    }
    tell (context);
}

void
command_context_keep_displays (CommandContext *context)
{
    const SessionSaved *kept = session_remote_get_kept (context->session);

    context->keeps_displays = TRUE;
    if (kept != NULL) {
        command_display_restore (context, kept->displays);
    }
}

void
command_run_display (CommandJob *job)
{
    g_autoptr (GError) error = NULL;
    const char *text = job->arguments;
    SessionSavedDisplay *display;
    char letter;

    if (!command_take_format (&text, &letter, &error)) {
        command_job_fail (job, NULL, "%s", error->message);
        command_job_end (job);
        return;
    }
    if (*text == '\0') {
        show_stopped (job, NULL);
        return;
    }
    display = g_new0 (SessionSavedDisplay, 1);
    display->number = ++job->context->last_display;
    display->expression = g_strdup (text);
    display->letter = letter;
    display->ranks = job->parsed_set != NULL ? job_rank_set_dup (job->set) : NULL;
    g_ptr_array_add (job->context->displays, display);
    tell (job->context);
    show_stopped (job, display);
}

void
command_run_show_displays (CommandJob *job)
{
    GPtrArray *displays = job->context->displays;
    g_autoptr (GString) text = g_string_new (NULL);

    for (guint i = 0; i < displays->len; i++) {
        const SessionSavedDisplay *display = g_ptr_array_index (displays, i);
        g_autofree char *name = format_name (display);
        g_autofree char *ranks = display->ranks != NULL ? job_rank_set_format (display->ranks)
                                                        : NULL;

        g_string_append_printf (text, "%sdisplay %s%s%s", i > 0 ? "\n" : "", name,
                                ranks != NULL ? ", on " : "", ranks != NULL ? ranks : "");
    }
    command_job_answer (job, NULL, displays->len > 0 ? text->str : "no displays");
    command_job_end (job);
}

static gboolean
remove_display (CommandContext *context, guint32 number)
{
    for (guint i = 0; i < context->displays->len; i++) {
        if (((SessionSavedDisplay *) g_ptr_array_index (context->displays, i))->number
            == number) {
            g_ptr_array_remove_index (context->displays, i);
            return TRUE;
        }
    }
    return FALSE;
}

void
command_run_undisplay (CommandJob *job)
{
    g_auto (GStrv) words = g_strsplit_set (job->arguments, " ,", -1);
    guint32 number;

    if (*job->arguments == '\0') {
        g_ptr_array_set_size (job->context->displays, 0);
    }
    for (guint i = 0; words[i] != NULL; i++) {
        if (*words[i] != '\0'
            && (!command_parse_number (words[i], G_MAXINT32, &number)
                || !remove_display (job->context, number))) {
            command_job_fail (job, NULL, "no display %s", words[i]);
        }
    }
    tell (job->context);
    command_job_end (job);
}
