/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a worker of pddt-symbols (symbol/worker.h) answers, of the files that it reads itself. The questions
 * are those of index/client.c, with three differences:
 *   open     (ay)     SYMBOL_SERVER_OPENED: what is missing, what was looked at (symbol/cache.h), and the
 *                     build-id by which a server may know its debug information ("": none is wanted); the
 *                     index comes as sealed memory
 *   bind, type        SYMBOL_SERVER_EXPAND: the expression may have macros. They are asked again with it expanded, and why
 *                     it could not be ("": it was), behind their arguments
 *   fetched  (ayay)   (b)   path, and where its debug file is that a server gave */
#pragma once
#include <glib.h>

#define SYMBOL_SERVER_QUESTION "(sv)"
#define SYMBOL_SERVER_ANSWER "(bv)"
#define SYMBOL_SERVER_EXPAND "()"
#define SYMBOL_SERVER_OPENED "(sa(ays)s)"

typedef struct _SymbolServer SymbolServer;

/* One in a process: it hears which files are opened. */
SymbolServer *symbol_server_new (void);
void symbol_server_free (SymbolServer *server);
/* The answer to one question in normal form, floating; ret_fd as above, -1: none; the caller owns it. */
GVariant *symbol_server_answer (SymbolServer *server, GVariant *question, int *ret_fd);
