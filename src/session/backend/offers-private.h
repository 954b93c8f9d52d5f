/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Offers that cross to another host, in a group of a key file each. */
#pragma once
#include "session/offers.h"

gboolean session_offer_is_id (const char *name);
char *session_offer_make_id (void); /* NULL: the system has no random numbers. Caller owns */
/* One process at a time has it, until the descriptor is closed; several, where the file system has no locks. -1: another one
 * has it, or it is gone. */
int session_offer_lock (const char *id);
void session_offer_put (const SessionOffer *offer, GKeyFile *file, const char *group);
/* NULL: there is none, or it is damaged. Caller owns. */
SessionOffer *session_offer_get (GKeyFile *file, const char *group);
