# SPDX-License-Identifier: GPL-3.0-or-later
# A location list by its index, in a file without .debug_loclists.
        .include "common.inc"
        begin
        inside
        .uleb128 12
        .asciz  "listed"
        .long   int_at
        .uleb128 3
        finish
