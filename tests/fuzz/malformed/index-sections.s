# SPDX-License-Identifier: GPL-3.0-or-later
# Indexes that gdb and linkers leave (.debug_names, .gdb_index, .debug_aranges), full of nonsense.
        .include "common.inc"
        .section .debug_names,"",@progbits
        .long   0x7fffffff
        .short  5, 0
        .long   0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff
        .section .gdb_index,"",@progbits
        .long   8, 0xffffffff, 0, 0x7fffffff, 1, 0xffffffff
        .section .debug_aranges,"",@progbits
        .long   0xfffffff0
        .short  2
        .long   0x7fffffff
        .byte   8, 0
        .section .debug_macro,"",@progbits
        .short  5
        .byte   2
        .long   0x7fffffff
        .byte   3, 0xff, 0xff, 0xff
        begin
        inside
        finish
