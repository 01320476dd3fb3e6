/* SPDX-License-Identifier: ISC */
/*
 * One CPU of another architecture, on one stack for ever: start, top, five
 * times nest, leaf. The leaf has no frame.
 */
#define FRAME __attribute__((noipa))

unsigned long ticks;
unsigned char stack[16384] __attribute__((aligned(16)));

void top(void);
void start(void);

static FRAME void
leaf(unsigned long n)
{
	for (;;) {
		ticks += n;
		__asm__ volatile("" ::: "memory");
	}
}

static FRAME void
nest(unsigned long depth)
{
	unsigned char local[64];

	local[depth] = (unsigned char)ticks;
	__asm__ volatile("" : : "r"(local) : "memory");
	if (depth > 1)
		nest(depth - 1);
	else
		leaf(ticks | 1);
	ticks += local[depth];
}

FRAME void
top(void)
{
	nest(5);
	ticks++;
}

/* Its CFI says that nobody called it; its frame pointer is 0. */
#ifdef __aarch64__
__asm__(".section .text.unlikely, \"ax\"\n"
	".global start\n"
	".type start, %function\n"
	"start:\n"
	".cfi_startproc\n"
	".cfi_undefined x30\n"
	"	mov x29, #0\n"
	"	mov x30, #0\n"
	"	ldr x0, =stack + 16384\n"
	"	mov sp, x0\n"
	"	bl top\n"
	"1:	b 1b\n"
	".cfi_endproc\n"
	".size start, . - start\n"
	".text\n");
#else
__asm__(".section .text.unlikely, \"ax\"\n"
	".global start\n"
	".type start, %function\n"
	"start:\n"
	".cfi_startproc\n"
	".cfi_undefined ra\n"
	"	li s0, 0\n"
	"	li ra, 0\n"
	"	la sp, stack + 16384\n"
	"	call top\n"
	"1:	j 1b\n"
	".cfi_endproc\n"
	".size start, . - start\n"
	".text\n");
#endif
