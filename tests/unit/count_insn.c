/* SPDX-License-Identifier: ISC */
/* Calls, returns and jumps of three processors, as their assemblers write them.
 */
#include <string.h>

#include "decode/insn.h"
#include "unit.h"

enum { AT = 0x1000 };

static struct insn
decode(enum insn_arch arch, const char *bytes, size_t n)
{
	return insn_decode(arch, AT, (const uint8_t *)bytes, n);
}

#define IS(arch, bytes, what) \
	CHECK(decode(arch, bytes, sizeof bytes - 1).kind == (what))
#define LEADS(arch, bytes, what, to)                                   \
	do {                                                           \
		struct insn x = decode(arch, bytes, sizeof bytes - 1); \
		CHECK(x.kind == (what));                               \
		CHECK(x.direct &&insn_leads_to(&x, (uint64_t)(to)));   \
		CHECK(!insn_leads_to(&x, (uint64_t)(to) + 2));         \
	} while (0)

static void
test_x86(void)
{
	LEADS(INSN_X86, "\xe8\x00\x01\0\0", INSN_CALL, AT + 0x105);
	LEADS(INSN_X86, "\xe9\xfb\xff\xff\xff", INSN_BRANCH, AT);
	LEADS(INSN_X86, "\xeb\xfe", INSN_BRANCH, AT);
	LEADS(INSN_X86, "\x75\x10", INSN_BRANCH, AT + 0x12);
	LEADS(INSN_X86, "\x7f\x11", INSN_BRANCH, AT + 0x13);
	LEADS(INSN_X86, "\x0f\x84\x10\0\0\0", INSN_BRANCH, AT + 0x16);
	LEADS(INSN_X86, "\x2e\xe8\x00\x01\0\0", INSN_CALL, AT + 0x106);
	IS(INSN_X86, "\xff\xd0", INSN_CALL);	     /* call *%rax */
	IS(INSN_X86, "\x41\xff\xd2", INSN_CALL);     /* call *%r10 */
	IS(INSN_X86, "\xff\x15\0\0\0\0", INSN_CALL); /* call *(%rip) */
	/* call *%gs:0x10, and with each other segment */
	IS(INSN_X86, "\x65\xff\x15\x10\0\0\0", INSN_CALL);
	IS(INSN_X86, "\x64\xff\x15\x10\0\0\0", INSN_CALL);
	IS(INSN_X86, "\x26\xff\xd0", INSN_CALL);
	IS(INSN_X86, "\x36\xff\xd0", INSN_CALL);
	IS(INSN_X86, "\x3e\xff\xe0", INSN_JUMP);
	IS(INSN_X86, "\x65\x8b\x05\x10\0\0\0", INSN_PLAIN);
	IS(INSN_X86, "\xff\xe0", INSN_JUMP);  /* jmp *%rax */
	IS(INSN_X86, "\xff\x30", INSN_PLAIN); /* push (%rax) */
	IS(INSN_X86, "\xc3", INSN_RETURN);
	IS(INSN_X86, "\xf3\xc3", INSN_RETURN);
	IS(INSN_X86, "\xc2\x08\0", INSN_RETURN);
	IS(INSN_X86, "\x48\xcf", INSN_TRAP_RETURN);
	IS(INSN_X86, "\x48\x0f\x07", INSN_TRAP_RETURN); /* sysretq */
	IS(INSN_X86, "\x0f\x05", INSN_TRAP);
	IS(INSN_X86, "\xcd\x80", INSN_TRAP);
	IS(INSN_X86, "\x48\x89\xe5", INSN_PLAIN);
	IS(INSN_X86, "\x48", INSN_PLAIN); /* dec %eax of 32 bits */
	IS(INSN_X86, "", INSN_PLAIN);
	CHECK(decode(INSN_X86, "\xf3\xaa", 2).turns);	  /* rep stosb */
	CHECK(decode(INSN_X86, "\xf3\x48\xa5", 3).turns); /* rep movsq */
	CHECK(decode(INSN_X86, "\xf2\xae", 2).turns);	  /* repne scasb */
	CHECK(decode(INSN_X86, "\xf3\x66\x6d", 3).turns); /* rep insw */
	CHECK(!decode(INSN_X86, "\xaa", 1).turns);
	CHECK(!decode(INSN_X86, "\xf3\xa8", 2).turns);
	CHECK(!decode(INSN_X86, "\xf3\x90", 2).turns); /* pause */
	CHECK(!decode(INSN_X86, "\xf3\x0f\xa5", 3).turns);
	CHECK(decode(INSN_X86, "\xe8\0\0\0\0", 5).saves);
	CHECK(decode(INSN_X86, "\xc3", 1).loads);
	/* of 16 bits it stays in its 64 KiB */
	LEADS(INSN_X86, "\xe8\xfd\xff", INSN_CALL, 0xff0000 + AT);
}

