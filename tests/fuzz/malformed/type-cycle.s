# SPDX-License-Identifier: GPL-3.0-or-later
# Two typedefs, each of the other.
        .include "common.inc"
        begin
        .set    first_at, . - .Lunit
        .uleb128 5
        .asciz  "first"
        .long   second_at
        .set    second_at, . - .Lunit
        .uleb128 5
        .asciz  "second"
        .long   first_at
        inside
        variable "looped", first_at
        .byte   9, 3
        .quad   stored
        finish
