# SPDX-License-Identifier: GPL-3.0-or-later
# A variable that is an instance of itself.
        .include "common.inc"
        begin
        inside
        .set    own_at, . - .Lunit
        .uleb128 10
        .long   own_at
        .byte   9, 3
        .quad   stored
        finish
