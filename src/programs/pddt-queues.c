/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pddt-queues: the process that MPI's own message queue library is loaded in, when a rank has no
 * recorder. The guard starts it when somebody connects; it ends with its client. */
#include "msgq/server.h"
#include <stdio.h>

#define LIMIT_MS 2000

int
main (int argc, char **argv)
{
    int listen_fd = -1, limit_ms = LIMIT_MS;
    GOptionEntry entries[] = { { "listen-fd", 0, 0, G_OPTION_ARG_INT, &listen_fd,
                                 "serve this listening socket", "FD" },
                               { "limit", 0, 0, G_OPTION_ARG_INT, &limit_ms,
                                 "how long a library may take for one rank", "MS" },
                               { NULL } };
    g_autoptr (GOptionContext) context = g_option_context_new (NULL);
    g_autoptr (GError) error = NULL;
    g_autofree char *program = NULL, *types = NULL;

    g_option_context_add_main_entries (context, entries, NULL);
    if (!g_option_context_parse (context, &argc, &argv, &error) || listen_fd < 0
        || limit_ms <= 0) {
        fprintf (stderr, "pddt-queues: %s\n",
                 error != NULL ? error->message : "no --listen-fd");
        return 2;
    }
    program = g_file_read_link ("/proc/self/exe", NULL);
    types = g_path_get_dirname (program != NULL ? program : ".");
    msgq_server_run (listen_fd, types, (guint) limit_ms);
    return 0;
}
