/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `commands N`: lines that run when ranks stop at the breakpoint, in those ranks, before queued
 * commands; a `wait` continues after them. */
#include "command/script-private.h"
#include <string.h>

static GPtrArray *
find_lines (CommandContext *context, guint32 number)
{
    return g_hash_table_lookup (context->scripts, GUINT_TO_POINTER (number));
}

static gboolean
is_hit (CommandContext *context, const JobEvent *event)
{
    return event->kind == JOB_EVENT_STATE && event->state == JOB_STATE_BREAKPOINT
           && !(event->flags & JOB_EVENT_FRESH) && event->number > 0
           && find_lines (context, (guint32) event->number) != NULL;
}

gboolean
command_hooks_want (CommandContext *context, const JobEvent *event)
{
    return is_hit (context, event);
}

/* A script says whether it is a stop, and shows it then. */
static gboolean
is_judged (CommandContext *context, const JobEvent *event)
{
    const CommandScripts *scripts = command_get_scripts ();

    return scripts != NULL && event->kind == JOB_EVENT_STATE
           && event->state == JOB_STATE_BREAKPOINT && !(event->flags & JOB_EVENT_FRESH)
           && event->number > 0
           && scripts->has_breakpoint (context->session, (guint32) event->number);
}

gboolean
command_hooks_are_silent (CommandContext *context, const JobEvent *event)
{
    GPtrArray *lines = is_hit (context, event) ? find_lines (context, (guint32) event->number)
                                               : NULL;

    return (lines != NULL && lines->len > 0
            && strcmp (g_ptr_array_index (lines, 0), "silent") == 0)
           || is_judged (context, event);
}

static gboolean
begin_hooks (gpointer data)
{
    CommandContext *context = data;

    context->hook_source = 0;
    if (!g_queue_is_empty (context->hooks) && command_wait_is_active (context)
        && context->active->query == NULL && context->suspended == NULL) {
        context->suspended = g_steal_pointer (&context->active);
    }
    command_context_begin_next (context);
    return G_SOURCE_REMOVE;
}

static void
on_hook_done (gboolean ok, gpointer user)
{
    CommandContext *context = user;

    context->hook_failed |= !ok;
}

void
command_hooks_add (CommandContext *context, const JobEvent *event)
{
    GPtrArray *lines = is_hit (context, event) ? find_lines (context, (guint32) event->number)
                                               : NULL;

    for (guint i = 0; lines != NULL && i < lines->len; i++) {
        if (i > 0 || strcmp (g_ptr_array_index (lines, i), "silent") != 0) {
            CommandJob *job = command_job_new (context, g_ptr_array_index (lines, i),
                                               on_hook_done, context);

            job->hook_ranks = job_rank_set_dup (event->ranks);
            g_queue_push_tail (context->hooks, job);
        }
    }
    if (context->hook_source == 0 && !g_queue_is_empty (context->hooks)) {
        context->hook_source = g_idle_add (begin_hooks, context);
    }
}

void
command_hooks_drop (CommandContext *context, const JobRankSet *ranks)
{
    for (GList *link = context->hooks->head; link != NULL;) {
        GList *next = link->next;
        CommandJob *job = link->data;
        JobRankSet *rest = job_rank_set_subtract (job->hook_ranks, ranks);

        job_rank_set_free (job->hook_ranks);
        job->hook_ranks = rest;
        if (job_rank_set_is_empty (rest)) {
            g_queue_delete_link (context->hooks, link);
            command_job_free (job);
        }
        link = next;
    }
}

gboolean
command_has_hooks (CommandContext *context, guint32 breakpoint)
{
    return find_lines (context, breakpoint) != NULL;
}

/* ---- commands ---- */

static void
set_lines (CommandContext *context, guint32 number, GPtrArray *lines)
{
    if (lines->len > 0) {
        g_hash_table_replace (context->scripts, GUINT_TO_POINTER (number),
                              g_ptr_array_ref (lines));
    } else {
        g_hash_table_remove (context->scripts, GUINT_TO_POINTER (number));
    }
}

GPtrArray *
command_split_commands (const char *text)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
    const char *start = text;
    char quote = '\0';

    for (const char *at = text;; at++) {
        if (*at == '\0' || (*at == ';' && quote == '\0')) {
            char *line = g_strstrip (g_strndup (start, (gsize) (at - start)));

            if (*line != '\0') {
                g_ptr_array_add (lines, line);
            } else {
                g_free (line);
            }
            start = at + 1;
        }
        if (*at == '\0') {
            return lines;
        }
        if (quote != '\0' && *at == '\\' && at[1] != '\0') {
            at++;
        } else if (*at == '"' || *at == '\'') {
            quote = quote == '\0' ? *at : quote == *at ? '\0' : quote;
        }
    }
}

void
command_run_commands (CommandJob *job)
{
    const char *text = job->arguments;
    g_autoptr (GPtrArray) lines = NULL;
    gsize size;
    guint32 number;

    if (!command_take_breakpoint (job, &text, &number)) {
        return;
    }
    size = strlen (text);
    if (*text == '\0') {
        job->context->block_number = number;
        job->context->block = g_ptr_array_new_with_free_func (g_free);
    } else if (size >= 2 && *text == '"' && text[size - 1] == '"') {
        g_autofree char *inside = g_strndup (text + 1, size - 2);

        lines = command_split_commands (inside);
        set_lines (job->context, number, lines);
    } else {
        command_job_fail (job, NULL, "%s %s", job->row->name, job->row->usage);
    }
    command_job_end (job);
}

gboolean
command_block_take (CommandJob *job)
{
    CommandContext *context = job->context;
    g_autofree char *line = NULL;

    if (context->block == NULL) {
        return command_script_take_line (job);
    }
    line = g_strstrip (g_strdup (job->line));
    if (strcmp (line, "end") == 0) {
        set_lines (context, context->block_number, context->block);
        g_clear_pointer (&context->block, g_ptr_array_unref);
    } else if (*line != '\0' && *line != '#') {
        g_ptr_array_add (context->block, g_steal_pointer (&line));
    }
    command_job_end (job);
    return TRUE;
}

void
command_hooks_describe (CommandContext *context, guint32 number, GString *line)
{
    GPtrArray *lines = find_lines (context, number);

    for (guint i = 0; lines != NULL && i < lines->len; i++) {
        g_string_append_printf (line, "%s%s", i == 0 ? ", commands \"" : "; ",
                                (const char *) g_ptr_array_index (lines, i));
    }
    g_string_append (line, lines != NULL ? "\"" : "");
}