/* Both ends of each row. */
static void
test_x86_rows(void)
{
	LEADS(INSN_X86, "\xe0\x10", INSN_BRANCH, AT + 0x12); /* loop */
	LEADS(INSN_X86, "\xe3\x11", INSN_BRANCH, AT + 0x13);
	LEADS(INSN_X86, "\x70\x11", INSN_BRANCH, AT + 0x13);
	LEADS(INSN_X86, "\x0f\x8f\x10\0\0\0", INSN_BRANCH, AT + 0x16);
	LEADS(INSN_X86, "\x0f\x80\x10\0\0\0", INSN_BRANCH, AT + 0x16);
	IS(INSN_X86, "\x0f\x90\xc0", INSN_PLAIN); /* seto */
	IS(INSN_X86, "\xff\x17", INSN_CALL);	  /* call *(%rdi) */
	IS(INSN_X86, "\xff\x1f", INSN_CALL);	  /* far */
	IS(INSN_X86, "\xff\x27", INSN_JUMP);	  /* jmp *(%rdi) */
	IS(INSN_X86, "\xff\x2f", INSN_JUMP);	  /* far */
	IS(INSN_X86, "\xff\xc0", INSN_PLAIN);	  /* inc */
	IS(INSN_X86, "\xfe\xd0", INSN_PLAIN);
	IS(INSN_X86, "\x9a\1\0\0\0\0\0", INSN_CALL);
	IS(INSN_X86, "\xea\1\0\0\0\0\0", INSN_JUMP);
	IS(INSN_X86, "\xca\1\0", INSN_RETURN);
	IS(INSN_X86, "\xc2\1\0", INSN_RETURN);
	IS(INSN_X86, "\xcb", INSN_RETURN);
	IS(INSN_X86, "\xcf", INSN_TRAP_RETURN);
	IS(INSN_X86, "\x0f\x35", INSN_TRAP_RETURN); /* sysexit */
	IS(INSN_X86, "\x0f\x34", INSN_TRAP);	    /* sysenter */
	IS(INSN_X86, "\x0f\x0b", INSN_PLAIN);	    /* ud2 */
	IS(INSN_X86, "\xcc", INSN_TRAP);
	IS(INSN_X86, "\xcd\x81", INSN_TRAP);
	IS(INSN_X86, "\xce", INSN_TRAP);
	IS(INSN_X86, "\xf1", INSN_TRAP);
	IS(INSN_X86, "\xf2\xff\xd0", INSN_CALL); /* bnd */
	IS(INSN_X86, "\xf3\xff\xd0", INSN_CALL);
	IS(INSN_X86, "\x66\xff\xd0", INSN_CALL);
	IS(INSN_X86, "\x67\xff\x17", INSN_CALL);
	IS(INSN_X86, "\x4f\xff\xd7", INSN_CALL);
	IS(INSN_X86, "\x50\xff\xd7", INSN_PLAIN); /* push */
	CHECK(decode(INSN_X86, "\xff\x17", 2).saves);
	CHECK(!decode(INSN_X86, "\xff\x1f", 2).saves);
	CHECK(!decode(INSN_X86, "\xcb", 1).loads);
	CHECK(decode(INSN_X86, "\xcf", 1).loads);
	CHECK(!decode(INSN_X86, "\xeb\xfe", 2).saves);
	/* cut, or with more than a displacement */
	IS(INSN_X86, "\xe8", INSN_PLAIN);
	IS(INSN_X86, "\xe8\0\0\0\0\0", INSN_PLAIN);
	IS(INSN_X86, "\x0f\x84", INSN_PLAIN);
}

static void
test_arm64(void)
{
	LEADS(INSN_ARM64, "\x02\0\0\x94", INSN_CALL, AT + 8);
	LEADS(INSN_ARM64, "\xff\xff\xff\x17", INSN_BRANCH, AT - 4);
	LEADS(INSN_ARM64, "\x41\0\0\x54", INSN_BRANCH, AT + 8);	    /* b.ne */
	LEADS(INSN_ARM64, "\x40\0\0\xb4", INSN_BRANCH, AT + 8);	    /* cbz */
	LEADS(INSN_ARM64, "\xe0\xff\x07\x37", INSN_BRANCH, AT - 4); /* tbnz */
	LEADS(INSN_ARM64, "\x88\0\0\x36", INSN_BRANCH, AT + 16);    /* tbz w8 */
	LEADS(INSN_ARM64, "\x88\0\0\x34", INSN_BRANCH, AT + 16);    /* cbz w8 */
	IS(INSN_ARM64, "\x00\x02\x3f\xd6", INSN_CALL); /* blr x16 */
	IS(INSN_ARM64, "\x00\x02\x1f\xd6", INSN_JUMP); /* br x16 */
	IS(INSN_ARM64, "\xc0\x03\x5f\xd6", INSN_RETURN);
	IS(INSN_ARM64, "\xff\x0b\x5f\xd6", INSN_RETURN); /* retaa */
	IS(INSN_ARM64, "\xe0\x03\x9f\xd6", INSN_TRAP_RETURN);
	IS(INSN_ARM64, "\x01\0\0\xd4", INSN_TRAP); /* svc */
	/* stp x29, x30, [sp, #-16]!; ldp; str x30, [x8]; ldr x30, [sp], #16 */
	CHECK(decode(INSN_ARM64, "\xfd\x7b\xbf\xa9", 4).saves);
	CHECK(decode(INSN_ARM64, "\xfd\x7b\xc1\xa8", 4).loads);
	CHECK(decode(INSN_ARM64, "\x1e\x01\0\xf9", 4).saves);
	CHECK(decode(INSN_ARM64, "\xfe\x07\x41\xf8", 4).loads);
	CHECK(!decode(INSN_ARM64, "\x1d\x01\0\xf9", 4).saves); /* x29 */
	/* stp x30, x1, [sp]; stur x30, [sp, #-8]; str x30, [sp, #-16]! */
	CHECK(decode(INSN_ARM64, "\xfe\x07\0\xa9", 4).saves);
	CHECK(decode(INSN_ARM64, "\xfe\x83\x1f\xf8", 4).saves);
	CHECK(decode(INSN_ARM64, "\xfe\x0f\x1f\xf8", 4).saves);
	LEADS(INSN_ARM64, "\xe1\xff\xff\x54", INSN_BRANCH, AT - 4);
	LEADS(INSN_ARM64, "\x41\0\0\x35", INSN_BRANCH, AT + 8); /* cbnz */
	LEADS(INSN_ARM64, "\0\0\0\x96", INSN_CALL, AT - (1 << 27));
	LEADS(INSN_ARM64, "\0\0\x04\x36", INSN_BRANCH, AT - (1 << 15));
	IS(INSN_ARM64, "\x01\0\x20\xd4", INSN_TRAP);  /* brk */
	IS(INSN_ARM64, "\x01\0\x40\xd4", INSN_PLAIN); /* hlt */
}

