/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the search table that linkers omit in static programs, in one pass over .eh_frame. */
#pragma once
#include "base/cursor.h"
#include "stack/file-private.h"

/* The encoding of addresses in an FDE (LSB core, section 10.5); others are not supported. */
#define STACK_TABLE_ABSOLUTE 0x00u
/* Reads the range of an FDE's code at the cursor, whose address is `here`; bias is added to
 * absolute addresses. ret_size NULL: does not read the size. */
gboolean stack_table_read_range (BaseCursor *cursor, guint64 here, guint64 bias,
                                 guint8 encoding, guint64 *ret_start, guint64 *ret_size);

/* Pairs of gint32 {first pc, FDE}, both relative to link-time address `base`, sorted by pc: the
 * table of .eh_frame_hdr. NULL when the file has no .eh_frame, or one that this cannot read. */
GBytes *stack_table_build (StackFile *file, guint64 base);
