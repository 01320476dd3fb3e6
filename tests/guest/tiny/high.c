/* SPDX-License-Identifier: ISC */
/*
 * A kernel of the upper half as multiboot or PVH starts it: linked at BASE
 * above where it is loaded, it runs early() at its physical address, without
 * page tables on i386, and late() where it is linked; then it powers off.
 *
 * With AWAY it is linked where it is loaded, runs early() there, copies itself
 * 16 MiB up, and runs late() from the upper half: AWAY above where it is
 * linked. There a program runs then, in the place of decompress().
 */

#define FRAME __attribute__((noipa))
/* A page is found elsewhere by itself: the innermost function has its own. */
#define PAGE __attribute__((aligned(4096)))

#ifndef EARLY_MS
#define EARLY_MS 300
#define LATE_MS 300
#endif

unsigned char stack[16384] __attribute__((aligned(4096)));

#ifdef AWAY
#define TEXT(x) #x
#define VALUE(x) TEXT(x)
#define BASE "0"
#define MOVE                                     \
	"	mov $start, %esi\n"               \
	"	lea 0x1000000(%rsi), %edi\n"      \
	"	mov $stack - start, %ecx\n"       \
	"	rep movsb\n"                      \
	"	mov $high + " VALUE(AWAY) ", %rax\n"
#else
#define MOVE "	mov $high, %rax\n"
#endif

#ifdef __x86_64__
#ifndef BASE
#define BASE "0xffffffff80000000"
#endif
/* Four levels: 1 GiB is where it is in memory, and at BASE, too. */
__asm__(".section .note.pvh, \"a\", @note\n"
	".long 4, 4, 18\n"
	".asciz \"Xen\"\n"
	".long start - " BASE "\n"
	".data\n"
	".balign 4096\n"
	"pml4:	.quad pdpt - " BASE " + 3\n"
	"	.fill 510, 8, 0\n"
	"	.quad pdpt - " BASE " + 3\n"
	"pdpt:	.quad pd - " BASE " + 3\n"
	"	.fill 509, 8, 0\n"
	"	.quad pd - " BASE " + 3\n"
	"	.quad 0\n"
	"pd:	.set page, 0x83\n"
	"	.rept 512\n"
	"	.quad page\n"
	"	.set page, page + 0x200000\n"
	"	.endr\n"
	"gdt:	.quad 0, 0x00af9b000000ffff\n"
	"gdtr:	.word 15\n"
	"	.long gdt - " BASE "\n"
	".text\n"
	".code32\n"
	".global start\n"
	".type start, @function\n"
	"start:	mov $pml4 - " BASE ", %eax\n"
	"	mov %eax, %cr3\n"
	"	mov $0x20, %eax\n"
	"	mov %eax, %cr4\n"
	"	mov $0xc0000080, %ecx\n"
	"	rdmsr\n"
	"	or $0x100, %eax\n"
	"	wrmsr\n"
	"	mov %cr0, %eax\n"
	"	or $0x80000000, %eax\n"
	"	mov %eax, %cr0\n"
	"	lgdt gdtr - " BASE "\n"
	"	ljmp $8, $low - " BASE "\n"
	".size start, . - start\n"
	".code64\n"
	".type low, @function\n"
	"low:\n"
	".cfi_startproc\n"
	".cfi_undefined rip\n"
	"	xor %eax, %eax\n"
	"	mov %eax, %ds\n"
	"	mov %eax, %es\n"
	"	mov %eax, %ss\n"
	"	xor %ebp, %ebp\n"
	"	mov $stack + 16384 - " BASE ", %esp\n"
	"	call early\n"
	MOVE
	"	jmp *%rax\n"
	".cfi_endproc\n"
	".size low, . - low\n"
	".type high, @function\n"
	"high:\n"
	".cfi_startproc\n"
	".cfi_undefined rip\n"
	"	mov $stack + 16384, %rsp\n"
	"	call late\n"
	"1:	jmp 1b\n"
	".cfi_endproc\n"
	".size high, . - high\n");
