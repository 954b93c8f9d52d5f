/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines that run one after the other, those of a file or of a command that was defined: one that fails skips the
 * rest. */
#include "command/script-private.h"

#define MAX_DEPTH 1000 /* of scripts that call scripts */

typedef struct {
    CommandContext *context;
    char *name;
    guint depth;
    guint n_left; /* lines that have not been run; with the last one it is freed */
} Script;

typedef struct {
    Script *script;
    guint number;
} ScriptLine;

static void
drop_line (ScriptLine *line)
{
    Script *script = line->script;

    g_free (line);
    if (--script->n_left == 0) {
        g_free (script->name);
        g_free (script);
    }
}

static void on_line_done (gboolean ok, gpointer user);

static ScriptLine *
find_line (CommandJob *job)
{
    return job->done == on_line_done ? job->done_user : NULL;
}

/* The rest of a file whose line has failed is left out. */
static void
skip_rest (const ScriptLine *failed)
{
    GQueue *jobs = failed->script->context->jobs;
    gboolean any = FALSE;

    for (GList *at = jobs->head, *next; at != NULL; at = next) {
        CommandJob *job = at->data;
        ScriptLine *line = find_line (job);

        next = at->next;
        if (line != NULL && line->script == failed->script) {
            const char *text = command_skip_spaces (job->line);

            any |= *text != '\0' && *text != '#';
            g_queue_delete_link (jobs, at);
            command_job_free (job);
            drop_line (line);
        }
    }
    if (any) {
        g_autofree char *text
            = g_strdup_printf ("%s:%u failed, the rest of the file is skipped",
                               failed->script->name, failed->number);

        command_context_write_error (failed->script->context, text);
    }
}

static void
on_line_done (gboolean ok, gpointer user)
{
    ScriptLine *line = user;

    line->script->context->hook_failed |= !ok;
    if (!ok && !line->script->context->answered) {
        skip_rest (line);
    }
    drop_line (line);
}

gboolean
command_queue_lines (CommandJob *job, const char *name, char **lines)
{
    const ScriptLine *caller = find_line (job);
    guint depth = caller != NULL ? caller->script->depth + 1 : 0;
    Script *script;

    if (depth > MAX_DEPTH) {
        command_job_fail (job, NULL, "%s: more than %d scripts call each other", name,
                          MAX_DEPTH);
        return FALSE;
    }
    script = g_new0 (Script, 1);
    script->context = job->context;
    script->name = g_strdup (name);
    script->depth = depth;
    script->n_left = g_strv_length (lines);
    for (guint i = script->n_left; i-- > 0;) {
        ScriptLine *line = g_new0 (ScriptLine, 1);

        line->script = script;
        line->number = i + 1;
        g_queue_push_head (job->context->jobs,
                           command_job_new (job->context, lines[i], on_line_done, line));
    }
    if (script->n_left == 0) {
        g_free (script->name);
        g_free (script);
    }
    return TRUE;
}

void
command_run_source (CommandJob *job)
{
    const char *text = job->arguments;
    g_autoptr (GError) error = NULL;
    g_autofree char *path = command_take_word (&text, "", &error);
    g_autofree char *contents = NULL;
    g_auto (GStrv) lines = NULL;

    if (path == NULL || *command_skip_spaces (text) != '\0') {
        command_job_fail (job, NULL, "%s %s", job->row->name, job->row->usage);
    } else if (!g_file_get_contents (path, &contents, NULL, &error)) {
        command_job_fail (job, NULL, "cannot read the commands: %s", error->message);
    } else if (g_str_has_suffix (path, ".py")) {
        command_script_run (job, contents, path, 1);
        return;
    } else if (job->parsed_set != NULL) {
        command_job_fail (job, NULL,
                          "source FILE does not act on a set of ranks unless FILE is Python");
    } else {
        lines = g_strsplit (contents, "\n", -1);
        command_queue_lines (job, path, lines);
    }
    command_job_end (job);
}
