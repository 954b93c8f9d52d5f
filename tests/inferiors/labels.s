# SPDX-License-Identifier: GPL-3.0-or-later
# Functions as people write them in assembly: labels without a type and a size, some without a frame.
	.globl main
	.text
main:
	push %rbp
	mov %rsp, %rbp
	mov $3, %ecx
again:
	dec %ecx
	jnz again
	call leaf
	pop %rbp
	ret
leaf:
	xor %eax, %eax
inner:
	inc %eax	# //@ inner
	xor %eax, %eax
	ret
	.data
table:
	.long 7, 8, 9
	.section .note.GNU-stack, "", @progbits
