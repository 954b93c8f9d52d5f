/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two programs of the shim that carry the key to another host. */
#pragma once

/* "--agent SESSION N AGENT… [OPTION…] HOST COMMAND…": execs the agent of these N words with the
 * key on its standard input; the agent starts the command by "pddt-start --take-key
 * SESSION". */
int launch_carry_run_agent (int argc, char **argv);
/* "--take-key SESSION": reads the key and stores it in this host's directory, unless this host
 * can access the session's directory. */
int launch_carry_take_key (const char *session);