static void
test_riscv(void)
{
	LEADS(INSN_RISCV, "\xef\0\x80\0", INSN_CALL, AT + 8);
	LEADS(INSN_RISCV, "\x6f\xf0\xdf\xff", INSN_BRANCH, AT - 4);
	LEADS(INSN_RISCV, "\x63\x14\xb5\0", INSN_BRANCH, AT + 8); /* bne */
	LEADS(INSN_RISCV, "\x01\xa0", INSN_BRANCH, AT);		  /* c.j . */
	LEADS(INSN_RISCV, "\x11\xc1", INSN_BRANCH, AT + 4);	  /* c.beqz */
	LEADS(INSN_RISCV, "\xf5\xff", INSN_BRANCH, AT - 4);	  /* c.bnez */
	IS(INSN_RISCV, "\x67\x80\0\0", INSN_RETURN);
	IS(INSN_RISCV, "\x82\x80", INSN_RETURN);	      /* c.jr ra */
	IS(INSN_RISCV, "\x82\x97", INSN_CALL);		      /* c.jalr a5 */
	IS(INSN_RISCV, "\x82\x87", INSN_JUMP);		      /* c.jr a5 */
	IS(INSN_RISCV, "\x82\x82", INSN_RETURN);	      /* c.jr t0 */
	IS(INSN_RISCV, "\x02\x90", INSN_TRAP);		      /* c.ebreak */
	IS(INSN_RISCV, "\x67\x80\x02\0", INSN_RETURN);	      /* jr t0 */
	IS(INSN_RISCV, "\xe7\x82\x07\0", INSN_CALL);	      /* jalr t0, a5 */
	IS(INSN_RISCV, "\x67\x80\x07\0", INSN_JUMP);	      /* jr a5 */
	IS(INSN_RISCV, "\x73\0\x10\0", INSN_TRAP);	      /* ebreak */
	IS(INSN_RISCV, "\x73\x10\x20\x10", INSN_PLAIN);	      /* csrw */
	LEADS(INSN_RISCV, "\xef\2\x80\0", INSN_CALL, AT + 8); /* t0 */
	LEADS(INSN_RISCV, "\x6f\0\x10\0", INSN_BRANCH, AT + 0x800);
	LEADS(INSN_RISCV, "\x6f\0\0\x40", INSN_BRANCH, AT + 0x400);
	LEADS(INSN_RISCV, "\x6f\x10\0\0", INSN_BRANCH, AT + 0x1000);
	LEADS(INSN_RISCV, "\x6f\0\x08\0", INSN_BRANCH, AT + 0x80000);
	LEADS(INSN_RISCV, "\xe3\0\0\0", INSN_BRANCH, AT + 0x800);
	LEADS(INSN_RISCV, "\x63\0\0\x40", INSN_BRANCH, AT + 0x400);
	LEADS(INSN_RISCV, "\x63\0\0\x80", INSN_BRANCH, AT - 0x1000);
	LEADS(INSN_RISCV, "\x63\x0f\0\0", INSN_BRANCH, AT + 0x1e);
	LEADS(INSN_RISCV, "\x01\xa1", INSN_BRANCH, AT + 0x400);
	LEADS(INSN_RISCV, "\x01\xa4", INSN_BRANCH, AT + 0x200);
	LEADS(INSN_RISCV, "\x01\xa8", INSN_BRANCH, AT + 0x10);
	LEADS(INSN_RISCV, "\x01\xaa", INSN_BRANCH, AT + 0x110);
	LEADS(INSN_RISCV, "\x05\xa0", INSN_BRANCH, AT + 0x20);
	LEADS(INSN_RISCV, "\x41\xa0", INSN_BRANCH, AT + 0x80);
	LEADS(INSN_RISCV, "\x81\xa0", INSN_BRANCH, AT + 0x40);
	LEADS(INSN_RISCV, "\x01\xb0", INSN_BRANCH, AT - 0x800);
	LEADS(INSN_RISCV, "\x39\xa0", INSN_BRANCH, AT + 0xe);
	LEADS(INSN_RISCV, "\x01\xd0", INSN_BRANCH, AT - 0x100);
	LEADS(INSN_RISCV, "\x01\xc8", INSN_BRANCH, AT + 0x10);
	LEADS(INSN_RISCV, "\x41\xc0", INSN_BRANCH, AT + 0x80);
	LEADS(INSN_RISCV, "\x21\xc0", INSN_BRANCH, AT + 0x40);
	LEADS(INSN_RISCV, "\x05\xc0", INSN_BRANCH, AT + 0x20);
	LEADS(INSN_RISCV, "\x19\xc0", INSN_BRANCH, AT + 6);
	IS(INSN_RISCV, "\xe7\x80\x07\0", INSN_CALL); /* jalr a5 */
	IS(INSN_RISCV, "\x73\0\0\0", INSN_TRAP);
	IS(INSN_RISCV, "\x73\0\x20\x10", INSN_TRAP_RETURN);   /* sret */
	IS(INSN_RISCV, "\x73\0\x20\x30", INSN_TRAP_RETURN);   /* mret */
	CHECK(decode(INSN_RISCV, "\x23\x34\x11\0", 4).saves); /* sd ra, 8(sp) */
	CHECK(decode(INSN_RISCV, "\x83\x30\x81\0", 4).loads);
	CHECK(decode(INSN_RISCV, "\x06\xe4", 2).saves); /* c.sdsp ra, 8 */
	CHECK(decode(INSN_RISCV, "\xa2\x60", 2).loads);
	CHECK(!decode(INSN_RISCV, "\x22\xe4", 2).saves); /* s0 */
}

