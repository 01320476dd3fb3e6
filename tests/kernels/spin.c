/* SPDX-License-Identifier: ISC */
/*
 * The init of a guest whose page tables are looked at, for i386 and arm: says
 * that it is ready, and goes round in pages that hold addresses of each other.
 */

enum { PAGES = 256, PAGE = 4096, WRITE = 4 };

static const char ready[] = "ready\n";
static char *volatile pages[PAGES][PAGE / sizeof(char *)];

static void
say(void)
{
#if defined(__i386__)
	long n = WRITE;

	__asm__ volatile("int $0x80"
			 : "+a"(n)
			 : "b"(1), "c"(ready), "d"(sizeof ready - 1)
			 : "memory");
#else
	register long r7 __asm__("r7") = WRITE;
	register long r0 __asm__("r0") = 1;
	register const char *r1 __asm__("r1") = ready;
	register long r2 __asm__("r2") = sizeof ready - 1;

	__asm__ volatile("svc 0"
			 : "+r"(r0)
			 : "r"(r7), "r"(r1), "r"(r2)
			 : "memory");
#endif
}

void _start(void);

void
_start(void)
{
	for (unsigned i = 0; i < PAGES; i++)
		for (unsigned k = 0; k < PAGE / sizeof(char *); k += 8)
			pages[i][k] = (char *)&pages[(i + k) % PAGES][k];
	say();
	for (;;)
		for (unsigned i = 0; i < PAGES; i++)
			pages[i][1] = pages[i][0];
}
