/* SPDX-License-Identifier: ISC */
/*
 * Two programs for programs.c, -DNAME(x)=x##_a and x##_b: both have begin() and
 * work() of equal bytes, work() with a loop of three instructions, and a body()
 * of their own, which calls work() TIMES times.
 */
	.macro function name
	.globl	\name
	.type	\name, %function
\name:
	.endm

	.text
	function NAME(begin)
	addi	sp, sp, -16
	sd	ra, 8(sp)
	call	NAME(body)
	ld	ra, 8(sp)
	addi	sp, sp, 16
	ret
	.size	NAME(begin), . - NAME(begin)

	.org	0x40
	function NAME(work)
	li	t0, 1000
1:	addi	t1, t1, 1
	addi	t0, t0, -1
	bnez	t0, 1b
	ret
	.size	NAME(work), . - NAME(work)

	.org	0x80
	function NAME(body)
	li	a0, TIMES
	addi	sp, sp, -16
	sd	ra, 8(sp)
	.rept	TIMES
	call	NAME(work)
	.endr
	ld	ra, 8(sp)
	addi	sp, sp, 16
	ret
	.size	NAME(body), . - NAME(body)
