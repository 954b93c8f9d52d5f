# SPDX-License-Identifier: GPL-3.0-or-later
# A second unit with a form that nobody knows, then a length of 64 bits that leaves the section.
        .include "common.inc"
        begin
        inside
        finish
        .long   .Lstop2 - .Lstart2
.Lstart2: .short 5
        .byte   1, 8
        .long   .Labbrev
        .uleb128 15
        .byte   1, 2, 3
.Lstop2: .long  0xffffffff
        .quad   0x7fffffffffffffff
        .short  5
