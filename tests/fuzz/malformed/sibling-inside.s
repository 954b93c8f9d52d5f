# SPDX-License-Identifier: GPL-3.0-or-later
# Structures and blocks that say of what is their first child that it is their sibling.
        .include "common.inc"
        begin
        .rept   60
        .uleb128 17
        .asciz  "s"
        .long   1f - .Lunit
1:
        .endr
        inside
        .rept   60
        .uleb128 13
        .long   1f - .Lunit
        .uleb128 1000
1:
        .endr
        finish
