/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pddt-queues' side of the protocol (engine/queue/dll.c has the other). A child, the worker,
 * loads the library, confined (base/confine.h) and with a time limit, so that the server
 * survives when the worker crashes or hangs.
 *
 * A message is a u32 length (little-endian) and a GVariant in native byte order. The question's
 *   first byte carries a descriptor of the rank's memory. question (uuuuuaya(ayt)) pid; user
 *   and group whose rights the library gets; rank and size of
 *                             the job (0: not known), library, modules: path, bias
 *   answer   (bsv)          good, a sentence when not, a table of messages with one queue */
#pragma once
#include <glib.h>

/* Serves one client, then returns. types: folder of files mpi-types-BUILDID.so, see
 * msgq/openmpi-types.c. limit_ms: the library's time limit for a rank. */
void msgq_server_run (int listen_fd, const char *types, guint limit_ms);