#else
#define BASE "0x80000000"
/* Pages of 4 MiB: the first is where it is in memory, and at BASE, too. */
__asm__(".data\n"
	".balign 4096\n"
	"dir:	.long 0x83\n"
	"	.fill 511, 4, 0\n"
	"	.long 0x83\n"
	"	.fill 511, 4, 0\n"
	".text\n"
	".balign 4\n"
	".long 0x1badb002, 0, -0x1badb002\n" /* multiboot */
	".global start\n"
	".type start, @function\n"
	"start:\n"
	".cfi_startproc\n"
	".cfi_undefined eip\n"
	"	xor %ebp, %ebp\n"
	"	mov $stack + 16384 - " BASE ", %esp\n"
	"	call early\n"
	"	mov $dir - " BASE ", %eax\n"
	"	mov %eax, %cr3\n"
	"	mov $0x10, %eax\n"
	"	mov %eax, %cr4\n"
	"	mov %cr0, %eax\n"
	"	or $0x80000000, %eax\n"
	"	mov %eax, %cr0\n"
	"	mov $high, %eax\n"
	"	jmp *%eax\n"
	".cfi_endproc\n"
	".size start, . - start\n"
	".type high, @function\n"
	"high:\n"
	".cfi_startproc\n"
	".cfi_undefined eip\n"
	"	mov $stack + 16384, %esp\n"
	"	call late\n"
	"1:	jmp 1b\n"
	".cfi_endproc\n"
	".size high, . - high\n");
#endif

static void
out(unsigned short port, unsigned char byte)
{
	__asm__ volatile("outb %0, %1" : : "a"(byte), "Nd"(port));
}

static unsigned
in(unsigned short port)
{
	unsigned char byte;

	__asm__ volatile("inb %1, %0" : "=a"(byte) : "Nd"(port));
	return byte;
}

/* The timer that a PC has always had counts down, at 1,193,182 Hz. */
static unsigned
now(void)
{
	unsigned low;

	out(0x43, 0);
	low = in(0x40);
	return low | in(0x40) << 8;
}

static FRAME PAGE void
pass(unsigned ms)
{
	unsigned was, is, left = ms * 1193;

	out(0x43, 0x34);
	out(0x40, 0);
	out(0x40, 0);
	for (was = now(); left > 0xffff; was = is) {
		for (int i = 0; i < 1000; i++)
			__asm__ volatile("" : : : "memory");
		is = now();
		left -= (was - is) & 0xffff;
	}
}

static FRAME PAGE void
decompress(void)
{
	pass(EARLY_MS);
	__asm__ volatile("");
}

FRAME void
early(void)
{
	decompress();
	__asm__ volatile("");
}

static FRAME void
probe_devices(void)
{
	pass(LATE_MS);
	__asm__ volatile("");
}

#ifdef AWAY
/* Code of which each piece is unlike the others. */
#define STEP(n)                                                           \
	static FRAME void step_##n(void)                                  \
	{                                                                 \
		__asm__ volatile("mov $0x5" #n "0000, %%ecx\n"            \
				 "mov $0x6" #n "0000, %%edx\n"            \
				 "lea 0x7" #n "00(%%rcx, %%rdx), %%ecx\n" \
				 "add $0x3" #n "00, %%edx\n"              \
				 :                                        \
				 :                                        \
				 : "ecx", "edx");                         \
	}
STEP(11) STEP(12) STEP(13) STEP(14) STEP(15) STEP(16) STEP(17) STEP(18)
STEP(19) STEP(21)

static FRAME void
take_steps(void)
{
	step_11(), step_12(), step_13(), step_14(), step_15();
	step_16(), step_17(), step_18(), step_19(), step_21();
	__asm__ volatile("");
}

__asm__(".data\n"
	"program:\n"
	"	mov $1000, %ecx\n"
	"1:	lea 0x12345678(%rdx, %rcx, 4), %rdx\n"
	"	xor $0x87654321, %edx\n"
	"	ror $5, %rdx\n"
	"	dec %ecx\n"
	"	jnz 1b\n"
	"	ret\n"
	".balign 64\n"
	".text\n");
extern char program[64];

static void (*volatile const place)(void) = decompress;

static FRAME void
run_program(void)
{
	for (int i = 0; i < 64; i++)
		((volatile char *)place)[i] = program[i];
	place();
	__asm__ volatile("");
}
#else
static void
take_steps(void)
{
}

static void
run_program(void)
{
}
#endif

/* ACPI: off. */
FRAME void
late(void)
{
	take_steps();
	probe_devices();
	run_program();
	__asm__ volatile(
	    "outw %0, %1"
	    :
	    : "a"((unsigned short)0x2000), "d"((unsigned short)0x604));
}
