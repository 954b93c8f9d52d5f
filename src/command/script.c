/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language's side of scripts: `python`, the blocks of lines that end with `end`, and commands that scripts add. What
 * runs them are hooks of the layer `script`. */
#include "command/script-private.h"
#include "base/error.h"
#include <string.h>

struct _CommandScriptBlock {
    void (*end) (CommandJob *job, const char *name, const char *text);
    char *head;         /* "python", "define" or "document", for the user */
    char *name;         /* of the command that is defined; NULL */
    guint depth;        /* of blocks inside */
    gboolean is_python; /* a block inside is */
    JobRankSet *ranks;
    GString *text;
};

static const CommandScripts *installed;

const CommandScripts *
command_get_scripts (void)
{
    return installed;
}

void
command_set_scripts (const CommandScripts *scripts)
{
    installed = scripts;
}

void
command_script_write (CommandContext *context, int stream, const char *text)
{
    if (context->json) {
        g_autofree char *json = command_json_format_text ("text", 0, NULL, text);

        command_context_write (context, COMMAND_OUT_ANSWER, json);
    } else if (*text == '\0') {
        context->write (COMMAND_OUT_ANSWER, stream, text, context->user);
    } else {
        command_context_write (context, COMMAND_OUT_ANSWER, text);
    }
}

void
command_script_fail (CommandContext *context, const char *text)
{
    context->hook_failed = TRUE;
    command_context_write_error (context, text);
}

void
command_script_quit (CommandContext *context)
{
    context->quit = TRUE;
}

/* ---- running ---- */

static void
on_script_done (const char *problem, gpointer user)
{
    CommandJob *job = user;

    if (problem != NULL) {
        command_job_fail (job, NULL, "%s", problem);
    }
    command_job_end (job);
}

static void
end_with (CommandJob *job, const GError *error)
{
    job->is_script = FALSE;
    command_job_fail (job, NULL, "%s",
                      error != NULL ? error->message
                                    : "there is no Python in this program of pddt's");
    command_job_end (job);
}

void
command_script_run (CommandJob *job, const char *text, const char *file, guint line)
{
    g_autoptr (GError) error = NULL;
    const JobRankSet *ranks = job->set != NULL ? job->set : session_get_focus (job->session);

    job->is_script = TRUE;
    if (installed == NULL
        || !installed->run (job->context, ranks, text, file, line, on_script_done, job,
                            &error)) {
        end_with (job, error);
    }
}

static void
run_added (CommandJob *job)
{
    g_autoptr (GError) error = NULL;

    job->is_script = TRUE;
    if (installed == NULL
        || !installed->call (job->context, job->set, job->row->name, job->arguments,
                             on_script_done, job, &error)) {
        end_with (job, error);
    }
}

gboolean
command_script_check_name (const char *name, GError **error)
{
    const CommandRow *row;

    if (*name == '\0'
        || name[strspn (name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_")]
               != '\0') {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                     "\"%s\" cannot be a command: its name has letters, - and _ only", name);
        return FALSE;
    }
    for (guint i = 0; (row = command_table_get (i)) != NULL; i++) {
        g_auto (GStrv) words = g_strsplit_set (row->words, ", ", -1);
        gsize length = strcspn (row->name, " ");

        if (row->run != run_added && !command_is_defined (row)
            && ((strlen (name) == length && strncmp (row->name, name, length) == 0)
                || g_strv_contains ((const char *const *) words, name))) {
            g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "%s is a command of pddt's own",
                         name);
            return FALSE;
        }
    }
    return TRUE;
}

gboolean
command_script_add (const char *name, const char *help, GError **error)
{
    if (!command_script_check_name (name, error)) {
        return FALSE;
    }
    command_table_add (name, "[ARGUMENTS]",
                       help != NULL && *help != '\0' ? help : "a script's command",
                       COMMAND_AT_ONCE, run_added);
    return TRUE;
}

/* ---- blocks ---- */

void
command_script_block_free (CommandContext *context)
{
    CommandScriptBlock *block = g_steal_pointer (&context->script_block);

    if (block != NULL) {
        g_free (block->head);
        g_free (block->name);
        g_clear_pointer (&block->ranks, job_rank_set_free);
        g_string_free (block->text, TRUE);
        g_free (block);
    }
}

void
command_script_open (CommandJob *job, const char *name,
                     void (*end) (CommandJob *job, const char *name, const char *text))
{
    CommandScriptBlock *block = g_new0 (CommandScriptBlock, 1);

    command_script_block_free (job->context);
    block->end = end;
    block->head = g_strdup_printf ("%s%s%s", job->row->name, name != NULL ? " " : "",
                                   name != NULL ? name : "");
    block->name = g_strdup (name);
    block->ranks = job->set != NULL ? job_rank_set_dup (job->set) : NULL;
    block->text = g_string_new (NULL);
    block->is_python = name == NULL;
    job->context->script_block = block;
}

char *
command_take_open_block (CommandContext *context)
{
    char *head = NULL;

    if (context->block != NULL) {
        g_clear_pointer (&context->block, g_ptr_array_unref);
        return g_strdup_printf ("commands %u", context->block_number);
    }
    head = context->script_block != NULL ? g_strdup (context->script_block->head) : NULL;

    command_script_block_free (context);
    return head;
}

/* Whether lines up to an `end` of their own follow. */
static gboolean
opens_block (const char *line)
{
    g_auto (GStrv) words = g_strsplit_set (line, " \t", -1);
    gboolean is_alone = words[0] != NULL && words[1] == NULL;

    if (words[0] == NULL) {
        return FALSE;
    }
    return (strcmp (words[0], "python") == 0 && is_alone) || strcmp (words[0], "define") == 0
           || strcmp (words[0], "document") == 0 || strcmp (words[0], "if") == 0
           || strcmp (words[0], "while") == 0
           || (strcmp (words[0], "commands") == 0 && strchr (line, '"') == NULL);
}

void
command_script_note_line (const char *line, guint *depth)
{
    g_autofree char *stripped = g_strstrip (g_strdup (line));

    if (strcmp (stripped, "end") == 0) {
        *depth -= *depth > 0;
    } else if (opens_block (stripped)) {
        ++*depth;
    }
}

gboolean
command_script_take_line (CommandJob *job)
{
    CommandScriptBlock *block = job->context->script_block;
    g_autofree char *line = NULL, *name = NULL, *text = NULL;
    gboolean is_end;

    if (block == NULL) {
        return FALSE;
    }
    line = g_strstrip (g_strdup (job->line));
    is_end = strcmp (line, "end") == 0;
    if (is_end && block->depth == 0) {
        void (*end) (CommandJob *, const char *, const char *) = block->end;

        name = g_strdup (block->name);
        text = g_strdup (block->text->str);
        job->set = g_steal_pointer (&block->ranks);
        command_script_block_free (job->context);
        end (job, name, text);
        return TRUE;
    }
    if (is_end) {
        block->depth--;
        block->is_python = FALSE;
    } else if (!block->is_python && opens_block (line)) {
        block->depth++;
        block->is_python = strcmp (line, "python") == 0;
    }
    g_string_append_printf (block->text, "%s\n", job->line);
    command_job_end (job);
    return TRUE;
}

/* ---- python ---- */

static void
end_python (CommandJob *job, const char *name, const char *text)
{
    command_script_run (job, text, NULL, 1);
}

void
command_run_python (CommandJob *job)
{
    if (*job->arguments == '\0') {
        command_script_open (job, NULL, end_python);
        command_job_end (job);
    } else {
        command_script_run (job, job->arguments, NULL, 1);
    }
}
