/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OTF2 archives, in a process of their own: "--write FOLDER" makes one of FOLDER/spool. The reason of a failure is the one line on standard
 * error. */
#include "base/limits.h"
#include "profile/otf2.h"
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static gboolean
write_archive (const char *folder, GError **error)
{
    g_autofree char *spool = g_build_filename (folder, PROFILE_SPOOL_NAME, NULL);
    g_autoptr (ProfileModel) model = profile_spool_load (spool, error);

    if (model == NULL || !profile_otf2_write (model, folder, error)) {
        return FALSE;
    }
    g_unlink (spool);
    return TRUE;
}

int
main (int argc, char **argv)
{
    static const struct rlimit no_core = { 0, 0 };
    g_autoptr (GError) error = NULL;
    gboolean is_done;

    setrlimit (RLIMIT_CORE, &no_core);
    base_limits_catch_size ();
    if (argc != 3 || strcmp (argv[1], "--write") != 0) {
        fprintf (stderr, "usage: pddt-archive --write FOLDER\n");
        return 2;
    }
    is_done = write_archive (argv[2], &error);
    if (!is_done && error != NULL) {
        fprintf (stderr, "%s\n", error->message);
    }
    return is_done ? 0 : 1;
}
