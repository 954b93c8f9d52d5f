# SPDX-License-Identifier: GPL-3.0-or-later
# A line table with no opcodes, no line range and more folders than bytes.
        .include "common.inc"
        .section .debug_line,"",@progbits
        .long   .Lline_end - .Lline
.Lline: .short  5
        .byte   8, 0
        .long   0x7fffffff
        .byte   0, 0, 0, 0, 0, 0, 1, 1, 8
        .uleb128 0xffffffffffff
.Lline_end:
        begin
        inside
        finish
