/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/archive.h"
#include "base/error.h"
#include "base/limits.h"
#include "profile/spool.h"
#include <string.h>
#include <sys/wait.h>

/* A signal has ended it: it is not the file's fault alone, but the user cannot do more about it. */
static void
set_error (GError **error, int status, const char *said)
{
    g_autofree char *line = g_strstrip (g_strdup (said != NULL ? said : ""));

    if (WIFSIGNALED (status)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT,
                     "pddt-archive ended by signal %d: the archive is damaged",
                     WTERMSIG (status));
    } else {
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT, "%s",
                     *line != '\0' ? line : "pddt-archive failed");
    }
}

gboolean
profile_archive_write (const char *program, const char *folder, GError **error)
{
    const char *const argv[] = { program, "--write", folder, NULL };
    g_autofree char *said = NULL;
    int status;

    if (!g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL,
                       base_limits_restore, NULL, NULL, &said, &status, error)) {
        return FALSE;
    }
    if (status != 0) {
        set_error (error, status, said);
    }
    return status == 0;
}
