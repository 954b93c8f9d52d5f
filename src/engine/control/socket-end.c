/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a socket is connected to, as far as /proc tells: ports and addresses of TCP (proc(5), net/tcp), paths of Unix
 * sockets that have one (net/unix). */
#include "engine/control/private.h"
#include "base/escape.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#define MAX_LINES 100000u
#define LISTENS 10u  /* the kernel's TCP_LISTEN */
#define CONNECTED 1u /* TCP_ESTABLISHED */

typedef struct {
    char local[33], remote[33]; /* addresses as the kernel writes them */
    guint local_port, remote_port, state;
    gulong inode;
} Line;

/* "0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 12345 …" */
static gboolean
parse (const char *text, Line *line)
{
    return sscanf (text, " %*u: %32[0-9A-F]:%x %32[0-9A-F]:%x %x %*s %*s %*s %*s %*s %lu",
                   line->local, &line->local_port, line->remote, &line->remote_port,
                   &line->state, &line->inode)
           == 6;
}

/* Words of an address in the host's order of bytes. Caller owns. */
static char *
dup_address (const char *digits, guint port)
{
    guint32 words[4] = { 0 };
    guint n = (guint) (strlen (digits) / 8);
    char text[INET6_ADDRSTRLEN] = "?";

    for (guint i = 0; i < MIN (n, 4); i++) {
        char word[9] = "";

        memcpy (word, digits + 8 * i, 8);
        words[i] = (guint32) g_ascii_strtoull (word, NULL, 16);
    }
    inet_ntop (n == 4 ? AF_INET6 : AF_INET, words, text, sizeof text);
    return g_strdup_printf (n == 4 ? "[%s]:%u" : "%s:%u", text, port);
}

static char **
read_lines (const EngineProcess *process, const char *name)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/net/%s", (int) process->pid, name);
    g_autofree char *text = NULL;

    return g_file_get_contents (path, &text, NULL, NULL) ? g_strsplit (text, "\n", MAX_LINES)
                                                         : NULL;
}

/* The socket of this host at the other end of the connection; 0: none. */
static gulong
find_other (char **lines, const Line *own)
{
    Line line;

    for (guint i = 0; lines[i] != NULL; i++) {
        if (parse (lines[i], &line) && line.local_port == own->remote_port
            && line.remote_port == own->local_port && strcmp (line.local, own->remote) == 0
            && strcmp (line.remote, own->local) == 0) {
            return line.inode;
        }
    }
    return 0;
}

static char *
describe_tcp (char **lines, gulong inode, gulong *ret_other)
{
    Line line;

    for (guint i = 0; lines != NULL && lines[i] != NULL; i++) {
        if (!parse (lines[i], &line) || line.inode != inode) {
            continue;
        }
        if (line.state == CONNECTED) {
            g_autofree char *address = dup_address (line.remote, line.remote_port);

            *ret_other = find_other (lines, &line);
            return g_strdup_printf ("TCP %s", address);
        }
        return line.state == LISTENS ? g_strdup_printf ("TCP port %u", line.local_port) : NULL;
    }
    return NULL;
}

/* "ffff888: 00000002 00000000 00010000 0001 01 12345 /run/socket" */
static char *
describe_unix (char **lines, gulong inode)
{
    for (guint i = 0; lines != NULL && lines[i] != NULL; i++) {
        gulong its = 0;
        int at = 0;

        if (sscanf (lines[i], "%*s %*s %*s %*s %*s %*s %lu %n", &its, &at) == 1 && its == inode
            && lines[i][at] != '\0') {
            return base_escape_take (g_strdup (lines[i] + at), BASE_ESCAPE_NAME);
        }
    }
    return NULL;
}

char *
engine_socket_describe (const EngineProcess *process, const char *file, gulong *ret_other)
{
    static const char *const tables[] = { "tcp", "tcp6" };
    gulong inode = 0;
    char *found = NULL;

    *ret_other = 0;
    if (sscanf (file, "socket:[%lu]", &inode) != 1) {
        return NULL;
    }
    for (guint i = 0; found == NULL && i < G_N_ELEMENTS (tables); i++) {
        g_auto (GStrv) lines = read_lines (process, tables[i]);

        found = describe_tcp (lines, inode, ret_other);
    }
    if (found == NULL) {
        g_auto (GStrv) lines = read_lines (process, "unix");

        found = describe_unix (lines, inode);
    }
    return found;
}
