# SPDX-License-Identifier: GPL-3.0-or-later
# A name by its index, in a file without .debug_str_offsets.
        .include "common.inc"
        begin
        inside
        .uleb128 11
        .uleb128 70000
        .long   int_at
        .byte   9, 3
        .quad   stored
        finish
