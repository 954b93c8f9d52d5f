/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search table that a linker left out (static programs): made from .eh_frame by one pass. */
#pragma once
#include "base/cursor.h"
#include "stack/file-private.h"

/* How an FDE says addresses (LSB core, section 10.5); others are not read. */
#define STACK_TABLE_ABSOLUTE 0x00u
/* Where the code of an FDE begins, from the pointer that the cursor is at, which lies at `here`; bias is
 * added to what is not relative. ret_size NULL: how long it is is not read. */
gboolean stack_table_read_range (BaseCursor *cursor, guint64 here, guint64 bias, guint8 encoding,
                                 guint64 *ret_start, guint64 *ret_size);

/* Pairs of gint32 {first pc, FDE}, both relative to link-time address `base`, sorted by pc: the
 * table of .eh_frame_hdr. NULL when the file has no .eh_frame, or one that this cannot read. */
GBytes *stack_table_build (StackFile *file, guint64 base);
