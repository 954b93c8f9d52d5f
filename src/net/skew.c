/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A byte asks for the time, 8 bytes tell it: µs since 1970, little-endian. The time on the way is what is not known. */
#include "net/skew.h"
#include "base/error.h"
#include "net/address-private.h"
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_FDS 64
#define N_ROUNDS 20 /* of which the quickest one counts */
#define REACH_MS 5000

struct _NetClockTeller {
    struct pollfd fds
        [MAX_FDS]; /* the pipe by which the thread is ended, n_listening sockets, connections */
    guint n_listening, n;
    int end_fd;
    GThread *thread;
    char *endpoints;
};

static void
drop (NetClockTeller *teller, guint i)
{
    close (teller->fds[i].fd);
    teller->fds[i] = teller->fds[--teller->n];
}

/* The oldest goes where there are too many. */
static void
accept_one (NetClockTeller *teller, int listening)
{
    int fd = accept4 (listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0) {
        return;
    }
    if (teller->n == MAX_FDS) {
        drop (teller, teller->n_listening + 1);
    }
    teller->fds[teller->n++] = (struct pollfd){ fd, POLLIN, 0 };
}

/* FALSE: it has gone. */
static gboolean
answer (int fd)
{
    char question;
    gint64 now;

    if (recv (fd, &question, 1, 0) != 1) {
        return FALSE;
    }
    now = GINT64_TO_LE (g_get_real_time ());
    return send (fd, &now, sizeof now, MSG_NOSIGNAL) == sizeof now;
}

static gpointer
tell (gpointer data)
{
    NetClockTeller *teller = data;

    for (;;) {
        if (poll (teller->fds, teller->n, -1) < 0) {
            continue;
        }
        if (teller->fds[0].revents != 0) {
            return NULL;
        }
        for (guint i = teller->n - 1; i > teller->n_listening; i--) {
            if (teller->fds[i].revents != 0 && !answer (teller->fds[i].fd)) {
                drop (teller, i);
            }
        }
        for (guint i = 1; i <= teller->n_listening; i++) {
            if (teller->fds[i].revents != 0) {
                accept_one (teller, teller->fds[i].fd);
            }
        }
    }
}

NetClockTeller *
net_clock_teller_new (const char *host)
{
    g_autoptr (GPtrArray) addresses = net_address_list_facing ();
    g_autoptr (GString) endpoints = g_string_new (host);
    NetClockTeller *teller = g_new0 (NetClockTeller, 1);
    int ends[2];

    teller->n = 1;
    for (guint i = 0; i < addresses->len && teller->n < MAX_FDS / 2; i++) {
        g_autofree char *endpoint = NULL;
        int fd = net_address_listen (addresses->pdata[i], &endpoint);

        if (fd >= 0) {
            /* the first one twice: this host takes it, too */
            for (guint j = teller->n == 1 ? 2 : 1; j > 0; j--) {
                g_string_append_printf (endpoints, " %s", endpoint);
            }
            teller->fds[teller->n++] = (struct pollfd){ fd, POLLIN, 0 };
        }
    }
    teller->n_listening = teller->n - 1;
    if (teller->n == 1 || pipe (ends) != 0) {
        while (teller->n > 1) {
            drop (teller, 1);
        }
        g_free (teller);
        return NULL;
    }
    teller->fds[0] = (struct pollfd){ ends[0], POLLIN, 0 };
    teller->end_fd = ends[1];
    teller->endpoints = g_strdup (endpoints->str);
    teller->thread = g_thread_new ("clock", tell, teller);
    return teller;
}

const char *
net_clock_teller_get_endpoints (const NetClockTeller *teller)
{
    return teller->endpoints;
}

void
net_clock_teller_free (NetClockTeller *teller)
{
    if (teller == NULL) {
        return;
    }
    close (teller->end_fd);
    g_thread_join (teller->thread);
    while (teller->n > 0) {
        drop (teller, 0);
    }
    g_free (teller->endpoints);
    g_free (teller);
}

/* ---- who asks ---- */

static gboolean
is_ready (int fd, short events)
{
    struct pollfd waiting = { fd, events, 0 };

    return poll (&waiting, 1, REACH_MS) == 1 && (waiting.revents & events) != 0;
}

static gboolean
ask (int fd, NetSkew *ret_skew)
{
    gint64 there, before_us = g_get_monotonic_time (), after_us, now_us;

    if (send (fd, "?", 1, MSG_NOSIGNAL) != 1 || !is_ready (fd, POLLIN)
        || recv (fd, &there, sizeof there, MSG_WAITALL) != sizeof there) {
        return FALSE;
    }
    after_us = g_get_monotonic_time ();
    now_us = g_get_real_time ();
    ret_skew->error_us = (after_us - before_us) / 2 + 1;
    ret_skew->ahead_us = now_us - GINT64_FROM_LE (there) - (after_us - before_us) / 2;
    return TRUE;
}

gboolean
net_skew_measure (const char *endpoints, const char *host, NetSkew *ret_skew, GError **error)
{
    g_autofree char *chosen = net_address_choose (endpoints, host, REACH_MS, error);
    gboolean is_known = FALSE;
    NetSkew skew;
    int fd;

    if (chosen == NULL) {
        return FALSE;
    }
    fd = net_address_connect (chosen);
    if (fd >= 0 && is_ready (fd, POLLOUT)) {
        for (guint i = 0; i < N_ROUNDS && ask (fd, &skew); i++) {
            if (!is_known || skew.error_us < ret_skew->error_us) {
                *ret_skew = skew;
            }
            is_known = TRUE;
        }
    }
    if (fd >= 0) {
        close (fd);
    }
    if (!is_known) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_LOST, "no answer from %s", chosen);
    }
    return is_known;
}
