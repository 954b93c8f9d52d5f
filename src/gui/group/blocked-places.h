/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks that wait in vain, and where, as far as it is known without stopping them. */
#pragma once
#include "session/session.h"

/* A number that changes with who is blocked, since when and where; 0: nobody's place is known. */
guint64 gui_blocked_places_sign (Session *session, const JobRankSet *ranks);
