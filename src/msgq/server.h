/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pddt-queues' side of the conversation (engine/queue-dll.c has the other). The library is loaded
 * in a child, the worker, confined (base/confine.h) and with a time limit; the server lives on when that
 * one crashes or hangs.
 *
 * A message is a u32 length (little-endian) and a GVariant in this machine's form. The question's
 * first byte comes with a descriptor of the rank's memory.
 *   question (uuuuuaya(ayt))  pid; user and group whose rights the library gets; rank and size of
 *                             the job (0: not known), library, modules: path, bias
 *   answer   (bsv)          good, a sentence when not, a table of messages with one queue */
#pragma once
#include <glib.h>

/* Serves one client, then returns. types: folder of files mpi-types-BUILDID.so, see
 * msgq/openmpi-types.c. limit_ms: how long the library may think about a rank. */
void msgq_server_run (int listen_fd, const char *types, guint limit_ms);
