/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pddt-symbols: the process that reads debug information, one per host. Its main only composes. With --name it serves
 * itself alone, and answers lines from standard input (symbol/places.h). */
#include "base/limits.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbol/dispatcher.h"
#include "symbol/places.h"

#define BACKLOG 128 /* more than one client asks at once, with those that it has given up */

/* The socket listens before it gets its name, so that whoever sees the path can connect. */
static int
listen_at (const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int length = snprintf (address.sun_path, sizeof address.sun_path, "%s.new", path);
    if (length < 0 || (size_t) length >= sizeof address.sun_path)
        return -1;
    unlink (address.sun_path);
    int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (bind (fd, (struct sockaddr *) &address, sizeof address) == 0
        && listen (fd, BACKLOG) == 0 && rename (address.sun_path, path) == 0)
        return fd;
    close (fd);
    return -1;
}

static void
serve (const char *cache, int listen_fd)
{
    SymbolDispatcher *dispatcher = symbol_dispatcher_new (cache);
    symbol_dispatcher_run (dispatcher, listen_fd);
    symbol_dispatcher_free (dispatcher);
}

/* The other end is a child, which ends with this process. */
static gboolean
answer_names (const char *cache, const char *path)
{
    int listen_fd = listen_at (path);
    pid_t parent = getpid (), child = listen_fd >= 0 ? fork () : -1;
    if (child == 0) {
        if (prctl (PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid () == parent)
            serve (cache, listen_fd);
        _exit (0);
    }
    if (listen_fd >= 0)
        close (listen_fd);
    if (child < 0)
        return FALSE;
    IndexClient *client = index_client_new (path);
    gboolean is_done = symbol_places_answer (client, stdin, stdout);
    index_client_free (client);
    kill (child, SIGKILL); /* its workers end with it */
    waitpid (child, NULL, 0);
    return is_done;
}

static int
name_places (const char *cache)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *folder = g_dir_make_tmp ("pddt-names-XXXXXX", &error);
    if (!folder) {
        fprintf (stderr, "pddt-symbols: %s\n", error->message);
        return 1;
    }
    g_autofree char *path = g_build_filename (folder, "socket", NULL);
    gboolean is_done = answer_names (cache, path);
    unlink (path);
    rmdir (folder);
    return is_done ? 0 : 1;
}

int
main (int argc, char **argv)
{
    int listen_fd = -1;
    gboolean is_naming = FALSE;
    g_autofree char *socket_path = NULL, *cache = NULL;
    GOptionEntry entries[] = {
        { "listen-fd", 0, 0, G_OPTION_ARG_INT, &listen_fd, "serve this listening socket",
          "FD" },
        { "socket", 0, 0, G_OPTION_ARG_FILENAME, &socket_path, "listen at PATH", "PATH" },
        { "cache", 0, 0, G_OPTION_ARG_FILENAME, &cache, "keep indexes in FOLDER", "FOLDER" },
        { "name", 0, 0, G_OPTION_ARG_NONE, &is_naming, "name the places on standard input",
          NULL },
        { NULL }
    };
    g_autoptr (GOptionContext) context = g_option_context_new (NULL);
    g_autoptr (GError) error = NULL;
    base_limits_catch_size ();
    g_option_context_add_main_entries (context, entries, NULL);
    if (!g_option_context_parse (context, &argc, &argv, &error)) {
        fprintf (stderr, "pddt-symbols: %s\n", error->message);
        return 2;
    }
    if (is_naming)
        return name_places (cache);
    if (socket_path)
        listen_fd = listen_at (socket_path);
    if (listen_fd < 0) {
        fprintf (stderr, "pddt-symbols: cannot listen: %s\n",
                 socket_path ? g_strerror (errno) : "give --listen-fd or --socket");
        return 2;
    }
    serve (cache, listen_fd);
    return 0;
}
