/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The process that is the way to the server: ssh, or what reaches a job that waits. */
#pragma once
#include <gio/gio.h>

typedef struct {
    const char *host, *command; /* of ssh: where, and what for the shell there */
    char **words;               /* another line, not ssh's; NULL: ssh's */
    /* of ssh: the program that it asks passwords by, in the place of the terminal; NULL: as it does by itself */
    const char *askpass;
    gboolean asks;     /* a user is there to be asked */
    gboolean is_again; /* the connection was broken: it soon gives up what does not answer */
    gboolean is_alone; /* the same: it shares no connection of the user's, which may be dead */
} SessionWayWanted;

typedef struct _SessionWay SessionWay;
SessionWay *session_way_new (void);
void session_way_free (SessionWay *way);
/* Starts it. The connection to the server, which does not block; -1: it cannot be. */
int session_way_open (SessionWay *way, const SessionWayWanted *wanted, GError **error);
void session_way_close (SessionWay *way);  /* and ends it */
void session_way_listen (SessionWay *way); /* to its complaints: they must not fill the pipe */
/* Has it ended as this ssh is older than an option that it was given? The next one is not given it. */
gboolean session_way_is_too_new (SessionWay *way);
/* Has it complained that it would have to ask a user? */
gboolean session_way_is_denied (const SessionWay *way);
/* Why it has ended before the server answered: by its own last words, what came from the other side before, or why.
 * Caller owns. */
char *session_way_explain (SessionWay *way, const char *host, const char *greeting,
                           const char *why);
