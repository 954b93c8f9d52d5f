# SPDX-License-Identifier: GPL-3.0-or-later
# An address by its index, in a file without .debug_addr.
        .include "common.inc"
        begin
        inside
        variable "indexed", int_at
        .byte   3, 0xa1, 0xe8, 7
        finish
