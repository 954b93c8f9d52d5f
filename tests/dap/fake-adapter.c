/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fake-adapter N FILE [SEED | WORD…]: `pddt --dap` with a job that does not exist: whatever the client starts has N ranks,
 * which are at lines of FILE (gui/script.h); with a SEED their hosts answer one before the other. The linker puts
 * __wrap_session_start in the place of session_start. */
#include "dap/dap.h"
#include "gui/script.h"
#include <stdlib.h>

static guint32 n_ranks;
static guint32 seed;
static const char *file;

gboolean __wrap_session_start (Session *session, const SessionOptions *options, GError **error);

/* As a real job's, its first news come from the main loop. */
static gboolean
begin (gpointer session)
{
    Script *script = script_new_in (session, n_ranks, file);

    if (seed != 0) {
        script_scatter (script, seed);
    }
    g_object_unref (session);
    return G_SOURCE_REMOVE;
}

gboolean
__wrap_session_start (Session *session, const SessionOptions *options, GError **error)
{
    g_idle_add (begin, g_object_ref (session));
    return TRUE;
}

int
main (int argc, char **argv)
{
    const DapOptions options = { .version = "1" };

    if (argc < 3) {
        return 2;
    }
    n_ranks = (guint32) atoi (argv[1]);
    file = argv[2];
    seed = argc > 3 ? (guint32) strtoul (argv[3], NULL, 10) : 0;
    return dap_run (&options);
}
