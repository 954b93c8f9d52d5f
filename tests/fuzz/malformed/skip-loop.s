# SPDX-License-Identifier: GPL-3.0-or-later
# A location that jumps back to its begin for ever.
        .include "common.inc"
        begin
        inside
        variable "endless", int_at
        .byte   3, 0x2f
        .short  -3
        finish
