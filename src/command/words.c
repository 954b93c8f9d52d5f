/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of gdb's that the front end answers: `echo`, `pwd`, `directory`, `info functions` and the like,
 * and `info registers` of some registers. */
#include "command/private.h"
#include "base/log.h"
#include "session/options.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_NAMES 200u

/* ---- echo, pwd ---- */

void
command_run_echo (CommandJob *job)
{
    g_autofree char *text = g_strcompress (job->arguments);

    command_job_answer (job, NULL, text);
    command_job_end (job);
}

void
command_run_pwd (CommandJob *job)
{
    g_autofree char *folder = g_get_current_dir ();

    command_job_answer (job, NULL, folder);
    command_job_end (job);
}

/* ---- the user's own commands ---- */

static gboolean
is_private (const char *path)
{
    struct stat status;

    return stat (path, &status) == 0 && status.st_uid == geteuid ()
           && (status.st_mode & 022) == 0;
}

char *
command_dup_init (void)
{
    g_autofree char *folder = g_build_filename (g_get_user_config_dir (), "pddt", NULL);
    g_autofree char *path = g_build_filename (folder, "init", NULL);

    if (access (path, F_OK) != 0) {
        return NULL;
    }
    if (!is_private (path) || !is_private (folder)) {
        base_log_say (
            "%s is not read, because others can write to it or its folder: run chmod go-w %s %s",
            path, folder, path);
        return NULL;
    }
    return g_strdup_printf ("source \"%s\"", path);
}

/* ---- directory, set substitute-path ---- */

static void
add_source_folder (CommandJob *job, const char *added)
{
    const char *known = session_get_option (job->session, "source-folders");
    gboolean none = known == NULL || *known == '\0' || strcmp (known, "none") == 0;
    g_autofree char *value = none ? g_strdup (added) : g_strconcat (added, ":", known, NULL);
    JobRequest *request = session_set_option (job->session, "source-folders", value);

    if (request != NULL) {
        command_job_submit (job, request);
    } else {
        command_job_end (job);
    }
}

/* Without a folder it forgets those that were named before, as in gdb. */
void
command_run_directory (CommandJob *job)
{
    g_autofree char *folders = g_strdelimit (g_strdup (job->arguments), " \t", ':');

    if (*folders == '\0') {
        job_request_free (session_set_option (job->session, "source-folders", "none"));
        command_job_end (job);
    } else {
        add_source_folder (job, folders);
    }
}

void
command_run_substitute_path (CommandJob *job)
{
    const char *text = job->arguments;
    g_autofree char *from = command_take_word (&text, "", NULL);
    g_autofree char *to = from != NULL ? command_take_word (&text, "", NULL) : NULL;
    g_autofree char *added = to != NULL ? g_strdup_printf ("%s=%s", from, to) : NULL;

    if (added == NULL || *command_skip_spaces (text) != '\0' || strpbrk (from, ":=") != NULL
        || strpbrk (to, ":=") != NULL) {
        command_job_fail (job, NULL, "%s %s, two paths without \":\" and \"=\"", job->row->name,
                          job->row->usage);
        command_job_end (job);
        return;
    }
    add_source_folder (job, added);
}

/* ---- info registers ---- */

void
command_run_registers (CommandJob *job)
{
    g_auto (GStrv) names = g_strsplit_set (job->arguments, " \t,", -1);
    GPtrArray *requests;

    if (*job->arguments == '\0') {
        command_job_submit (job, job_request_new (job->row->verb, job->set));
        return;
    }
    requests = g_ptr_array_new ();
    for (guint i = 0; names[i] != NULL; i++) {
        const char *name = *names[i] == '$' ? names[i] + 1 : names[i];

        if (*name != '\0') {
            g_autofree char *expression = g_strconcat ("$", name, NULL);

            g_ptr_array_add (requests,
                             command_new_print (JOB_VERB_PRINT, job->set, expression, '\0'));
        }
    }
    command_job_submit_all (job, requests);
}

/* ---- info functions, variables, types ---- */

BASE_ORDER_POINTERS (compare_names, JobName,
                     g_strcmp0 (left->file, right->file) ?: BASE_BY (line)
                         ?: strcmp (left->name, right->name))

/* One line each, by their places; what is not shown is counted. */
static void
end_with_names (CommandJob *job, const GPtrArray *names)
{
    g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
    g_autoptr (GString) text = g_string_new (NULL);

    for (guint i = 0; i < names->len && i < MAX_NAMES; i++) {
        g_ptr_array_add (sorted, g_ptr_array_index (names, i));
    }
    g_ptr_array_sort (sorted, compare_names);
    for (guint i = 0; i < sorted->len; i++) {
        const JobName *name = g_ptr_array_index (sorted, i);

        g_string_append_printf (text, "%s%s", i > 0 ? "\n" : "", name->name);
        if (name->file != NULL && name->line > 0) {
            g_string_append_printf (text, " at %s:%u", name->file, name->line);
        }
    }
    if (names->len > MAX_NAMES) {
        g_string_append_printf (text, "\nand more than these %u", MAX_NAMES);
    }
    if (names->len == 0) {
        command_job_fail (job, NULL,
                          strcmp (job->row->name, "info functions") == 0
                              ? "nothing matches \"%s\""
                              : "no name contains \"%s\"",
                          job->arguments);
    } else {
        command_job_answer (job, job->set, text->str);
    }
    command_job_end (job);
}

static void
on_functions (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    g_autoptr (JobNames) names = job_names_new (MAX_NAMES + 1);

    BASE_EACH (job->answers, const JobEvent, event) {
        if (event->kind == JOB_EVENT_TEXT && event->text != NULL) {
            job_names_read (names, event->text);
        }
    }
    end_with_names (job, job_names_get (names));
}

static void
on_names (Session *session, const GPtrArray *names, gpointer user)
{
    end_with_names (user, names);
}

void
command_run_names (CommandJob *job)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GRegex) regex = g_regex_new (job->arguments, G_REGEX_RAW, 0, &error);
    gboolean is_function = strcmp (job->row->name, "info functions") == 0;
    JobRequest *request;

    if (regex == NULL) {
        command_job_fail (job, NULL, "%s %s: %s", job->row->name, job->row->usage,
                          error->message);
        command_job_end (job);
    } else if (is_function) {
        request = job_request_new (JOB_VERB_NAMES, job->set);
        request->text = g_strdup (*job->arguments != '\0' ? job->arguments : ".");
        request->number = MAX_NAMES + 1;
        request->delta = JOB_NAME_FUNCTION | JOB_NAME_BY_PATTERN;
        command_job_query (job, request, on_functions);
    } else {
        session_find_names (job->session, job->set, job->arguments,
                            strcmp (job->row->name, "info types") == 0 ? JOB_NAME_TYPE
                                                                       : JOB_NAME_VARIABLE,
                            MAX_NAMES + 1, on_names, job);
    }
}
