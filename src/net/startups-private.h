/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Connections from other hosts that have not shown the key yet, and their limit, as OpenSSH's MaxStartups:
 * who says nothing must not take the descriptors that hosts and files need. */
#pragma once
#include <glib.h>

typedef struct _NetStartups NetStartups;
NetStartups *net_startups_new (void);
void net_startups_free (NetStartups *startups);
/* It was accepted; one of this host's own UNIX socket does not count. */
void net_startups_add (NetStartups *startups, int fd, gint64 now_us);
/* It has shown the key, or is closed. */
void net_startups_remove (NetStartups *startups, int fd);
/* Closes the oldest: those beyond 64 that have had a second, and those beyond a quarter of all descriptors
 * at once. Who has the key shows it within milliseconds. */
void net_startups_limit (NetStartups *startups, gint64 now_us);
guint net_startups_get_count (const NetStartups *startups);
