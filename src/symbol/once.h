/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One maker for what many processes want at once, on all hosts that see the folder. */
#pragma once
#include <glib.h>

/* Becomes the maker of the file at `path`: a descriptor for symbol_once_end, with the advice to look
 * first whether the file is there now. While another process is the maker, waits for its end, at
 * most limit_ms. -1 when there is nobody to wait for any more and this process is not the maker: the
 * other one has ended (the file is there, unless it could not be kept), its time was up
 * (*ret_late), or the folder takes no locks. A maker that dies is followed by one that waited. */
int symbol_once_begin (const char *path, guint limit_ms, gboolean *ret_late);
/* Whoever waits goes on, whether the file was made or not. fd may be -1. */
void symbol_once_end (const char *path, int fd);
