# SPDX-License-Identifier: GPL-3.0-or-later
# A location that takes from an empty stack.
        .include "common.inc"
        begin
        inside
        variable "taken", int_at
        .byte   2, 0x13, 0x22
        finish
