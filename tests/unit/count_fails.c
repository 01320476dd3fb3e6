/* SPDX-License-Identifier: ISC */
/* Instructions that always go on, and those that may not, of three processors.
 */
#include "decode/fails.h"
#include "unit.h"

#define FAILS(arch, bytes) \
	insn_may_fail(arch, (const uint8_t *)(bytes), sizeof(bytes) - 1)
#define GOES(arch, bytes) CHECK(!FAILS(arch, bytes))
#define MAY(arch, bytes) CHECK(FAILS(arch, bytes))

static void
test_x86(void)
{
	GOES(INSN_X86, "\x01\xd8");	/* add %ebx, %eax */
	MAY(INSN_X86, "\x01\x18");	/* to memory */
	GOES(INSN_X86, "\x48\x39\xd8"); /* cmp */
	GOES(INSN_X86, "\x66\x39\xd8"); /* of 16 bits */
	GOES(INSN_X86, "\x3d\0\0\0\0"); /* with eax */
	GOES(INSN_X86, "\x48");		/* dec of 32 bits */
	MAY(INSN_X86, "\x50");		/* push */
	MAY(INSN_X86, "\x27");		/* daa */
	GOES(INSN_X86, "\x83\xc0\x01");
	MAY(INSN_X86, "\x83\x00\x01");
	GOES(INSN_X86, "\x89\xe5");
	MAY(INSN_X86, "\x8e\xd0");	    /* mov to ss */
	MAY(INSN_X86, "\x87\xc3");	    /* xchg */
	GOES(INSN_X86, "\x48\x8d\x04\x18"); /* lea makes no access */
	MAY(INSN_X86, "\x8d\xc0");
	GOES(INSN_X86, "\xb8\0\0\0\0");
	GOES(INSN_X86, "\xc1\xe0\x02");
	GOES(INSN_X86, "\xd3\xe0");
	MAY(INSN_X86, "\xd9\xe0");  /* of floating point */
	GOES(INSN_X86, "\xf7\xd8"); /* neg */
	GOES(INSN_X86, "\xf7\xe8"); /* imul */
	MAY(INSN_X86, "\xf7\xf0");  /* div */
	MAY(INSN_X86, "\xf7\xf8");  /* idiv */
	MAY(INSN_X86, "\xf7\x18");
	GOES(INSN_X86, "\xff\xc0"); /* inc */
	MAY(INSN_X86, "\xff\xd0");  /* call */
	MAY(INSN_X86, "\xff\x00");
	GOES(INSN_X86, "\x0f\x44\xc3"); /* cmov */
	MAY(INSN_X86, "\x0f\x44\x03");
	GOES(INSN_X86, "\x0f\x94\xc0"); /* sete */
	GOES(INSN_X86, "\x0f\xb6\xc0"); /* movzx */
	GOES(INSN_X86, "\x0f\xaf\xc3");
	GOES(INSN_X86, "\x0f\xc8");    /* bswap */
	MAY(INSN_X86, "\x0f\x30");     /* wrmsr */
	MAY(INSN_X86, "\xf3\xa4");     /* rep movs */
	MAY(INSN_X86, "\x65\x89\xd8"); /* other prefixes */
	MAY(INSN_X86, "\x0f");
	MAY(INSN_X86, "");
}

/* Both ends of each row, and what is beside it. */
static void
test_x86_rows(void)
{
	GOES(INSN_X86, "\x98"); /* cbw */
	GOES(INSN_X86, "\x99");
	MAY(INSN_X86, "\x97");
	MAY(INSN_X86, "\x9a\0\0\0\0\0\0");
	GOES(INSN_X86, "\xa8\1"); /* test */
	GOES(INSN_X86, "\xa9\1\0\0\0");
	MAY(INSN_X86, "\xa7");
	MAY(INSN_X86, "\xaa");
	GOES(INSN_X86, "\x69\xc3\1\0\0\0"); /* imul */
	GOES(INSN_X86, "\x6b\xc3\1");
	MAY(INSN_X86, "\x6b\x03\1");
	MAY(INSN_X86, "\x68\1\0\0\0");
	MAY(INSN_X86, "\x6a\1");
	GOES(INSN_X86, "\x80\xc0\1");
	GOES(INSN_X86, "\x84\xc0");
	GOES(INSN_X86, "\x85\xc0");
	MAY(INSN_X86, "\x86\xc0");
	GOES(INSN_X86, "\x88\xc0");
	GOES(INSN_X86, "\x8b\xc0");
	MAY(INSN_X86, "\x8c\x00");
	GOES(INSN_X86, "\xb0\1");
	GOES(INSN_X86, "\xbf\1\0\0\0");
	MAY(INSN_X86, "\xaf");
	GOES(INSN_X86, "\xc0\xe0\1");
	MAY(INSN_X86, "\xc2\x08\0");
	GOES(INSN_X86, "\xd0\xe0");
	MAY(INSN_X86, "\xd4\x0a");
	GOES(INSN_X86, "\x0f\x40\xc3");
	GOES(INSN_X86, "\x0f\x4f\xc3");
	MAY(INSN_X86, "\x0f\x50\xc3");
	GOES(INSN_X86, "\x0f\x90\xc0");
	GOES(INSN_X86, "\x0f\x9f\xc0");
	MAY(INSN_X86, "\x0f\xa0");
	GOES(INSN_X86, "\x0f\xb7\xc0");
	GOES(INSN_X86, "\x0f\xbe\xc0");
	GOES(INSN_X86, "\x0f\xbf\xc0");
	MAY(INSN_X86, "\x0f\xb8\xc0");
	GOES(INSN_X86, "\x0f\xcf");
	MAY(INSN_X86, "\x0f\xc7\xf0");
}

