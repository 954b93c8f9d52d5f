/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programs of the shim that carry the key, and pddt itself, to another host. */
#pragma once

/* "--agent SESSION N AGENT… [OPTION…] HOST COMMAND…": execs the agent of these N words with the
 * key on its standard input; the agent starts the command by "pddt-start --take-key
 * SESSION". */
int launch_carry_run_agent (int argc, char **argv);
/* "--bring HOST N AGENT… COMMAND…": brings the folder that this program runs from to the host by the agent, which has N
 * words, and execs the agent with the command, whose standard input is this program's. */
int launch_carry_bring (int argc, char **argv);
/* "--take-key SESSION": reads the key and stores it in this host's directory, unless this host
 * can access the session's directory. */
int launch_carry_take_key (const char *session);
