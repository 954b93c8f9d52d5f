/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder of a measured run's archive. */
#include "command/measure-private.h"
#include "base/log.h"
#include "profile/archive.h"
#include "session/sources.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define MAX_FOLDERS 100000u

static void
on_named (GObject *source, GAsyncResult *result, gpointer user)
{
    *(GAsyncResult **) user = g_object_ref (result);
}

/* What the process that is about to be measured calls itself; NULL: it is gone. */
static char *
dup_process_name (Session *session, guint32 pid)
{
    g_autoptr (GAsyncResult) result = NULL;

    session_name_process_async (session, pid, NULL, on_named, &result);
    while (result == NULL) {
        g_main_context_iteration (NULL, TRUE);
    }
    return session_name_process_finish (result, NULL);
}

static char *
dup_subject (Session *session, const CommandMeasureOptions *options)
{
    const char *pid = options->start.attach != NULL ? options->start.attach
                                                    : options->start.attach_job;
    char *name;

    if (pid == NULL) {
        return session_dup_program_name (options->start.argv);
    }
    name = dup_process_name (session, (guint32) atoi (pid));
    return name != NULL ? g_strdelimit (name, "/", '_') : g_strdup ("job");
}

char *
command_measure_make_folder (Session *session, const CommandMeasureOptions *options)
{
    g_autofree char *name = NULL;
    g_autoptr (GError) error = NULL;

    if (!profile_archive_check_place (options->output != NULL ? options->output : "pddt-1",
                                      &error)) {
        base_log_say ("%s", error->message);
        return NULL;
    }
    if (options->output != NULL) {
        if (mkdir (options->output, 0777) == 0) {
            return g_strdup (options->output);
        }
        base_log_say (errno == EEXIST ? "%s is there already, and pddt overwrites no archive"
                                      : "cannot make the folder %s",
                      options->output);
        return NULL;
    }
    name = dup_subject (session, options);
    for (guint i = 1; i < MAX_FOLDERS; i++) {
        g_autofree char *path = g_strdup_printf ("pddt-%s-%u", name, i);

        if (mkdir (path, 0777) == 0) {
            return g_steal_pointer (&path);
        }
        if (errno != EEXIST) {
            base_log_say ("cannot make the folder %s: %s; give another one with --output", path,
                          g_strerror (errno));
            return NULL;
        }
    }
    return NULL;
}
