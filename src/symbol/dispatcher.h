/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pddt-symbols itself: the tracers' questions come here. It opens no file that a program names; that is done
 * by a worker for each (symbol/worker.h), whose index it hands on as sealed memory and, where the program is
 * its own user's, keeps in the cache. */
#pragma once
#include <glib.h>

typedef struct _SymbolDispatcher SymbolDispatcher;

/* NULL: the cache is $XDG_CACHE_HOME/pddt. */
SymbolDispatcher *symbol_dispatcher_new (const char *cache_folder);
void symbol_dispatcher_free (SymbolDispatcher *dispatcher);
/* Serves clients that connect to the listening socket; returns when it is closed or broken. */
void symbol_dispatcher_run (SymbolDispatcher *dispatcher, int listen_fd);
