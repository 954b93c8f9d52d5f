# SPDX-License-Identifier: GPL-3.0-or-later
# A name and a type in the file that dwz made, which is not named.
        .include "common.inc"
        begin
        inside
        .uleb128 14
        .long   4, 0x40
        .byte   9, 3
        .quad   stored
        finish
