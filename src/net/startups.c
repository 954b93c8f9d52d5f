/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libzmq accepts without limit; its monitor reports each connection, and shutdown(2) closes
 * it. */
#include "net/startups-private.h"
#include "base/array.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define MANY 64
#define PATIENCE_US G_USEC_PER_SEC

typedef struct {
    int fd;
    guint64 cookie; /* of its socket, because the descriptor may have been reused by then */
    gint64 since_us;
} Startup;

struct _NetStartups {
    GArray *list; /* of Startup, oldest first */
};

NetStartups *
net_startups_new (void)
{
    NetStartups *startups = g_new0 (NetStartups, 1);
    startups->list = g_array_new (FALSE, FALSE, sizeof (Startup));
    return startups;
}

BASE_FREE_PUBLIC (net_startups_free, NetStartups, startups, g_array_unref (startups->list))

/* The cookie of a TCP connection; 0: none, or gone. */
static guint64
get_cookie (int fd)
{
    guint64 cookie = 0;
    int domain = 0;
    socklen_t size = sizeof domain, cookie_size = sizeof cookie;
    gboolean is_tcp = getsockopt (fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0
                      && (domain == AF_INET || domain == AF_INET6);
    return is_tcp && getsockopt (fd, SOL_SOCKET, SO_COOKIE, &cookie, &cookie_size) == 0 ? cookie
                                                                                        : 0;
}

void
net_startups_add (NetStartups *startups, int fd, gint64 now_us)
{
    Startup startup = { fd, get_cookie (fd), now_us };
    net_startups_remove (startups, fd);
    if (startup.cookie != 0) {
        g_array_append_val (startups->list, startup);
    }
}

void
net_startups_remove (NetStartups *startups, int fd)
{
    for (guint i = 0; i < startups->list->len; i++) {
        if (g_array_index (startups->list, Startup, i).fd == fd) {
            g_array_remove_index (startups->list, i);
            return;
        }
    }
}

/* libzmq reads the end of the stream and closes the connection. The duplicate keeps this socket
 * even if the descriptor is reused meanwhile. */
static void
hang_up (const Startup *startup)
{
    int copy = fcntl (startup->fd, F_DUPFD_CLOEXEC, 3);
    if (copy >= 0 && get_cookie (copy) == startup->cookie) {
        shutdown (copy, SHUT_RDWR);
    }
    if (copy >= 0) {
        close (copy);
    }
}

static guint
get_most (void)
{
    struct rlimit limit;
    return getrlimit (RLIMIT_NOFILE, &limit) == 0 ? (guint) MIN (limit.rlim_cur / 4, 4096)
                                                  : MANY;
}

void
net_startups_limit (NetStartups *startups, gint64 now_us)
{
    guint most = startups->list->len > MANY ? MAX (get_most (), MANY) : G_MAXUINT;
    while (startups->list->len > MANY) {
        const Startup *oldest = &g_array_index (startups->list, Startup, 0);
        if (startups->list->len <= most && now_us - oldest->since_us < PATIENCE_US) {
            return;
        }
        hang_up (oldest);
        g_array_remove_index (startups->list, 0);
    }
}

guint
net_startups_get_count (const NetStartups *startups)
{
    return startups->list->len;
}
