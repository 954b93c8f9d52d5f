# SPDX-License-Identifier: GPL-3.0-or-later
# A structure that is its own member.
        .include "common.inc"
        begin
        .set    outer_at, . - .Lunit
        .uleb128 6
        .asciz  "outer"
        .byte   8
        .uleb128 7
        .asciz  "inner"
        .long   outer_at
        .byte   0
        .byte   0
        inside
        variable "nested", outer_at
        .byte   9, 3
        .quad   stored
        finish
