# SPDX-License-Identifier: GPL-3.0-or-later
# A block whose next sibling is before it, and whose ranges have an index without a table.
        .include "common.inc"
        begin
        inside
        .uleb128 13
        .long   int_at
        .uleb128 1000
        .byte   0
        finish
