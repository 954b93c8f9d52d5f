# SPDX-License-Identifier: GPL-3.0-or-later
# .debug_str_offsets whose length says more than there is, and an index behind its end.
        .include "common.inc"
        .section .debug_str_offsets,"",@progbits
        .long   0x7ffffff0
        .short  5, 0
        .long   0x7fffffff
        begin
        inside
        .uleb128 11
        .uleb128 0
        .long   int_at
        .byte   9, 3
        .quad   stored
        finish
