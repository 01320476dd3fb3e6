/* SPDX-License-Identifier: ISC */
/*
 * A kernel of riscv that has made page tables of LEVELS levels and goes round
 * below them in supervisor mode: pages at odd places, that hold addresses of
 * each other, large ones of each size that QEMU has memory for, and entries
 * that map nothing. It begins in machine mode.
 */
#include "start.h"

typedef unsigned long word;

enum { V = 1, R = 2, W = 4, X = 8, A = 0x40, D = 0x80 };
enum {
	BITS = sizeof(word) == 4 ? 10 : 9,
	ENTRIES = 1 << BITS,
	WORDS = 4096 / sizeof(word),
	PAGES = 32,
	TABLES = 100
};

#define RAM ((word)0x80000000)
#define MODE                                                   \
	(sizeof(word) == 4 ? (word)1 << (8 * sizeof(word) - 1) \
			   : (word)(LEVELS + 5) << (8 * sizeof(word) - 4))
#define RWX (V | R | W | X | A | D)

static word tables[TABLES][ENTRIES] __attribute__((aligned(4096)));
static word pages[PAGES][WORDS] __attribute__((aligned(4096)));
static unsigned used;

static word *
entry(word at, unsigned level)
{
	word *table = tables[0], *e;

	for (unsigned l = LEVELS - 1;; l--) {
		e = &table[at >> (12 + l * BITS) & (ENTRIES - 1)];
		if (l == level)
			return e;
		if ((*e & V) == 0)
			*e = (word)tables[++used] >> 12 << 10 | V;
		table = (word *)(*e >> 10 << 12);
	}
}

static void
map(word at, unsigned level, word to, word rights)
{
	*entry(at, level) = to >> 12 << 10 | rights;
}

/* Any page, in the lower half or, its bits extended, in the upper one. */
static word
place(unsigned i)
{
	static word seed = 1;
	const unsigned bits = 12 + LEVELS * BITS;
	const unsigned left = 8 * sizeof(word) - bits % (8 * sizeof(word));
	const unsigned unused = left % (8 * sizeof(word));

	seed = seed * 1664525 + 1013904223 + i;
	return (word)((long)(seed << 20 >> 8 << unused) >> unused) &
	       ~(word)4095;
}

static FRAME void
spin(void)
{
	volatile word known[PAGES];

	for (unsigned i = 0; i < PAGES; i++)
		known[i] = pages[i][0];
	for (;;)
		known[0] = known[1];
}

FRAME void
top(void)
{
	word at[PAGES];

	for (unsigned l = 1; l < LEVELS && 12 + l * BITS <= 30; l++)
		map(RAM - ((word)1 << 30) + ((word)l << (12 + l * BITS)), l,
		    RAM, V | R | A);
	map(RAM, 1, RAM, RWX);
	for (unsigned i = 0; i < PAGES; i++)
		at[i] = place(i);
	for (unsigned i = 0; i < PAGES; i++) {
		map(at[i], 0, (word)pages[i], RWX);
		/* what is not mapped: writable alone, a table at the end */
		if (*entry(at[i] + 4096, 0) == 0)
			map(at[i] + 4096, 0, (word)pages[i], i % 2 ? V | W : V);
		for (unsigned k = 0; k < WORDS; k++)
			pages[i][k] = at[(i + k) % PAGES] + k * 8;
	}
	__asm__ volatile(".option push\n"
			 ".option arch, +zicsr\n"
			 "csrw pmpaddr0, %0\n"
			 "csrw pmpcfg0, %1\n"
			 "csrw satp, %2\n"
			 "csrc mstatus, %3\n"
			 "csrs mstatus, %4\n"
			 "csrw mepc, %5\n"
			 "sfence.vma\n"
			 "mret\n"
			 ".option pop"
			 :
			 : "r"(-1ul), "r"(0x1f), "r"(MODE | (word)tables >> 12),
			 "r"(0x1800), "r"(0x800), "r"(spin)
			 : "memory");
	__builtin_unreachable();
}
