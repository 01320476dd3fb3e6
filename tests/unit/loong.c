/* SPDX-License-Identifier: ISC */
/*
 * loongarch64, for which Debian 12 has no compiler: a stack of
 * tests/guest/tiny, built by gcc 14 and stopped in QEMU, is unwound to the
 * frames of gdb 16 at that stop; and the code of its build with frame pointers.
 */
#include "../../cmd/kst-capture/unwind/frames.c"
#include "../../cmd/kst-capture/unwind/leaving.c"
#include "../../cmd/kst-capture/unwind/orc.c"
#include "../../cmd/kst-capture/unwind/saved.c"
#include "../../cmd/kst-capture/unwind/unwind.c"
#include "../../cmd/kst-capture/unwind/unwind_abi.c"
#include "../../cmd/kst-capture/unwind/unwind_cfi.c"
#include "../../cmd/kst-capture/unwind/unwind_elf.c"
#include "../../cmd/kst-capture/unwind/unwind_expr.c"
#include "../../cmd/kst-capture/unwind/unwind_fp.c"
#include "../../cmd/kst-capture/unwind/walk.c"
#include "../../cmd/kst-capture/unwind/walk_entry.c"
#include "../../cmd/kst-capture/unwind/walk_guess.c"
#include "../../cmd/kst-capture/unwind/x86_frame.c"
#include "../../cmd/kst-capture/unwind/x86_insn.c"

#include "unit.h"

enum { TEXT = 0x2000c0, TEXT_SIZE = 224, EH = 0x2001a0 };

static const uint8_t eh_frame[] = {0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x01, 0x7a, 0x52, 0x00, 0x01, 0x78, 0x01, 0x01, 0x1b, 0x0d, 0x03,
    0x07, 0x01, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x1c, 0x00, 0x00,
    0x00, 0x00, 0xff, 0xff, 0xff, 0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x7a, 0x52,
    0x00, 0x01, 0x78, 0x01, 0x01, 0x1b, 0x0d, 0x03, 0x00, 0x10, 0x00, 0x00,
    0x00, 0x18, 0x00, 0x00, 0x00, 0xf8, 0xfe, 0xff, 0xff, 0x18, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x24, 0x00, 0x00, 0x00, 0x2c, 0x00, 0x00,
    0x00, 0xfc, 0xfe, 0xff, 0xff, 0x78, 0x00, 0x00, 0x00, 0x00, 0x44, 0x0e,
    0x60, 0x44, 0x97, 0x02, 0x58, 0x98, 0x03, 0x81, 0x01, 0x64, 0x0a, 0xc1,
    0x44, 0xd8, 0x4c, 0xd7, 0x44, 0x0e, 0x00, 0x50, 0x0b, 0x18, 0x00, 0x00,
    0x00, 0x54, 0x00, 0x00, 0x00, 0x4c, 0xff, 0xff, 0xff, 0x30, 0x00, 0x00,
    0x00, 0x00, 0x44, 0x0e, 0x10, 0x48, 0x81, 0x01, 0x54, 0xc1, 0x4c, 0x0e,
    0x00};

/* The words of the stack that are not 0. */
static const uint64_t stack[][2] = {{0x2040a8, 0x204102}, {0x2040b0, 0x200240},
    {0x2040b8, 0x200130}, {0x204108, 0x204163}, {0x204110, 0x200240},
    {0x204118, 0x200130}, {0x204168, 0x2041c4}, {0x204170, 0x200240},
    {0x204178, 0x200130}, {0x2041c8, 0x204225}, {0x2041d0, 0x200240},
    {0x2041d8, 0x200130}, {0x204238, 0x200180}, {0x204248, 0x2000d4}};

static const uint64_t frames[] = {0x2000e8, 0x20016c, 0x200130, 0x200130,
    0x200130, 0x200130, 0x200180, 0x2000d4};

static int
read_stack(void *arg, uint64_t addr, uint64_t *word)
{
	(void)arg;
	if (addr < 0x204060 || addr >= 0x204250)
		return -1;
	*word = 0;
	for (size_t i = 0; i < sizeof stack / sizeof *stack; i++)
		if (stack[i][0] == addr)
			*word = stack[i][1];
	return 0;
}

static void
test_cfi(void)
{
	static struct unwind_stack st;
	struct unwinder *u = unwinder_new(UNWIND_LOONGARCH64);
	struct unwind_regs r = {.r = {[1] = 0x20016c,
				    [3] = 0x204060,
				    [4] = 1,
				    [23] = 0x200240,
				    [24] = 0x2040a1,
				    [32] = 0x2000e8}};

	CHECK(unwinder_add_frames(
		  u, TEXT, TEXT_SIZE, EH, eh_frame, sizeof eh_frame) != NULL);
	unwinder_run(u, &r, read_stack, NULL, &st);
	CHECK(st.n == sizeof frames / sizeof *frames);
	for (size_t i = 0; i < st.n; i++)
		CHECK(st.frame[i].pc == frames[i]);
	CHECK(st.end == UNWIND_ROOT);
	unwinder_free(u);
}

static void
put(uint8_t *p, const uint32_t *code, size_t n)
{
	for (size_t i = 0; i < 4 * n; i++)
		p[i] = (uint8_t)(code[i / 4] >> i % 4 * 8);
}

static void
test_frame_pointers(void)
{
	/* addi.d sp, sp, -16; st.d fp, sp, 8; …; addi.d fp, sp, 16 */
	static const uint32_t leaf[] = {0x02ffc063, 0x29c02076, 0x1a00000d,
	    0x02c801ad, 0x02c04076, 0x03400000};
	/* …; st.d fp, sp, 80; …; addi.d fp, sp, 96; st.d ra, sp, 88 */
	static const uint32_t nest[] = {0x02fe8063, 0x29c14076, 0x29c12077,
	    0x29c10078, 0x02c18076, 0x29c16061, 0x1a000017};
	/* …; stptr.d fp, sp, 0; st.d ra, sp, 8; addi.d fp, sp, 16 */
	static const uint32_t top[] = {
	    0x02ffc063, 0x27000076, 0x29c02061, 0x02c04076};
	uint8_t p[32];
	int64_t up;

	put(p, leaf, 6);
	CHECK(!loong_record(p, 16, &up));
	CHECK(loong_record(p, 20, &up) && up == -8);
	put(p, nest, 7);
	CHECK(!loong_record(p, 16, &up));
	CHECK(loong_record(p, 20, &up) && up == -16);
	CHECK(loong_record(p, 24, &up) && up == 0);
	put(p, top, 4);
	CHECK(!loong_record(p, 12, &up));
	CHECK(loong_record(p, 16, &up) && up == 0);
}

int
main(void)
{
	test_cfi();
	test_frame_pointers();
	return unit_end();
}
