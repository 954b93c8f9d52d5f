/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `save` and `load`: breakpoints and named sets, to a file and back. */
#include "command/private.h"
#include "session/saved.h"
#include <string.h>

/* The named file, or the one in which pddt keeps the program's session automatically. */
static char *
take_file (CommandJob *job)
{
    const char *const *argv = session_get_argv (job->session);
    char *file = g_strstrip (g_strdup (job->arguments));
    gsize length = strlen (file);

    if (length > 1 && (*file == '"' || *file == '\'') && file[length - 1] == *file) {
        memmove (file, file + 1, length - 2);
        file[length - 2] = '\0';
    }
    if (*file == '\0' && argv != NULL && argv[0] != NULL) {
        g_autoptr (SessionSaved) saved = session_dup_saved (job->session);

        g_free (file);
        file = session_saved_get_file (argv, saved->folder);
    }
    return file;
}

void
command_run_save (CommandJob *job)
{
    g_autofree char *file = take_file (job), *text = NULL;
    g_autoptr (SessionSaved) saved = session_dup_saved (job->session);
    g_autoptr (GError) error = NULL;

    if (saved == NULL) {
        command_job_fail (job, NULL, "cannot save: pddt did not start this job");
    } else if (!session_saved_store (saved, file, &error)) {
        command_job_fail (job, NULL, "%s", error->message);
    } else {
        text = g_strdup_printf ("saved %s: %u breakpoint%s, %u set%s", file, saved->points->len,
                                saved->points->len == 1 ? "" : "s", saved->sets->len,
                                saved->sets->len == 1 ? "" : "s");
        command_job_answer (job, NULL, text);
    }
    command_job_end (job);
}

void
command_run_load (CommandJob *job)
{
    g_autofree char *file = take_file (job);
    g_autoptr (GError) error = NULL;
    g_autoptr (SessionSaved) saved = NULL;

    if (*file == '\0') {
        command_job_fail (job, NULL, "load needs a FILE that save has written");
    } else if ((saved = session_saved_load (file, &error)) == NULL
               || !session_saved_may_restore (saved, file, &error)) {
        command_job_fail (job, NULL, "%s", error->message);
    } else {
        command_display_restore (job->context, saved->displays);
        command_job_submit_all (job, session_restore (job->session, saved));
        return;
    }
    command_job_end (job);
}
