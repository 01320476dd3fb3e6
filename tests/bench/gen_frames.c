/* SPDX-License-Identifier: ISC */
/*
 * gen_frames KIND MEGABYTES: for a benchmark, gdb's text where little repeats.
 *
 *	args	3,000 names, the arguments all different
 *	names	names all different, a third with generics
 *	locals	the text of `bt full`: few frames, locals below each
 *	nested	long names of `operator<`, and of ` (x)`
 *	long	names of 3.3 kB, generics in generics
 *	mangled	names of C++ and Rust as linkers have them, all different
 *	deep	folded stacks, 9,500 deep, that begin as the one before them
 *	rules N	a rule file of N patterns for such names, no text
 */
#include "gen.h"

static const char *const words[] = {"sched", "vmspace", "page_table", "cursor",
    "ramfs", "dentry", "inode", "socket", "process", "signal", "futex", "timer",
    "virtqueue", "device", "queue", "rwlock", "alloc", "RunQueue", "WaitQueue"};

static const char *
word(void)
{
	return PICK(words);
}

/* A third with generics, a fifth with an impl or a closure. */
static void
put_name(uint32_t n)
{
	uint32_t with = rnd(15);

	printf("%s::%s", word(), word());
	if (with < 5)
		printf(
		    "<%s::%s<%s, (dyn core::ops::Fn<(), Output=()> + Send)>>",
		    word(), word(), word());
	if (with > 11)
		printf("::{impl#%u}", rnd(60));
	printf("::%s_%u", word(), n);
}

static void
put_frame(const char *kind, unsigned depth, uint32_t serial)
{
	uint32_t n = strcmp(kind, "names") ? rnd(3000) : serial;
	uint64_t keep = state;

	printf("#%-3u0x%016x in ", depth, 0x88000000u + n * 16);
	if (strcmp(kind, "names") != 0)
		state = n * 0x9e3779b97f4a7c15u + 1; /* n always the same */
	put_name(n);
	if (strcmp(kind, "names") != 0)
		state = keep;
	if (strcmp(kind, "args") == 0)
		printf(" (self=0x%08x, len=%u, mode=%s::%s) at src/%s.rs:%u\n",
		    rnd(1u << 31), serial, word(), word(), word(), rnd(900));
	else
		printf(" (...)\n");
	for (uint32_t i = strcmp(kind, "locals") ? 0 : 6; i > 0; i--)
		if (rnd(2))
			printf("        %s = %u\n", word(), rnd(1000));
		else
			printf("        %s = {next = 0x%08x, len = %u}\n",
			    word(), rnd(1u << 31), rnd(100000));
}

static void
put_nested(uint32_t serial)
{
	const char *part = serial % 2 ? " (x)" : "operator<";

	printf("#0  f%u", serial);
	for (int i = 0; i < 300; i++)
		printf("%s", part);
	printf(" (...)\n");
}

static void
put_deep(uint32_t serial)
{
	enum { DEPTH = 9500 };
	static uint32_t frames[DEPTH];
	uint64_t keep;

	for (uint32_t i = serial ? rnd(DEPTH) : 0; i < DEPTH; i++)
		frames[i] = rnd(3000);
	keep = state;
	for (uint32_t i = 0; i < DEPTH; i++) {
		if (i)
			putchar(';');
		state = frames[i] * 0x9e3779b97f4a7c15u + 1;
		printf("%s::%s::%s_%u", word(), word(), word(), frames[i]);
	}
	state = keep;
	printf(" %u\n", 1 + rnd(9));
}

static void
put_type(unsigned depth)
{
	printf("%s::%s", word(), word());
	for (unsigned i = 0, n = depth ? 1 + rnd(3) : 0; i < n; i++) {
		printf(i ? ", " : "<");
		put_type(depth - 1);
		if (i + 1 == n)
			putchar('>');
	}
}

static void
put_long(uint32_t serial)
{
	long begin = ftell(stdout);

	printf("#%-3u%s<", serial % 20, word());
	while (ftell(stdout) - begin < 3300) {
		put_type(4);
		printf(", ");
	}
	printf("u8>::f%u (...)\n", serial);
}

static void
put_mangled(uint32_t serial)
{
	const char *a = word(), *b = word();
	char f[20];
	int n = sprintf(f, "f%u", serial);

	printf("#%-3u0x%016x in _ZN%zu%s%zu%s", serial % 20,
	    0x88000000u + serial * 16, strlen(a), a, strlen(b), b);
	if (serial % 3 == 0)
		printf("%d%sEv", n, f);
	else if (serial % 3 == 1)
		printf("I5queueNS_5inputEE%d%sERKS1_PKc", n, f);
	else
		printf("%d%s17h%08x%08xE", n, f, rnd(1u << 31), serial);
	printf(" ()\n");
}

static void
put_rules(unsigned n)
{
	while (n-- > 0)
		printf("rename ^%s::%s::\\w+_%u$ merged_%u\n", word(), word(),
		    rnd(1u << 30), n);
}

int
main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	if (ftell(stdout) < 0) {
		fprintf(stderr, "%s: write to a file, not to a pipe\n", *argv);
		return 2;
	}
	if (strcmp(kind, "rules") == 0)
		put_rules((unsigned)n);
	else
		for (uint32_t i = 0; ftell(stdout) < (long)(n * 1000000); i++)
			if (strcmp(kind, "nested") == 0)
				put_nested(i);
			else if (strcmp(kind, "long") == 0)
				put_long(i);
			else if (strcmp(kind, "mangled") == 0)
				put_mangled(i);
			else if (strcmp(kind, "deep") == 0)
				put_deep(i);
			else
				put_frame(kind, i % 20, i);
	return gen_end();
}
