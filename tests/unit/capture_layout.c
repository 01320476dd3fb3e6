/* SPDX-License-Identifier: ISC */
#include "rsp/layout.h"

#include "base/buf.h"
#include "unit.h"
#include "base/xalloc.h"

/* The names of QEMU's target descriptions, pc last. */
static const char *const arm_names[] = {"x0", "x1", "x2", "x3", "x4", "x5",
    "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
    "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27",
    "x28", "x29", "x30", "sp", "pc"};
static const char *const riscv_names[] = {"zero", "ra", "sp", "gp", "tp", "t0",
    "t1", "t2", "fp", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7",
    "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6", "pc"};
static const char *const i386_names[] = {
    "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip"};
static const char *const loong_names[] = {"r0", "r1", "r2", "r3", "r4", "r5",
    "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "r16",
    "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27",
    "r28", "r29", "r30", "r31", "pc"};
/* In gdb's order, which is not DWARF's. */
static const char *const x86_names[] = {"rax", "rbx", "rcx", "rdx", "rsi",
    "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
    "rip"};

struct doc {
	const char *name, *text;
};

static char *
fetch(void *arg, const char *name)
{
	for (const struct doc *d = arg; d->name != NULL; d++)
		if (d->text != NULL && strcmp(d->name, name) == 0)
			return xstrdup(d->text);
	return NULL;
}

static const char *
regs(struct buf *b, const char *const *names, int n)
{
	b->len = 0;
	buf_adds(b, "<?xml version=\"1.0\"?><!-- <reg name=\"no\" -->\n"
		    "<feature name=\"core\">\n");
	for (int i = 0; i < n; i++)
		buf_printf(
		    b, "  <reg name=\"%s\" bitsize=\"64\"/>\n", names[i]);
	buf_adds(b, "</feature>");
	return buf_str(b);
}

static int
read_layout(struct layout *l, const char *arch, const char *core)
{
	struct buf b = BUF_INIT;
	struct doc docs[] = {{"target.xml", NULL}, {"core.xml", core}, {0}};
	const char *why;
	int status;

	buf_printf(&b,
	    "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\">"
	    "<target><architecture>%s</architecture>"
	    "<xi:include href=\"core.xml\"/></target>",
	    arch);
	docs[0].text = buf_str(&b);
	status = layout_read(l, fetch, docs, &why);
	buf_done(&b);
	return status;
}

static void
test_archs(void)
{
	struct buf b = BUF_INIT;
	struct layout l;
	struct unwind_regs r;
	struct paging at;
	uint8_t g[17 * 8] = {0};

	CHECK(read_layout(&l, "i386:x86-64", regs(&b, x86_names, 17)) == 0);
	CHECK(l.arch == UNWIND_X86_64);
	CHECK(l.offset[0] == 0 && l.offset[1] == 24 && l.offset[3] == 8);
	CHECK(l.offset[6] == 48 && l.offset[7] == 56 && l.offset[16] == 128);
	g[8] = 0x34;
	g[9] = 0x12;
	g[135] = 0xff;
	CHECK(layout_regs(&l, g, sizeof g, &r, &at) == 0);
	CHECK(r.r[3] == 0x1234 && r.r[16] == 0xff00000000000000);
	CHECK(layout_regs(&l, g, sizeof g - 1, &r, &at) == -1);
	CHECK(r.mode == UNWIND_MODE_UNKNOWN && l.mode == -1);
	CHECK(l.ask[ASK_PRIV] == -1);
	CHECK(read_layout(&l, "aarch64", regs(&b, arm_names, 33)) == 0);
	CHECK(l.arch == UNWIND_AARCH64 && l.offset[32] == 256);
	CHECK(read_layout(&l, "riscv:rv64", regs(&b, riscv_names, 33)) == 0);
	CHECK(l.arch == UNWIND_RISCV64 && l.offset[8] == 64);
	CHECK(read_layout(&l, "loongarch64", regs(&b, loong_names, 33)) == 0);
	CHECK(l.arch == UNWIND_LOONGARCH64 && l.offset[22] == 176);
	CHECK(read_layout(&l, "aarch64", regs(&b, arm_names, 32)) == -1);
	CHECK(read_layout(&l, "mips", regs(&b, arm_names, 33)) == -1);
	CHECK(read_layout(&l, "aarch64", NULL) == -1);
	buf_done(&b);
}