static void
test_arm64(void)
{
	GOES(INSN_ARM64, "\x20\x04\0\x91");   /* add x0, x1, 1 */
	GOES(INSN_ARM64, "\0\0\0\x90");	      /* adrp */
	GOES(INSN_ARM64, "\x20\0\x02\x8b");   /* add x0, x1, x2 */
	GOES(INSN_ARM64, "\xe0\x03\x01\xaa"); /* mov x0, x1 */
	GOES(INSN_ARM64, "\x20\0\x82\x9a");   /* csel */
	GOES(INSN_ARM64, "\x20\x7c\x02\x9b"); /* mul */
	GOES(INSN_ARM64, "\x20\x20\xc2\x9a"); /* lsl */
	GOES(INSN_ARM64, "\x20\x08\xc2\x9a"); /* udiv */
	GOES(INSN_ARM64, "\x20\x0c\xc0\xda"); /* rev */
	MAY(INSN_ARM64, "\x20\x10\xc1\xda");  /* autia */
	MAY(INSN_ARM64, "\x20\0\x40\xf9");    /* ldr */
	MAY(INSN_ARM64, "\0\0\0\x94");	      /* bl */
	MAY(INSN_ARM64, "\x41\xd0\x38\xd5");  /* mrs */
	MAY(INSN_ARM64, "\x20\x04\0");
}

static void
test_riscv(void)
{
	GOES(INSN_RISCV, "\x93\x87\x17\0");   /* addi a5, a5, 1 */
	GOES(INSN_RISCV, "\x9b\x87\x17\0");   /* addiw */
	GOES(INSN_RISCV, "\xb3\x87\xe7\0");   /* add */
	GOES(INSN_RISCV, "\xb3\xc7\xe7\x02"); /* div */
	GOES(INSN_RISCV, "\xbb\x87\xe7\0");   /* addw */
	GOES(INSN_RISCV, "\xb7\x07\0\0");     /* lui */
	GOES(INSN_RISCV, "\x97\x07\0\0");     /* auipc */
	MAY(INSN_RISCV, "\x13\0\0\0");	      /* nop, and other hints */
	MAY(INSN_RISCV, "\x83\xb7\x07\0");    /* ld */
	MAY(INSN_RISCV, "\x23\xb0\xf7\0");    /* sd */
	MAY(INSN_RISCV, "\xf3\x27\0\x10");    /* csrr */
	MAY(INSN_RISCV, "\xaf\x27\x05\0");    /* amo */
	GOES(INSN_RISCV, "\x85\x07");	      /* c.addi */
	GOES(INSN_RISCV, "\x85\x27");	      /* c.addiw */
	GOES(INSN_RISCV, "\x85\x47");	      /* c.li */
	GOES(INSN_RISCV, "\x01\x71");	      /* c.addi16sp */
	MAY(INSN_RISCV, "\x81\x60");	      /* c.sspush */
	GOES(INSN_RISCV, "\x9d\x8f");	      /* c.sub */
	GOES(INSN_RISCV, "\x8e\x07");	      /* c.slli */
	GOES(INSN_RISCV, "\xbe\x87");	      /* c.mv */
	GOES(INSN_RISCV, "\x7c\0");	      /* c.addi4spn */
	MAY(INSN_RISCV, "\x9c\x43");	      /* c.lw */
	MAY(INSN_RISCV, "\xa2\x60");	      /* c.ldsp */
	MAY(INSN_RISCV, "\x93");
}

int
main(void)
{
	test_x86();
	test_x86_rows();
	test_arm64();
	test_riscv();
	return unit_end();
}
