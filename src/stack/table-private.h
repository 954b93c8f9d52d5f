/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search table that a linker left out (static programs): made from .eh_frame by one pass. */
#pragma once
#include "stack/file-private.h"

/* Pairs of gint32 {first pc, FDE}, both relative to link-time address `base`, sorted by pc: the
 * table of .eh_frame_hdr. NULL when the file has no .eh_frame, or one that this cannot read. */
GBytes *stack_table_build (StackFile *file, guint64 base);