/* Registers numbered in the file, of other sizes, far too many. */
static void
test_numbers(void)
{
	struct buf b = BUF_INIT;
	struct layout l;

	buf_adds(&b, "<reg name=\"zero\" bitsize=\"64\" regnum=\"1\"/>"
		     "<reg name='pad' bitsize='32' regnum='0'/>");
	for (int i = 1; i < 33; i++)
		buf_printf(&b,
		    "<reg\n name='%s' type='x' regnum='%d' bitsize='64'/>",
		    riscv_names[i], i + 1);
	buf_adds(&b, "<reg name='far' bitsize='64' regnum='5000'/>");
	CHECK(read_layout(&l, "riscv:rv64", buf_str(&b)) == 0);
	CHECK(l.offset[0] == 4 && l.offset[32] == 4 + 32 * 8);
	buf_adds(&b, "<reg name='x' bitsize='-1'/>");
	CHECK(read_layout(&l, "riscv:rv64", buf_str(&b)) == -1);
	buf_done(&b);
}

static void
test_hostile(void)
{
	struct layout l;

	/* Includes itself; ends in the middle. */
	CHECK(read_layout(&l, "aarch64", "<xi:include href=\"core.xml\"/>") ==
	      -1);
	CHECK(read_layout(&l, "aarch64", "<!-- never closed") == -1);
	CHECK(read_layout(&l, "aarch64", "<reg name=\"x0") == -1);
	CHECK(read_layout(&l, "aarch64", "<reg name=\"x0>") == -1);
	CHECK(read_layout(&l, "aarch64", "<reg name=>") == -1);
	CHECK(read_layout(&l, "sparc", "") == -1);
}

/* The gdbstub crate names the architecture alone: gdb's order then. */
static void
test_bare(void)
{
	struct layout l;

	CHECK(read_layout(&l, "i386:x86-64", "") == 0);
	CHECK(l.offset[1] == 24 && l.offset[3] == 8 && l.offset[16] == 128);
	CHECK(read_layout(&l, "aarch64", "") == 0);
	CHECK(l.offset[0] == 0 && l.offset[32] == 256);
}

/* QEMU's i386-32bit.xml, of 32-bit registers with the flags between them. */
static void
test_i386(void)
{
	struct buf b = BUF_INIT;
	struct unwind_regs r;
	struct paging at;
	struct layout l;
	uint8_t g[12 * 4] = {0};

	for (int i = 0; i < 9; i++)
		buf_printf(
		    &b, "<reg name=\"%s\" bitsize=\"32\"/>\n", i386_names[i]);
	buf_adds(&b, "<reg name=\"eflags\" bitsize=\"32\"/>"
		     "<reg name=\"cs\" bitsize=\"32\" type=\"int32\"/>"
		     "<reg name=\"cr3\" bitsize=\"32\"/>");
	CHECK(read_layout(&l, "i386", buf_str(&b)) == 0);
	CHECK(l.arch == UNWIND_I386 && l.offset[8] == 32 && l.mode == 40);
	g[19] = 0xc0;
	g[40] = 0x73;
	g[45] = 0x50;
	CHECK(layout_regs(&l, g, sizeof g, &r, &at) == 0);
	CHECK(r.r[4] == 0xc0000000 && r.r[5] == 0);
	CHECK(r.mode == UNWIND_MODE_USER);
	CHECK(at.seen == (1 << PAGING_LOW | 1 << PAGING_STATUS));
	CHECK(at.reg[PAGING_LOW] == 0x5000);
	CHECK(layout_regs(&l, g, 44, &r, &at) == 0);
	CHECK(at.seen == 1 << PAGING_STATUS);
	CHECK(layout_regs(&l, g, 35, &r, &at) == -1);
	/* x32: a processor of 64 bits with another name. */
	CHECK(read_layout(&l, "i386:x64-32", regs(&b, x86_names, 17)) == -1);
	CHECK(read_layout(&l, "loongarch64", "") == -1);
	CHECK(read_layout(&l, "i386", "") == 0 && l.offset[8] == 32);
	CHECK(read_layout(&l, "riscv:rv32", "") == 0);
	CHECK(l.arch == UNWIND_RISCV32 && l.offset[32] == 128);
	CHECK(read_layout(&l, "arm", "") == 0 && l.offset[15] == 60);
	CHECK(read_layout(&l, "arm",
		  "<reg name='r0' bitsize='32'/><reg name='r1' bitsize='32'/>"
		  "<reg name='r2' bitsize='32'/><reg name='r3' bitsize='32'/>"
		  "<reg name='r4' bitsize='32'/><reg name='r5' bitsize='32'/>"
		  "<reg name='r6' bitsize='32'/><reg name='r7' bitsize='32'/>"
		  "<reg name='r8' bitsize='32'/><reg name='r9' bitsize='32'/>"
		  "<reg name='r10' bitsize='32'/><reg name='r11' bitsize='32'/>"
		  "<reg name='r12' bitsize='32'/><reg name='sp' bitsize='32'/>"
		  "<reg name='lr' bitsize='32'/><reg name='pc' bitsize='32'/>"
		  "<reg name='xpsr' bitsize='32' regnum='25'/>"
		  "<reg name='psp' bitsize='32' regnum='30'/>") == 0);
	CHECK(l.arch == UNWIND_ARM && l.mode == -1);
	CHECK(l.ask[ASK_THREAD_SP] == 30 && l.ask[ASK_PC] == -1);
	buf_done(&b);
}

/* Registers that tell the mode: one in the packet, the others asked for. */
static void
test_modes(void)
{
	static uint8_t g[36 * 8];
	struct buf b = BUF_INIT;
	static struct vcpu c;
	struct unwind_regs r;
	struct paging at;
	struct layout l;

	regs(&b, arm_names, 33);
	b.len -= strlen("</feature>");
	buf_adds(&b, "<reg name=\"cpsr\" bitsize=\"32\"/>"
		     "<reg name=\"ELR_EL1\" bitsize=\"64\" regnum=\"90\"/>"
		     "<reg name=\"SPSR_EL1\" bitsize=\"64\"/>"
		     "<reg name=\"FAR_EL1\" bitsize=\"64\" regnum=\"95\"/>"
		     "<reg name=\"TCR_EL1\" bitsize=\"64\"/></feature>");
	CHECK(read_layout(&l, "aarch64", buf_str(&b)) == 0);
	CHECK(l.mode == 33 * 8 && l.ask[ASK_PRIV] == -1);
	CHECK(l.ask[ASK_PC] == 90 && l.ask[ASK_STATUS] == 91);
	CHECK(l.ask[ASK_PAGING + PAGING_FORM] == 96);
	CHECK(l.spare[UNWIND_SPARE_FAULT] == 95);
	CHECK(l.spare[UNWIND_SPARE_THREAD] == -1);
	CHECK(l.ask[ASK_PAGING + PAGING_LOW] == -1);
	CHECK(layout_regs(&l, g, sizeof g, &r, &at) == 0);
	CHECK(r.mode == UNWIND_MODE_USER && !r.has_exception);
	g[l.mode] = 0xc5;
	CHECK(layout_regs(&l, g, sizeof g, &r, &at) == 0);
	CHECK(r.mode == UNWIND_MODE_KERNEL);
	layout_asked(ASK_PC, 0xc0de, &c);
	CHECK(!c.regs.has_exception);
	layout_asked(ASK_STATUS, 5, &c);
	CHECK(c.regs.has_exception && c.regs.exception_pc == 0xc0de);
	CHECK(c.regs.exception_status == 5);
	layout_asked(ASK_PRIV, 0, &c);
	CHECK(c.regs.mode == UNWIND_MODE_USER);
	layout_asked(ASK_PRIV, 1, &c);
	CHECK(c.regs.mode == UNWIND_MODE_KERNEL);
	layout_asked(ASK_PRIV, 3, &c);
	CHECK(c.regs.mode == UNWIND_MODE_FIRMWARE && c.firmware.seen == 0);
	layout_asked(ASK_MACHINE + MACHINE_ATP, 9, &c);
	CHECK(c.firmware.reg[MACHINE_ATP] == 9 &&
	      c.firmware.seen == 1 << MACHINE_ATP);
	/* A packet that is shorter than what was described. */
	CHECK(layout_regs(&l, g, 33 * 8, &r, &at) == 0);
	CHECK(r.mode == UNWIND_MODE_UNKNOWN);
	buf_done(&b);
}

int
main(void)
{
	test_archs();
	test_numbers();
	test_hostile();
	test_bare();
	test_i386();
	test_modes();
	return unit_end();
}
