# SPDX-License-Identifier: GPL-3.0-or-later
# Unwind information whose first entry is longer than the section, and a pointer to a table that
# is not there.
        .include "common.inc"
        .section .eh_frame,"a",@progbits
        .long   0x7ffffff0, 0
        .byte   1, 0
        begin
        inside
        finish
