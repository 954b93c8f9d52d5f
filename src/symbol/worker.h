/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process that reads the debug information of one file, with the rights of the user whose program it is,
 * and of those only reading (base/confine.h): what the file says may be made to harm its reader. */
#pragma once
#include <glib.h>

typedef struct _SymbolWorker SymbolWorker;

/* NULL: there is no process for it. The caller has one thread. */
SymbolWorker *symbol_worker_new (guint32 uid, guint32 gid);
void symbol_worker_free (SymbolWorker *worker); /* ends it */
/* A question of symbol/server.h and its answer, with the descriptor that came with it (-1: none; the caller
 * owns it). NULL: it has ended, or did not answer in time and was ended (*ret_is_late). */
GVariant *symbol_worker_ask (SymbolWorker *worker, GVariant *question, int limit_ms, int *ret_fd,
                             gboolean *ret_is_late);
