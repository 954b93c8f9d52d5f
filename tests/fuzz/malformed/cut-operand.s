# SPDX-License-Identifier: GPL-3.0-or-later
# A location that ends inside the address of its operation.
        .include "common.inc"
        begin
        inside
        variable "cut", int_at
        .byte   3, 3, 1, 2
        finish
