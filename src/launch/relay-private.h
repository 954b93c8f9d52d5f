/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passing descriptors over the lifeline, so that the guard can relay a launcher's output when
 * the front end leaves and the job runs on. */
#pragma once
#include "launch/launch.h"

#define LAUNCH_RELAY_FDS 4 /* launcher's stdout and stderr, and their destinations */

/* Sends 'K', the form of tags and the descriptors; FALSE when the guard is gone. */
gboolean launch_relay_send (int lifeline, LaunchTagForm form, const int fds[LAUNCH_RELAY_FDS]);
/* Receives from the lifeline: 'K' with descriptors, 'T' to end, 0 closed, -1 nothing. */
int launch_relay_receive (int lifeline, LaunchTagForm *ret_form, int fds[LAUNCH_RELAY_FDS]);

typedef struct _LaunchRelay LaunchRelay;
/* Takes the descriptors. */
LaunchRelay *launch_relay_new (LaunchTagForm form, const int fds[LAUNCH_RELAY_FDS]);
/* The two descriptors to poll; -1 for one at its end. */
const int *launch_relay_get_fds (const LaunchRelay *relay);
/* Copies pending output without blocking on reads. */
void launch_relay_copy (LaunchRelay *relay);
void launch_relay_free (LaunchRelay *relay);
