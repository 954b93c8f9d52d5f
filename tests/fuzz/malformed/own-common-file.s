# SPDX-License-Identifier: GPL-3.0-or-later
# The file that dwz made is the program itself.
        .include "common.inc"
        .section .gnu_debugaltlink,"",@progbits
        .asciz  "p"
        .quad   0, 0
        .long   0
        begin
        inside
        .uleb128 14
        .long   4, 0x40
        .byte   9, 3
        .quad   stored
        finish
