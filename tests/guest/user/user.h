/* SPDX-License-Identifier: ISC */
/*
 * What a process's program and the kernel share: one system call. rdi is what
 * is asked for, rsi its argument.
 */
#ifndef USER_H
#define USER_H

#define FRAME __attribute__((noipa))

#define SYS_WORK 1  /* busy in the kernel until TSC time rsi */
#define SYS_YIELD 2 /* the next process of this CPU, if there is one */

typedef unsigned long u64;

static inline __attribute__((always_inline)) u64
tsc(void)
{
	unsigned lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (u64)hi << 32 | lo;
}

static inline __attribute__((always_inline)) void
call(u64 what, u64 arg)
{
	__asm__ volatile("int $0x80" : : "D"(what), "S"(arg) : "memory");
}

/* The windows of a cycle that both programs are in, in per cent. */
#define CYCLE_MS 100

#endif
