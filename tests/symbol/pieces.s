# SPDX-License-Identifier: GPL-3.0-or-later
# A variable whose bits lie here and there (DW_OP_bit_piece, DW_OP_piece, one of them nowhere), as
# compilers write it for bit-fields that they keep in registers; a value of more bytes than an
# operation has; a static member that is a constant where it is defined.
        .text
        .globl  main, here
        .type   main, @function
main:   mov     $0xabcd1234, %ebx
        mov     $0x7e5, %ecx
here:   nop
        xor     %eax, %eax
        ret
.Lend:  .size   main, . - main
        .data
stored: .byte   0xf1, 0x62, 0x93, 0xc4
        .section .note.GNU-stack,"",@progbits

        .section .debug_abbrev,"",@progbits
        .uleb128 1, 0x11                # unit, with children
        .byte   1
        .uleb128 0x25, 8, 0x13, 5, 0x03, 8, 0x11, 1, 0x12, 7, 0, 0
        .uleb128 2, 0x2e                # function
        .byte   1
        .uleb128 0x03, 8, 0x11, 1, 0x12, 7, 0x40, 0x18, 0, 0
        .uleb128 3, 0x34                # variable
        .byte   0
        .uleb128 0x03, 8, 0x49, 0x13, 0x02, 0x18, 0, 0
        .uleb128 4, 0x24                # base type
        .byte   0
        .uleb128 0x03, 8, 0x3e, 11, 0x0b, 11, 0, 0
        .uleb128 5, 0x13                # structure
        .byte   1
        .uleb128 0x03, 8, 0x0b, 11, 0, 0
        .uleb128 6, 0x0d                # bit-field
        .byte   0
        .uleb128 0x03, 8, 0x49, 0x13, 0x0d, 11, 0x6b, 11, 0, 0
        .uleb128 7, 0x0d                # member
        .byte   0
        .uleb128 0x03, 8, 0x49, 0x13, 0x38, 11, 0, 0
        .uleb128 8, 0x34                # static member
        .byte   0
        .uleb128 0x03, 8, 0x49, 0x13, 0x3f, 0x19, 0x3c, 0x19, 0, 0
        .uleb128 9, 0x34                # its definition: a constant
        .byte   0
        .uleb128 0x47, 0x13, 0x1c, 11, 0, 0
        .byte   0

        .section .debug_info,"",@progbits
.Lunit: .long   .Lstop - .Lstart
.Lstart: .short 4
        .long   .debug_abbrev
        .byte   8
        .uleb128 1
        .asciz  "by hand"
        .short  12
        .asciz  "pieces.c"
        .quad   main
        .quad   .Lend - main
        .uleb128 4
        .set    uint_at, . - 1 - .Lunit
        .asciz  "unsigned int"
        .byte   7, 4
        .uleb128 4
        .set    char_at, . - 1 - .Lunit
        .asciz  "unsigned char"
        .byte   8, 1
        .uleb128 5
        .set    fields_at, . - 1 - .Lunit
        .asciz  "fields"
        .byte   8
        .uleb128 6
        .asciz  "low"
        .long   uint_at
        .byte   4, 0
        .uleb128 6
        .asciz  "middle"
        .long   uint_at
        .byte   12, 4
        .uleb128 6
        .asciz  "high"
        .long   uint_at
        .byte   16, 16
        .uleb128 7
        .asciz  "byte"
        .long   char_at
        .byte   4
        .uleb128 7
        .asciz  "memory"
        .long   char_at
        .byte   5
        .uleb128 7
        .asciz  "lost"
        .long   char_at
        .byte   6
        .uleb128 7
        .asciz  "last"
        .long   char_at
        .byte   7
        .byte   0
        .uleb128 5
        .set    shape_at, . - 1 - .Lunit
        .asciz  "shape"
        .byte   4
        .uleb128 7
        .asciz  "size"
        .long   uint_at
        .byte   0
        .uleb128 8
        .set    count_at, . - 1 - .Lunit
        .asciz  "count"
        .long   uint_at
        .byte   0
        .uleb128 9
        .long   count_at
        .byte   2
        .uleb128 2
        .asciz  "main"
        .quad   main
        .quad   .Lend - main
        .uleb128 1
        .byte   0x57                    # rsp
        .uleb128 3
        .asciz  "mixed"
        .long   fields_at
        .uleb128 2f - 1f
1:      .byte   0x35, 0x9f, 0x9d, 4, 0          # 5, as a value: 4 bits
        .byte   0x52, 0x9d, 12, 0               # rcx: 12 bits
        .byte   0x53, 0x9d, 16, 8               # rbx: 16 bits after 8
        .byte   0x08, 0x5a, 0x9f, 0x93, 1       # 0x5a, as a value: a byte
        .byte   0x03
        .quad   stored
        .byte   0x9d, 8, 4                      # memory: 8 bits after 4
        .byte   0x93, 1                         # nowhere: a byte
        .byte   0x53, 0x93, 1                   # rbx: a byte
2:      .uleb128 3
        .asciz  "unsure"
        .long   uint_at
        .uleb128 2
        .byte   0x53, 0xf0                      # rbx, perhaps without a value (DW_OP_GNU_uninit)
        .uleb128 3
        .asciz  "wide"
        .long   uint_at
        .uleb128 5
        .byte   0x77, 0, 0x94, 16, 0x9f         # 16 bytes at rsp, as a value of 8, as clang 19 writes it
        .uleb128 3
        .asciz  "whole"
        .long   shape_at
        .uleb128 9
        .byte   0x03
        .quad   stored
        .byte   0
        .byte   0
.Lstop:
