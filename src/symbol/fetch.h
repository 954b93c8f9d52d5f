/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debug files from the servers that the user named in DEBUGINFOD_URLS: fetched one by one on a
 * separate thread, so that no request waits for the network. */
#pragma once
#include <glib.h>

typedef struct _SymbolFetcher SymbolFetcher;

SymbolFetcher *symbol_fetcher_new (void); /* does not start fetching; is never freed */
/* The debug file of a build-id (hexadecimal) if it is there, perhaps from an earlier session;
 * NULL: not (yet). elf_path is listed once the file has arrived. */
char *symbol_fetcher_find (SymbolFetcher *fetcher, const char *build_id, const char *elf_path);
/* TRUE while fetches are pending. */
gboolean symbol_fetcher_is_busy (SymbolFetcher *fetcher);
/* elf_path of all whose debug file has arrived, from number `from` on. Caller owns. */
char **symbol_fetcher_list (SymbolFetcher *fetcher, guint from);
/* The path at which libdebuginfod stores a debug file, whether it exists or not. Caller
 * owns. */
char *symbol_fetcher_make_place (const char *build_id);

/* The same in a separate process, for callers that fork. All functions accept NULL, which has
 * no files. */
typedef struct _SymbolFetchHelper SymbolFetchHelper;
SymbolFetchHelper *symbol_fetch_helper_new (void); /* NULL: DEBUGINFOD_URLS names no servers */
void symbol_fetch_helper_free (SymbolFetchHelper *helper);
char *symbol_fetch_helper_find (SymbolFetchHelper *helper, const char *build_id,
                                const char *elf_path);
gboolean symbol_fetch_helper_is_busy (SymbolFetchHelper *helper);
char **symbol_fetch_helper_list (SymbolFetchHelper *helper, guint from);
