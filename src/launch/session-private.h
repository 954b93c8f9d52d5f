/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of a session's key. */
#pragma once
#include "launch/launch.h"

/* TRUE when the folder is on a network file system, judging by its type. */
gboolean launch_session_is_on_network (const char *folder);
/* Makes the folder (0700) with the key file (0600); removing the session removes it, too.
 * FALSE: it cannot be made. */
gboolean launch_session_copy (const LaunchSession *session, const char *folder);
