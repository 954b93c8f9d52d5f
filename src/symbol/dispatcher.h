/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The main part of pddt-symbols: serves the tracers. It opens no file that a program names; a
 * worker for each file does that (symbol/worker.h). It passes the worker's index on as sealed
 * memory and, for its own user's programs, stores it in the cache. */
#pragma once
#include <glib.h>

typedef struct _SymbolDispatcher SymbolDispatcher;

/* NULL: the cache is $XDG_CACHE_HOME/pddt. */
SymbolDispatcher *symbol_dispatcher_new (const char *cache_folder);
void symbol_dispatcher_free (SymbolDispatcher *dispatcher);
/* Serves clients that connect to the listening socket; returns when it is closed or broken. */
void symbol_dispatcher_run (SymbolDispatcher *dispatcher, int listen_fd);
