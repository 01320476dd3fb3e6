/* SPDX-License-Identifier: ISC */
/*
 * gen_gdb MEGABYTES [STACKS [NAMES [SEED]]]: what gdb prints for
 * `thread apply all bt -frame-arguments presence -frame-info short-location`
 * on a Rust kernel of 4 CPUs, for a benchmark: of so many different stacks,
 * some 3.5 for a megabyte if STACKS is 0, of up to NAMES functions (3000). They
 * share their root side and come with unequal frequency.
 * gen_gdb --folded STACKS [NAMES]: that many different folded stacks, unsorted.
 */
#include "gen.h"

#include <stdbool.h>

enum { CPUS = 4, NAME = 400, DEPTH = 40 };

static unsigned n_symbols = 3000;

static const char *const words[] = {"sched", "mm", "vmspace", "page_table",
    "cursor", "frame", "fs", "ramfs", "dentry", "inode", "socket", "stream",
    "process", "signal", "futex", "task", "trap", "irq", "timer", "syscall",
    "read", "write", "mmap", "clone", "device", "ring", "virtqueue", "bus",
    "kernel", "cpu", "local", "queue", "lock", "mutex", "rwlock", "alloc"};
static const char *const types[] = {"SpinLock", "Mutex", "Arc", "Box", "Vec",
    "Option", "PageTable", "VmSpace", "Inode", "RunQueue", "WaitQueue"};

static void
add_generics(char *s, size_t size, int depth)
{
	size_t n = strlen(s);

	snprintf(s + n, size - n, "<%s::%s::%s", PICK(words), PICK(words),
	    PICK(types));
	if (depth < 2 && rnd(2))
		add_generics(s, size, depth + 1);
	n = strlen(s);
	snprintf(s + n, size - n, "%s>",
	    rnd(3) ? "" : ", (dyn core::ops::Fn<(), Output=()> + Send)");
}

static void
make_symbol(char *s, size_t size, unsigned i)
{
	size_t n;

	snprintf(s, size, "%s::%s::%s", PICK(words), PICK(words), PICK(words));
	n = strlen(s);
	if (rnd(3) == 0)
		snprintf(s + n, size - n, "::{impl#%u}", rnd(60));
	else if (rnd(2))
		add_generics(s, size, 0);
	n = strlen(s);
	snprintf(s + n, size - n, "::%s_%u", PICK(words), i);
	if (rnd(4) == 0)
		add_generics(s, size, 0);
	n = strlen(s);
	if (rnd(8) == 0)
		snprintf(s + n, size - n, "::{closure#%u}", rnd(3));
}

struct stack {
	int n;
	uint32_t frames[DEPTH]; /* root first */
};

/* A stack that takes over the root side of an earlier one. */
static void
make_stack(struct stack *all, size_t i, int lo)
{
	struct stack *s = &all[i];
	int want = lo + (int)rnd((uint32_t)(DEPTH - lo));

	if (i > 0 && rnd(30)) {
		*s = all[rnd((uint32_t)i)];
		s->n = s->n * (int)(20 + rnd(80)) / 100;
	}
	do
		s->frames[s->n++] = rnd(n_symbols);
	while (s->n < want);
}

static void
put_stack(const struct stack *s, char (*symbols)[NAME], const bool *plain)
{
	for (int i = 0; i < s->n; i++) {
		unsigned y = s->frames[s->n - 1 - i];

		if (plain[y] || i == 0)
			printf("#%-3d%s %s\n", i, symbols[y],
			    y % 5 < 3 ? "()" : "(...)");
		else
			printf("#%-3d0x%016llx in %s %s\n", i,
			    0xffffffff88000000ull + y * 2515ull +
				(unsigned)i * 13 % 256,
			    symbols[y], y % 5 < 3 ? "()" : "(...)");
	}
	putchar('\n');
}

static void
put_folded(const struct stack *s, char (*symbols)[NAME])
{
	for (int i = 0; i < s->n; i++)
		printf("%s%s", i ? ";" : "", symbols[s->frames[i]]);
	printf(" %u\n", 1 + rnd(rnd(20) ? 3 : 500));
}

/* Captures of all CPUs. */
static void
put_captures(long end, struct stack *stacks, size_t n, char (*symbols)[NAME],
    const bool *plain)
{
	for (long seq = 0; ftell(stdout) < end; seq++) {
		printf("0xffffffff88001234 in %s (self=0xffffffff88491200) at "
		       "src/sched/mod.rs:%ld\n%ld\t        let next = "
		       "self.pick();\n\n",
		    symbols[rnd(n_symbols)], seq % 900, seq % 900);
		for (unsigned c = CPUS; c-- > 0;) {
			printf("Thread %u (Thread 1.%u (CPU#%u [%s])):\n",
			    c + 1, c + 1, c, rnd(5) ? "running" : "halted ");
			put_stack(
			    &stacks[rnd(rnd((uint32_t)n) + 1)], symbols, plain);
		}
	}
}

int
main(int argc, char **argv)
{
	bool folded = argc > 1 && strcmp(argv[1], "--folded") == 0;
	double mb = argc > 1 && !folded ? atof(argv[1]) : 1;
	size_t n = argc > 2 ? (size_t)atol(argv[2]) : 0;
	char(*symbols)[NAME];
	struct stack *stacks;
	bool *plain;

	if (!folded && ftell(stdout) < 0) {
		fprintf(stderr, "%s: write to a file, not to a pipe\n", *argv);
		return 2;
	}
	if (argc > 3 && atol(argv[3]))
		n_symbols = (unsigned)atol(argv[3]);
	if (argc > 4)
		state += strtoull(argv[4], NULL, 10) * 0x9e3779b97f4a7c15u;
	n = n ? n : (size_t)(mb * 1e6 / 3000 / 100) + 20;
	stacks = calloc(n, sizeof *stacks);
	symbols = calloc(n_symbols, NAME);
	plain = calloc(n_symbols, sizeof *plain);
	if (stacks == NULL || symbols == NULL || plain == NULL)
		return 1;
	for (unsigned i = 0; i < n_symbols; i++) {
		make_symbol(symbols[i], NAME, i);
		plain[i] = rnd(100) < 45;
	}
	for (size_t i = 0; i < n; i++)
		make_stack(stacks, i, folded ? 20 : 15);
	for (size_t i = 0; folded && i < n; i++)
		put_folded(&stacks[i], symbols);
	if (!folded)
		put_captures((long)(mb * 1e6), stacks, n, symbols, plain);
	free(stacks);
	free(symbols);
	free(plain);
	return gen_end();
}
