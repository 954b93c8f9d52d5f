/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debug files from the servers that the user named in DEBUGINFOD_URLS: fetched one after the other
 * on a thread of their own, so that no question waits for a network. */
#pragma once
#include <glib.h>

typedef struct _SymbolFetcher SymbolFetcher;

SymbolFetcher *symbol_fetcher_new (void); /* nothing happens yet */
/* Gives up what is under way. */
void symbol_fetcher_free (SymbolFetcher *fetcher);
/* The debug file of a build-id (hexadecimal) when it is there, also from an earlier time; NULL when
 * not (yet). elf_path is who asks: once the file has come it is listed. */
char *symbol_fetcher_find (SymbolFetcher *fetcher, const char *build_id, const char *elf_path);
/* Files asked for and not yet answered. */
gboolean symbol_fetcher_is_busy (SymbolFetcher *fetcher);
/* Caller owns: elf_path of all whose debug file has come since, from number `from` on. */
char **symbol_fetcher_list (SymbolFetcher *fetcher, guint from);
/* Where libdebuginfod keeps a file with debug information, whether it is there or not. Caller owns. */
char *symbol_fetcher_make_place (const char *build_id);

/* The same in a process of its own, for a caller that forks. Each may be asked of NULL, which knows nothing. */
typedef struct _SymbolFetchHelper SymbolFetchHelper;
SymbolFetchHelper *symbol_fetch_helper_new (void); /* NULL: no servers are named (DEBUGINFOD_URLS) */
void symbol_fetch_helper_free (SymbolFetchHelper *helper);
char *symbol_fetch_helper_find (SymbolFetchHelper *helper, const char *build_id, const char *elf_path);
gboolean symbol_fetch_helper_is_busy (SymbolFetchHelper *helper);
char **symbol_fetch_helper_list (SymbolFetchHelper *helper, guint from);
