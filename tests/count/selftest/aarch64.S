/* SPDX-License-Identifier: ISC */
	.globl start
vectors:
start:	adr x0, vectors
	msr vbar_el1, x0
	adr x0, stack
	mov sp, x0
	mov x19, 1000
1:	bl f
	svc 0
	subs x19, x19, 1
	b.ne 1b
end:	b end
f:	stp x29, x30, [sp, -16]!
	mov x0, 5
2:	subs x0, x0, 1
	b.ne 2b
	bl g
	ldp x29, x30, [sp], 16
	ret
g:	ret
	.org 0x100
stack:
	.org 0x200
	eret
