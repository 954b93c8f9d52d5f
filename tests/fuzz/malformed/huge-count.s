# SPDX-License-Identifier: GPL-3.0-or-later
# An array of more elements than there is memory, of which the first two would be there.
        .include "common.inc"
        begin
        .set    array_at, . - .Lunit
        .uleb128 8
        .long   int_at
        .uleb128 9
        .quad   0x4000000000000000
        .byte   0
        inside
        variable "huge", array_at
        .byte   9, 3
        .quad   stored
        finish
