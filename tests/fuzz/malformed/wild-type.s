# SPDX-License-Identifier: GPL-3.0-or-later
# A type far behind the unit's end.
        .include "common.inc"
        begin
        inside
        variable "wild", 0x7ffffff0
        .byte   9, 3
        .quad   stored
        finish
