/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shim's two places on the key's way to another host; each is a whole program. */
#pragma once

/* "--agent SESSION N AGENT… [OPTION…] HOST COMMAND…": becomes the agent of these N words, which finds the
 * key on its standard input and starts the command behind "pddt-start --take-key SESSION". */
int launch_carry_run_agent (int argc, char **argv);
/* "--take-key SESSION": reads the key's line and keeps it in this host's directory, unless this host sees
 * the session's own. */
int launch_carry_take_key (const char *session);
