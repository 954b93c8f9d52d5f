# SPDX-License-Identifier: GPL-3.0-or-later
# The signature of a type unit that is not there.
        .include "common.inc"
        begin
        inside
        .uleb128 16
        .asciz  "unsigned_type"
        .quad   0x1122334455667788
        .byte   9, 3
        .quad   stored
        finish
