/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of a session's key. */
#pragma once
#include "launch/launch.h"

/* The folder is on a file system that other hosts have too, as far as its kind tells. */
gboolean launch_session_is_on_network (const char *folder);
/* Makes the folder (0700) with the key's file (0600), which whoever removes the session removes too. FALSE: it
 * cannot be made there. */
gboolean launch_session_copy (const LaunchSession *session, const char *folder);
