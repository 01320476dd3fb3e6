/* SPDX-License-Identifier: ISC */
	.globl start
start:	lla t0, trap
	csrw mtvec, t0
	lla sp, stack
	li s0, 1000
1:	call f
	ecall
	addi s0, s0, -1
	bnez s0, 1b
end:	j end
f:	addi sp, sp, -16
	sd ra, 8(sp)
	li a0, 5
2:	addi a0, a0, -1
	bnez a0, 2b
	call g
	ld ra, 8(sp)
	addi sp, sp, 16
	ret
g:	ret
	.balign 4
trap:	csrr t0, mepc
	addi t0, t0, 4
	csrw mepc, t0
	mret
	.balign 16
	.space 64
stack:
