/* SPDX-License-Identifier: ISC */
/*
 * A Cortex-M whose thread runs on a stack of its own, as those of FreeRTOS do,
 * and is interrupted for good by its timer.
 */
#define FRAME __attribute__((noipa))

typedef __UINT32_TYPE__ word;

#define SYSTICK ((volatile word *)0xe000e010)
enum { TICK = 1000, ON = 3, VECTORS = 16 };

static word main_stack[256], thread_stack[256];
static volatile word turns;

void start(void);
void thread(void);
void tick(void);
void leaf(void);

__attribute__((section(".text.unlikely"), used)) static const void *const
    vectors[VECTORS] = {[0] = main_stack + 256, [1] = start, [15] = tick};

__attribute__((used)) static word *const top = thread_stack + 256;

/* The process's stack is used from here on. */
__asm__(".thumb\n"
	".thumb_func\n"
	".global start\n"
	".type start, %function\n"
	"start:\n"
	"	ldr r0, =top\n"
	"	ldr r0, [r0]\n"
	"	msr psp, r0\n"
	"	movs r0, #2\n"
	"	msr control, r0\n"
	"	isb\n"
	"	bl thread\n"
	"1:	b 1b\n"
	".size start, . - start\n");

FRAME void
leaf(void)
{
	for (;;)
		turns++;
}

FRAME void
tick(void)
{
	leaf();
	turns++;
}

FRAME void
thread(void)
{
	SYSTICK[1] = TICK;
	SYSTICK[2] = 0;
	SYSTICK[0] = ON;
	for (;;)
		turns++;
}
