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

static size_t
length_32(const char *bytes, size_t n)
{
	struct x86_insn x;

	return x86_insn_32((const uint8_t *)bytes, n, &x) == 0 ? x.len : 0;
}

#define LENGTH_32(s) length_32(s, sizeof s - 1)

/* What i386 has in the place of REX, VEX and what x86_64 lacks. */
static void
test_lengths_32(void)
{
	CHECK(LENGTH_32("\x40\xcc") == 1);	       /* inc %eax */
	CHECK(LENGTH_32("\x48\x83\xec\x78\xcc") == 1); /* dec %eax */
	CHECK(LENGTH_32("\x06\xcc") == 1);	       /* push %es */
	CHECK(LENGTH_32("\x60\xcc") == 1);	       /* pusha */
	CHECK(LENGTH_32("\x27\xcc") == 1);	       /* daa */
	CHECK(LENGTH_32("\xa1\1\2\3\4\xcc") == 5);     /* mov n,%eax */
	CHECK(LENGTH_32("\x66\xa3\1\2\3\4\xcc") == 6); /* mov %ax,n */
	CHECK(LENGTH_32("\xa1\1\2\3") == 0);
	CHECK(LENGTH_32("\xea\1\2\3\4\5\6\xcc") == 7);	   /* ljmp */
	CHECK(LENGTH_32("\xc8\1\2\3\xcc") == 4);	   /* enter */
	CHECK(LENGTH_32("\xd4\x0a\xcc") == 2);		   /* aam */
	CHECK(LENGTH_32("\x82\xc0\1\xcc") == 3);	   /* add */
	CHECK(LENGTH_32("\xc4\x00\xcc\xcc\xcc") == 2);	   /* les */
	CHECK(LENGTH_32("\x62\x00\xcc\xcc\xcc\xcc") == 2); /* bound */
	CHECK(LENGTH_32("\xc5\xf8\x77\xcc") == 3);	   /* vzeroupper */
	CHECK(LENGTH_32("\x67\x8b\x07\xcc") == 0); /* 16 bits: mov (%bx) */
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

/* The way out tells of each place what the way in does. */
static void
test_ways_out(void)
{
	static const uint8_t places[] = {
	    0, 1, 2, 6, 8, 10, 15, 19, 20, 21, 24, 26, 31, 32};
	/* je 6; pop %rax; pop %rbx; ret; nop; 6: pop %rbx; ret */
	static const uint8_t two[] = {
	    0x74, 4, 0x58, 0x5b, 0xc3, 0x90, 0x5b, 0xc3};
	/* lea -8(%rbp),%rsp; pop %rbx; pop %rbp; ret */
	static const uint8_t lea[] = {0x48, 0x8d, 0x65, 0xf8, 0x5b, 0x5d, 0xc3};
	/* pop %rsp; ret; call; nop, and no more */
	static const uint8_t lost[] = {0x5c, 0xc3, 0xe8, 0, 1, 0, 0, 0x90};
	struct caller in, out[2];

	for (size_t i = 0; i < sizeof places; i++) {
		CHECK(x86_frame(two_ways, sizeof two_ways, places[i], &in));
		CHECK(x86_leave(two_ways, sizeof two_ways, places[i], out, 2) ==
		      1);
		CHECK(out[0].cfa_reg == 7 && out[0].cfa_off == in.cfa_off);
		for (uint8_t reg = 0; reg <= 16; reg++)
			CHECK(place(&out[0], reg) == place(&in, reg));
	}
	CHECK(x86_leave(by_rbp, sizeof by_rbp, 8, out, 2) == 1);
	CHECK(out[0].cfa_reg == 6 && out[0].cfa_off == 16);
	CHECK(place(&out[0], 6) == 16);
	CHECK(x86_leave(two, sizeof two, 0, out, 2) == 2);
	CHECK(out[0].cfa_off == 24 && place(&out[0], 3) == 16);
	CHECK(out[1].cfa_off == 16 && place(&out[1], 3) == 16);
	CHECK(x86_leave(two, sizeof two, 0, out, 1) == 1);
	CHECK(x86_leave(lea, sizeof lea, 0, out, 2) == 1);
	CHECK(out[0].cfa_reg == 6 && out[0].cfa_off == 16);
	CHECK(place(&out[0], 3) == 24 && place(&out[0], 6) == 16);
	CHECK(x86_leave(lost, sizeof lost, 0, out, 2) == 0);
	CHECK(x86_leave(lost, sizeof lost, 2, out, 2) == 0);
}

static void
test_named(void)
{
	/* call 0x1105; lea 0x10(%rip),%rax; mov $0x2000,%edi; push %rsp */
	static const uint8_t code[] = {0xe8, 0, 1, 0, 0, 0x48, 0x8d, 5, 16, 0,
	    0, 0, 0xbf, 0, 0x20, 0, 0, 0x06, 0x54};
	static const uint8_t room[] = {0x48, 0x83, 0xec, 8};
	static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
	static const uint8_t plt[] = {0xff, 0x25, 1, 0, 0, 0};
	struct x86_name name;
	size_t at = 0;

	CHECK(x86_named(code, sizeof code, &at, 0x1000, &name));
	CHECK(name.call && name.to == 0x1105);
	CHECK(x86_named(code, sizeof code, &at, 0x1000, &name));
	CHECK(!name.call && name.to == 0x101c);
	CHECK(x86_named(code, sizeof code, &at, 0x1000, &name));
	CHECK(!name.call && name.to == 0x2000);
	CHECK(!x86_named(code, sizeof code, &at, 0x1000, &name));
	CHECK(at == sizeof code);
	CHECK(x86_begins(room, sizeof room) && !x86_begins(room, 3));
	CHECK(x86_begins(endbr, sizeof endbr) && x86_begins(code + 18, 1));
	CHECK(!x86_begins(code, sizeof code) && !x86_begins(plt, sizeof plt));
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
	test_lengths_32();
	test_ways();
	test_ways_out();
	test_named();
	test_jumps();
	return unit_end();
}
