/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pddt-symbols' side of the conversation (index/client.c has the protocol). */
#pragma once
#include <glib.h>

typedef struct _SymbolServer SymbolServer;

/* Indexes go to cache_folder, or to spare_folder when that cannot be written. Either may be
 * NULL: the user's cache, and a folder of its own under the temporary one. */
SymbolServer *symbol_server_new (const char *cache_folder, const char *spare_folder);
void symbol_server_free (SymbolServer *server);
/* Answers one question (type "(sv)"); always gives an answer "(bv)", floating. */
GVariant *symbol_server_answer (SymbolServer *server, GVariant *question);
/* Serves a listening socket until it fails; one client at a time. The process's main does this. */
void symbol_server_run (SymbolServer *server, int listen_fd);
