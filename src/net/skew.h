/* SPDX-License-Identifier: GPL-3.0-or-later */
/* By how much the clocks of two hosts differ: the times of day, which each host sets by itself. Who is asked tells nothing
 * else, and anyone may ask. */
#pragma once
#include <glib.h>

typedef struct _NetClockTeller NetClockTeller;

/* Tells the time, in a thread of its own, to who connects from other hosts; host: this one's name. NULL: it has no address on
 * a network that they could be on. */
NetClockTeller *net_clock_teller_new (const char *host);
/* For net_skew_measure. */
const char *net_clock_teller_get_endpoints (const NetClockTeller *teller);
void net_clock_teller_free (NetClockTeller *teller); /* NULL: nothing */

typedef struct {
    gint64 ahead_us,
        error_us; /* of this host's clock before the other one's, and by how much that may be wrong */
} NetSkew;

/* host: this one's name. Takes up to some seconds where the other one does not answer. LOST. */
gboolean net_skew_measure (const char *endpoints, const char *host, NetSkew *ret_skew,
                           GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NetClockTeller, net_clock_teller_free)
