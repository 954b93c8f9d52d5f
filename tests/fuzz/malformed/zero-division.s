# SPDX-License-Identifier: GPL-3.0-or-later
# A location that divides by zero.
        .include "common.inc"
        begin
        inside
        variable "divided", int_at
        .byte   4, 0x31, 0x30, 0x1b, 0x9f
        finish
