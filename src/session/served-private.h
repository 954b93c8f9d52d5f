/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The server of --remote: a process with a socket in a folder of its own. */
#pragma once
#include <glib.h>

/* Serves those who connect to the listening socket until a front end says that it is over, or none has come for the
 * time that the last one wanted. */
void session_served_run (int listener, const char *id, const char *release);
