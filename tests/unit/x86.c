/* SPDX-License-Identifier: ISC */
/* Where code of x86_64 without frames keeps its return address. */
#include "insn/x86_frame.h"
#include "insn/x86_insn.h"

#include "unit.h"

/* The length of an instruction, 0: it is none. */
static size_t
length(const char *bytes, size_t n)
{
	struct x86_insn x;

	return x86_insn((const uint8_t *)bytes, n, &x) == 0 ? x.len : 0;
}

#define LENGTH(s) length(s, sizeof s - 1)

static void
test_lengths(void)
{
	CHECK(LENGTH("\x90\xcc") == 1);
	CHECK(LENGTH("\x48\x83\xec\x78\xcc") == 4);	    /* sub $120,%rsp */
	CHECK(LENGTH("\x48\x8b\x84\x24\1\2\3\4\xcc") == 8); /* mov n(%rsp) */
	CHECK(LENGTH("\x48\x8d\x05\1\2\3\4\xcc") == 7);	    /* lea n(%rip) */
	CHECK(LENGTH("\x49\xb8\1\2\3\4\5\6\7\x08\xcc") == 10); /* movabs */
	CHECK(LENGTH("\x66\xc7\x00\1\2\xcc") == 5);	       /* movw */
	CHECK(LENGTH("\xf6\x45\xfd\x03\xcc") == 4);	       /* testb */
	CHECK(LENGTH("\xf7\xd8\xcc\xcc\xcc\xcc") == 2);	       /* neg */
	CHECK(LENGTH("\x66\x0f\x3a\x0f\xc1\x08\xcc") == 6);    /* palignr */
	CHECK(LENGTH("\xc5\xf8\x77\xcc") == 3);		       /* vzeroupper */
	CHECK(LENGTH("\x62\xf1\x7c\x48\x10\x00\xcc") == 6); /* evex vmovups */
	CHECK(LENGTH("\x48\x83\xec") == 0);
	CHECK(LENGTH("\x06") == 0);
}

/*
 * 0 push %rbp; 1 push %rbx; 2 sub $24,%rsp; 6 test %edi,%edi; 8 je 24;
 * 10 call; 15 add $24,%rsp; 19 pop %rbx; 20 pop %rbp; 21 ret; 22 nop, nop;
 * 24 push $1; 26 call; 31 pop %rax; 32 jmp 15; 34 what nobody comes to
 */
static const uint8_t two_ways[] = {0x55, 0x53, 0x48, 0x83, 0xec, 24, 0x85, 0xff,
    0x74, 14, 0xe8, 0, 1, 0, 0, 0x48, 0x83, 0xc4, 24, 0x5b, 0x5d, 0xc3, 0x90,
    0x90, 0x6a, 1, 0xe8, 0, 1, 0, 0, 0x58, 0xeb, 0xed, 0x90};

/* push %rbp; mov %rsp,%rbp; and $-16,%rsp; sub %rax,%rsp; nop; leave; ret */
static const uint8_t by_rbp[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xe4, 0xf0,
    0x48, 0x29, 0xc4, 0x90, 0xc9, 0xc3};

/* test %edi,%edi; je 6; push %rax; push %rax; 6: nop: two states meet. */
static const uint8_t meet[] = {0x85, 0xff, 0x74, 2, 0x50, 0x50, 0x90};

/* Where register `reg` of DWARF is, down from the CFA; 0: not saved. */
static int64_t
place(const struct caller *row, uint8_t reg)
{
	for (int i = 0; i < row->n; i++)
		if (row->rule[i].reg == reg)
			return -row->rule[i].off;
	return 0;
}

static void
test_ways(void)
{
	static const int8_t down[sizeof two_ways] = {[0] = 8,
	    [1] = 16,
	    [2] = 24,
	    [6] = 48,
	    [12] = 48,
	    [15] = 48,
	    [19] = 24,
	    [20] = 16,
	    [21] = 8,
	    [24] = 48,
	    [26] = 56,
	    [31] = 56,
	    [32] = 48};
	struct caller row;

	for (size_t at = 0; at < sizeof two_ways; at++) {
		if (down[at] == 0)
			continue;
		CHECK(x86_frame(two_ways, sizeof two_ways, at, &row));
		CHECK(row.cfa_reg == 7 && row.cfa_off == down[at]);
		CHECK(place(&row, 16) == 8);
		CHECK(place(&row, 6) == (down[at] >= 16 ? 16 : 0));
		CHECK(place(&row, 3) == (down[at] >= 24 ? 24 : 0));
	}
	CHECK(!x86_frame(two_ways, sizeof two_ways, 34, &row));
	CHECK(x86_frame(by_rbp, sizeof by_rbp, 11, &row));
	CHECK(row.cfa_reg == 6 && row.cfa_off == 16 && place(&row, 6) == 16);
	CHECK(x86_frame(by_rbp, sizeof by_rbp, 13, &row));
	CHECK(row.cfa_reg == 7 && row.cfa_off == 8 && place(&row, 6) == 0);
	CHECK(!x86_frame(meet, sizeof meet, 6, &row));
	CHECK(x86_frame(meet, sizeof meet, 5, &row) && row.cfa_off == 16);
}

static void
test_jumps(void)
{
	static const uint8_t far[] = {0x90, 0xe9, 0, 1, 0, 0};
	static const uint8_t thunk[] = {0x48, 0x89, 0x04, 0x24, 0xc3};
	size_t at = 0;
	int64_t to;

	CHECK(x86_jump(far, sizeof far, &at, &to) == JUMP_TO && to == 0x106);
	CHECK(x86_jump(far, sizeof far, &at, &to) == JUMP_NONE);
	at = 0;
	CHECK(x86_jump(thunk, sizeof thunk, &at, &to) == JUMP_ANYWHERE);
}

int
main(void)
{
	test_lengths();
	test_ways();
	test_jumps();
	return unit_end();
}
