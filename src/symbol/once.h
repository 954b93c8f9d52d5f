/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lets one process make what many want at once, on all hosts that see the folder. */
#pragma once
#include <glib.h>

/* Becomes the maker of the file at `path`: returns a descriptor for symbol_once_end; check
 * first whether the file exists by now. While another process is the maker, waits for it, at
 * most limit_ms. -1: this process is not the maker and need not wait any more: the maker has
 * finished (the file exists, unless it could not be stored), it took too long (*ret_late), or
 * the folder does not support locks. If the maker dies, one of the waiting processes takes
 * over. */
int symbol_once_begin (const char *path, guint limit_ms, gboolean *ret_late);
/* Releases the waiting processes, whether the file was made or not. fd may be -1. */
void symbol_once_end (const char *path, int fd);
