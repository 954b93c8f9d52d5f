/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process that reads the debug information of one file, confined to reading (base/confine.h)
 * with the rights of the program's owner, because a file may be crafted to attack its
 * reader. */
#pragma once
#include <glib.h>

typedef struct _SymbolWorker SymbolWorker;

/* NULL: the process could not be started. The caller must have a single thread. */
SymbolWorker *symbol_worker_new (guint32 uid, guint32 gid);
void symbol_worker_free (SymbolWorker *worker); /* ends it */
/* Sends a question of symbol/server.h and returns the answer and its descriptor (-1: none; the
 * caller owns it). NULL: the worker has died, or was killed because it did not answer in time
 * (*ret_is_late). */
GVariant *symbol_worker_ask (SymbolWorker *worker, GVariant *question, int limit_ms,
                             int *ret_fd, gboolean *ret_is_late);
