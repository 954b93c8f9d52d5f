/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Typed messages between processes of one host over a stream socket: a u32 length
 * (little-endian) and a GVariant in native byte order, with or without a descriptor. */
#pragma once
#include <glib.h>

/* Asks the kernel who is at the other end of a connected UNIX socket. TRUE: this user or root.
 * Folder modes already keep others out; this check also holds where somebody opened a folder to
 * all. */
gboolean base_channel_is_own (int fd);

/* passed_fd -1: none. FALSE: the other side is gone. */
gboolean base_channel_send (int fd, GVariant *message, int passed_fd);
/* limit_ms -1: no limit. NULL: the other side is gone, broken or (*ret_is_late) too slow. The
 * caller owns *ret_passed_fd (-1: none came; ret_passed_fd may be NULL). */
GVariant *base_channel_receive (int fd, const char *type, int limit_ms, int *ret_passed_fd,
                                gboolean *ret_is_late);
/* The same, for whoever has others to serve while the rest of a message is under way: wait comes back when fd can be read
 * or the time (g_get_monotonic_time) is over. FALSE: nobody wants it any more, which counts as late. */
typedef gboolean (*BaseChannelWait) (int fd, gint64 end_us);
GVariant *base_channel_receive_beside (int fd, const char *type, int limit_ms,
                                       BaseChannelWait wait, int *ret_passed_fd,
                                       gboolean *ret_is_late);

#define BASE_CHANNEL_ERROR "(isasb)"
/* An error as a value of that type: its code, its message, and its form (base_error_get_form; nothing if there is
 * none). NULL: an unknown error. Floating. */
GVariant *base_channel_pack_error (const GError *error);
/* The same error, from a value of that type. */
void base_channel_unpack_error (GVariant *packed, GError **error);
