/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits unauthenticated connections from other hosts, like OpenSSH's MaxStartups: silent peers
 * must not use up the descriptors that hosts and files need. */
#pragma once
#include <glib.h>

typedef struct _NetStartups NetStartups;
NetStartups *net_startups_new (void);
void net_startups_free (NetStartups *startups);
/* fd was accepted. Connections to the UNIX socket do not count. */
void net_startups_add (NetStartups *startups, int fd, gint64 now_us);
/* fd is authenticated or closed. */
void net_startups_remove (NetStartups *startups, int fd);
/* Closes the oldest: beyond 64 those older than a second, and beyond a quarter of all
 * descriptors at once. A peer that has the key authenticates within milliseconds. */
void net_startups_limit (NetStartups *startups, gint64 now_us);
guint net_startups_get_count (const NetStartups *startups);