/* Only what has a displacement leads somewhere by itself; and no byte after an
 * instruction is looked at. */
static void
test_direct(void)
{
	CHECK(decode(INSN_X86, "\xe8\x00\x01\0\0", 5).direct);
	CHECK(!decode(INSN_X86, "\xff\xd0", 2).direct);
	CHECK(!decode(INSN_X86, "\xc3", 1).direct);
	CHECK(!decode(INSN_X86, "\x90", 1).direct);
	CHECK(!decode(INSN_RISCV, "\x23\x34\x11\0", 4).direct);
	CHECK(!decode(INSN_RISCV, "\x83\x30\x81\0", 4).direct);
	CHECK(decode(INSN_X86, "\xff\xd0", 1).kind == INSN_PLAIN);
}

/* Whether a branch is a plain jump, which is always taken. */
static void
test_always(void)
{
	CHECK(decode(INSN_X86, "\xe9\xfb\xff\xff\xff", 5).always);
	CHECK(decode(INSN_X86, "\xeb\xfe", 2).always);
	CHECK(!decode(INSN_X86, "\x75\x10", 2).always);
	CHECK(!decode(INSN_X86, "\x0f\x84\x10\0\0\0", 6).always);
	CHECK(!decode(INSN_X86, "\xe8\x00\x01\0\0", 5).always);
	CHECK(decode(INSN_ARM64, "\xff\xff\xff\x17", 4).always);
	CHECK(!decode(INSN_ARM64, "\x41\0\0\x54", 4).always);
	CHECK(!decode(INSN_ARM64, "\x88\0\0\x36", 4).always);
	CHECK(!decode(INSN_ARM64, "\x02\0\0\x94", 4).always);
	CHECK(decode(INSN_RISCV, "\x6f\xf0\xdf\xff", 4).always);
	CHECK(decode(INSN_RISCV, "\x01\xa0", 2).always);
	CHECK(decode(INSN_RISCV, "\x01\xb0", 2).always);
	CHECK(!decode(INSN_RISCV, "\x63\x14\xb5\0", 4).always);
	CHECK(!decode(INSN_RISCV, "\x11\xc1", 2).always);
	CHECK(!decode(INSN_RISCV, "\xef\0\x80\0", 4).always);
}

int
main(void)
{
	test_direct();
	test_always();
	test_x86();
	test_x86_rows();
	test_arm64();
	test_riscv();
	return unit_end();
}
