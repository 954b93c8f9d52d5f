# SPDX-License-Identifier: GPL-3.0-or-later
# A location that calls itself.
        .include "common.inc"
        begin
        inside
        .set    caller_at, . - .Lunit
        variable "caller", int_at
        .byte   5, 0x99
        .long   caller_at
        finish
