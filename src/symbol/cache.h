/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cache of indexes between sessions. An entry belongs to one file and content, and to the
 * companion files with its debug information: it is invalid as soon as one of them changes,
 * appears or disappears. */
#pragma once
#include <glib.h>

/* The files that an index depends on: (path, identity of symbol/identity.h). */
#define SYMBOL_CACHE_COMPANIONS "a(ays)"

typedef struct _SymbolCache SymbolCache;

/* A folder that others can write is not used: nothing is found or stored. */
SymbolCache *symbol_cache_new (const char *folder);
void symbol_cache_free (SymbolCache *cache);
/* The path of the index of the file's current content; fetches: of an index for which servers
 * were asked. Caller owns; NULL: none, as for the vdso and whatever else only has a name below /proc. */
char *symbol_cache_make_path (const SymbolCache *cache, const char *file, gboolean fetches);
/* A copy in sealed memory (memfd_create(2)); -1: there is none, or it is for another
 * content. */
int symbol_cache_find (const char *entry);
/* Stores the memory, then, the first time and whenever much has been stored since, removes entries that were not used for 90
 * days and the oldest ones beyond 2 GB (PDDT_CACHE_MB sets another limit). */
void symbol_cache_store (SymbolCache *cache, const char *entry, GVariant *companions,
                         int memory);
/* Seals such a copy. FALSE: it cannot be sealed. */
gboolean symbol_cache_seal (int memory);
gboolean symbol_cache_is_sealed (int memory);
