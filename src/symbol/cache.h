/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Indexes that are kept between sessions. An entry is of one file with one content, and of the companions
 * that its debug information was read from: as soon as one of them changes, comes or goes, it is none. */
#pragma once
#include <glib.h>

/* What was looked at for an index, of (path, identity as symbol/identity.h has it). */
#define SYMBOL_CACHE_COMPANIONS "a(ays)"

typedef struct _SymbolCache SymbolCache;

/* A folder that is not this user's alone to write is not used: nothing is found and nothing stored. */
SymbolCache *symbol_cache_new (const char *folder);
void symbol_cache_free (SymbolCache *cache);
/* Where the index of the file as it is now would be; fetches: one for which servers were asked. Caller owns;
 * NULL: nowhere. */
char *symbol_cache_make_path (const SymbolCache *cache, const char *file, gboolean fetches);
/* A copy in memory that nobody can change or cut any more (memfd_create(2), sealed); -1: there is none, or
 * what is there is of other content. */
int symbol_cache_find (const char *entry);
/* Stores what the memory holds, and takes the oldest entries away where there are too many: those that were
 * not used for 90 days, and all beyond 2 GB (PDDT_CACHE_MB says another size). */
void symbol_cache_store (const SymbolCache *cache, const char *entry, GVariant *companions, int memory);
/* The seals of such a copy. FALSE: it cannot be sealed. */
gboolean symbol_cache_seal (int memory);
gboolean symbol_cache_is_sealed (int memory);
