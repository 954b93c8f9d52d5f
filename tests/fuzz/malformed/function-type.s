# SPDX-License-Identifier: GPL-3.0-or-later
# A variable whose type is the function that it is in.
        .include "common.inc"
        begin
        .set    main_at, . - .Lunit
        inside
        variable "of_main", main_at
        .byte   9, 3
        .quad   stored
        finish
