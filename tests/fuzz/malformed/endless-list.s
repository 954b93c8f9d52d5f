# SPDX-License-Identifier: GPL-3.0-or-later
# A list in .debug_loclists that ends with the section, inside an entry.
        .include "common.inc"
        .section .debug_loclists,"",@progbits
        .long   14
        .short  5
        .byte   8, 0
        .long   1
        .long   4
        .byte   4, 0x80
        begin
        inside
        .uleb128 12
        .asciz  "listed"
        .long   int_at
        .uleb128 0
        finish
