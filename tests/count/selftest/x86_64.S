/* SPDX-License-Identifier: ISC */
base:
	.globl start
	.code32
	.long 0x1badb002, 0, -0x1badb002
start:	lgdt gdtr
	ljmp $8, $1f
1:	mov $16, %eax
	mov %eax, %ds
	mov %eax, %ss
	lidt idtr
	mov $stack, %esp
	mov $1000, %ebx
1:	call f
	int $0
	dec %ebx
	jnz 1b
end:	jmp end
f:	mov $5, %eax
2:	dec %eax
	jnz 2b
	call g
	ret
g:	ret
trap:	iret
	.balign 8
gdt:	.quad 0, 0x00cf9a000000ffff, 0x00cf92000000ffff
idt:	.word trap - base, 8, 0x8e00, 0x10
gdtr:	.word 23
	.long gdt
idtr:	.word 7
	.long idt
	.balign 16
	.space 64
stack:
