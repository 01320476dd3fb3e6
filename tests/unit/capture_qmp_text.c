/* SPDX-License-Identifier: ISC */
#include "qmp/qmp_text.h"
#include "memory/memory.h"
#include "guest/vcpu.h"

#include "unit.h"

/* As QEMU 7.2 prints them, shortened. */
static const char x86_text[] =
    "\r\nCPU#0\r\n"
    "RAX=00000000000000aa RBX=0000000000000001 RCX=0000000000000002 "
    "RDX=0000000000000003\r\n"
    "RSI=0000000000000004 RDI=0000000000000005 RBP=0000000000000006 "
    "RSP=ffffffff80211f60\r\n"
    "R8 =0000000000000008 R9 =0000000000000009 R10=000000000000000a "
    "R11=000000000000000b\r\n"
    "R12=000000000000000c R13=000000000000000d R14=000000000000000e "
    "R15=000000000000000f\r\n"
    "RIP=ffffffff80200510 RFL=00000202 [-------] CPL=0 II=0 A20=1 SMM=0 "
    "HLT=0\r\n"
    "ES =0010 0000000000000000 ffffffff 00cf9300 DPL=0 DS   [-WA]\r\n"
    "CS =0033 0000000000000000 ffffffff 00affb00 DPL=3 CS64 [-RA]\r\n"
    "GDT=     0000000000100000 0000001f\r\nCR0=80010033 "
    "CR2=0000000000000000\r\n"
    "XMM00=0000000000000000 0000000000000000\r\n"
    "\r\nCPU#1\r\n"
    "EAX=00000000 EBX=00000000 ECX=00000000 EDX=00060fb1\r\n"
    "ESI=00000000 EDI=00000000 EBP=00000000 ESP=00001000\r\n"
    "EIP=0000fff0 EFL=00000002 [-------] CPL=0 II=0 A20=1 SMM=0 HLT=1\r\n";

static const char arm_text[] =
    "\r\nCPU#0\r\n"
    " PC=00000000402000d8 X00=0000000000000001 X01=0000000000000000\r\n"
    "X02=0000000000000002 X29=00000000402040b0 X30=0000000040200144  "
    "SP=00000000402040c0\r\n"
    "PSTATE=400003c5 -Z-- EL1h    FPU disabled\r\n";

static const char riscv_text[] =
    "\r\nCPU#0\r\n pc       000000008000001a\r\n mhartid  0000000000000000\r\n"
    " mstatus  0000000a00000000\r\n"
    " x0/zero  0000000000000000 x1/ra    000000008000006c "
    "x2/sp    0000000080003ee0 x3/gp    0000000000000000\r\n"
    " x8/s0    0000000000000001\r\n"
    " f0/ft0   0000000000000007 f1/ft1   0000000000000000\r\n";

static const char riscv32_text[] =
    "\r\nCPU#0\r\n pc       8000001a\r\n mstatus  00001880\r\n"
    " x0/zero  00000000 x1/ra    8000006c x2/sp    80003ee0 x3/gp    "
    "00000000\r\n x8/s0    80003f00\r\n f0/ft0   0000000000000007\r\n";

static const char arm32_text[] =
    "\r\nCPU#0\r\nR00=00000004 R01=40206660 R02=00000000 R03=00000000\r\n"
    "R12=00000001 R13=40204240 R14=4020016c R15=402000e8\r\n"
    "PSR=200001d3 --C- A S svc32\r\ns00=00000000 s01=00000000 "
    "d00=0000000000000000\r\n";

static const char loong_text[] =
    "\r\nCPU#0\r\n PC=00000000002000e8  FCSR0 0x00000000  fp_status 0x00\r\n"
    "GPR00: r0 0000000000000000 r1 000000000020016c r2 0000000000000000 "
    "r3 0000000000204060\r\n"
    "GPR20: r20 0000000000000000 r21 0000000000000000 r22 0000000000204250 "
    "r23 0000000000200240\r\n"
    "EUEN=0000000000000000\r\nCRMD=0000000000000008\r\n";

static void
test_registers(void)
{
	struct vcpu c[3];

	memset(c, 0, sizeof c);
	c[2].ok = true;
	qmp_registers(x86_text, UNWIND_X86_64, c, 3);
	CHECK(c[0].ok && c[1].ok && !c[2].ok);
	CHECK(c[0].regs.r[0] == 0xaa && c[0].regs.r[1] == 3);
	CHECK(c[0].regs.r[3] == 1 && c[0].regs.r[6] == 6);
	CHECK(c[0].regs.r[7] == 0xffffffff80211f60 && c[0].regs.r[8] == 8);
	CHECK(c[0].regs.r[15] == 15 && c[0].regs.r[16] == 0xffffffff80200510);
	CHECK(strcmp(c[0].extra, "CPU#0 [running]") == 0);
	CHECK(c[0].regs.mode == UNWIND_MODE_USER);
	CHECK(c[1].regs.mode == UNWIND_MODE_UNKNOWN);
	CHECK(c[1].regs.r[16] == 0xfff0 && c[1].regs.r[7] == 0x1000);
	CHECK(strcmp(c[1].extra, "CPU#1 [halted ]") == 0);
	qmp_registers(arm_text, UNWIND_AARCH64, c, 1);
	CHECK(c[0].ok && c[0].regs.r[32] == 0x402000d8);
	CHECK(c[0].regs.r[31] == 0x402040c0 && c[0].regs.r[30] == 0x40200144);
	CHECK(c[0].regs.r[2] == 2 && c[0].regs.r[29] == 0x402040b0);
	CHECK(c[0].regs.mode == UNWIND_MODE_KERNEL);
	qmp_registers(x86_text, UNWIND_I386, c, 2);
	CHECK(c[1].ok && c[1].regs.r[4] == 0x1000 && c[1].regs.r[2] == 0x60fb1);
	CHECK(c[1].regs.r[8] == 0xfff0 && !c[0].ok);
	qmp_registers(loong_text, UNWIND_LOONGARCH64, c, 1);
	CHECK(c[0].ok && c[0].regs.r[32] == 0x2000e8);
	CHECK(c[0].regs.r[1] == 0x20016c && c[0].regs.r[3] == 0x204060);
	CHECK(c[0].regs.r[22] == 0x204250);
	CHECK(c[0].regs.mode == UNWIND_MODE_KERNEL);
	qmp_registers(riscv_text, UNWIND_RISCV64, c, 1);
	CHECK(c[0].ok && c[0].regs.r[32] == 0x8000001a);
	CHECK(c[0].regs.r[1] == 0x8000006c && c[0].regs.r[2] == 0x80003ee0);
	CHECK(c[0].regs.r[8] == 1 && !c[0].regs.has_exception);
	CHECK(c[0].firmware.seen == 1 << MACHINE_STATUS);
	CHECK(c[0].firmware.reg[MACHINE_STATUS] == 0xa00000000);
	qmp_registers(riscv32_text, UNWIND_RISCV32, c, 1);
	CHECK(c[0].ok && c[0].regs.r[32] == 0x8000001a);
	CHECK(c[0].regs.r[2] == 0x80003ee0 && c[0].regs.r[8] == 0x80003f00);
	qmp_registers(arm32_text, UNWIND_ARM, c, 1);
	CHECK(c[0].ok && c[0].regs.r[15] == 0x402000e8 && c[0].regs.r[0] == 4);
	CHECK(c[0].regs.r[13] == 0x40204240 && c[0].regs.r[14] == 0x4020016c);
	CHECK(c[0].regs.r[12] == 1 && c[0].regs.mode == UNWIND_MODE_KERNEL);
}

static void
test_damage(void)
{
	static const char *const bad[] = {"", "CPU#", "CPU#0", "CPU#99999999",
	    "CPU#0\r\nRIP=", "CPU#0 RIP=xyz RSP=12",
	    "CPU#0 RIP=ffffffff802005100 RSP=1234",
	    "=CPU#0= = ==", "CPU#0 RIP"};
	struct vcpu c[1];

	memset(c, 0, sizeof c);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		qmp_registers(bad[i], UNWIND_X86_64, c, 1);
		CHECK(!c[0].ok);
	}
	/* Every cut of a good one. */
	for (size_t n = 0; n < sizeof x86_text; n++) {
		char text[sizeof x86_text];

		memcpy(text, x86_text, n);
		text[n] = 0;
		qmp_registers(text, UNWIND_X86_64, c, 1);
	}
	CHECK(c[0].ok);
}

static void
test_memory(void)
{
	struct snap s = {0};
	uint8_t b[4];
	uint64_t w;

	qmp_memory("0000000000000100: 0x0000000000000001 0x8899aabbccddeeff\r\n"
		   "0000000000000110: 0x0000000000000003\r\n",
	    0x100, 24, &s);
	CHECK(snap_word(&s, 0x100, 8, &w) == 0 && w == 1);
	CHECK(snap_word(&s, 0x108, 8, &w) == 0 && w == 0x8899aabbccddeeff);
	CHECK(snap_word(&s, 0x110, 8, &w) == 0 && w == 3);
	CHECK(snap_word(&s, 0x118, 8, &w) == -1);
	snap_clear(&s);
	qmp_memory("00000000fffffff0: 0x2f3630f000e05bea 0x00fc0039392f3332\r\n"
		   "0000000100000000: Cannot access memory\r\n",
	    0xfffffff0, 64, &s);
	CHECK(snap_word(&s, 0xfffffff8, 8, &w) == 0);
	CHECK(snap_word(&s, 0x100000000, 8, &w) == -1);
	snap_clear(&s);
	qmp_memory("0000000000000100: 0x1122334455667788\r\n", 0x100, 3, &s);
	CHECK(snap_bytes(&s, 0x100, b, 3) == 0);
	CHECK(b[0] == 0x88 && b[1] == 0x77 && b[2] == 0x66);
	CHECK(snap_bytes(&s, 0x100, b, 4) == -1);
	snap_clear(&s);
	qmp_memory("0: 0x12 0x0000000000000001", 0, 16, &s);
	qmp_memory("ffffff7fffffe000: Cannot access memory\r\n", 0, 16, &s);
	CHECK(s.n == 0);
	snap_done(&s);
}

int
main(void)
{
	test_registers();
	test_damage();
	test_memory();
	return unit_end();
}
