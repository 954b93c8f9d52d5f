/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes the session's key to hosts without access to its file if a batch system's own agent
 * starts the daemons there (srun, PBS, LSF, SGE): such an agent has no standard input for pddt,
 * and sends the launcher's environment unencrypted. So, if possible, the environment only names
 * a private file or holds the encrypted key. */
#include "launch/batch-private.h"
#include "base/confine.h"
#include "base/limits.h"
#include "launch/launch.h"
#include "launch/seal-private.h"
#include "launch/session-private.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_FORM "FILE:"
#define COPY_PREFIX ".pddt-"

char *
launch_batch_make_word (const LaunchSession *session, gboolean is_slurm, guint32 uid,
                        const char *folder)
{
    char *key = launch_session_format_key (session);
    char *word = is_slurm ? launch_seal (key, uid) : NULL;
    if (!word && uid == geteuid ()) {
        char *parent = realpath (folder ? folder : ".", NULL);
        g_autofree char *name = g_strconcat (COPY_PREFIX, session->id, NULL);
        g_autofree char *path = parent ? g_build_filename (parent, name, NULL) : NULL;
        /* if others can rename folders, pddt might remove another one at the end */
        if (path && launch_session_is_on_network (parent)
            && base_confine_is_safe_path (parent, uid) && launch_session_copy (session, path)) {
            word = g_strconcat (FILE_FORM, path, NULL);
        }
        free (parent);
    }
    if (!word) {
        return key;
    }
    base_secret_free (key);
    return word;
}

char *
launch_batch_find_copy (const char *word, const char *id)
{
    const char *folder = g_str_has_prefix (word, FILE_FORM) ? word + strlen (FILE_FORM) : NULL;
    g_autofree char *wanted = g_strconcat (COPY_PREFIX, id, NULL);
    g_autofree char *name = folder ? g_path_get_basename (folder) : NULL;
    return folder && g_path_is_absolute (folder) && strcmp (name, wanted) == 0
               ? g_strdup (folder)
               : NULL;
}
