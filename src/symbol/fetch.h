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
