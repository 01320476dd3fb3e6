/* SPDX-License-Identifier: ISC */
/*
 * Linux' processes in a memory that is made here: a kernel's file with BTF and
 * symbols, two CPUs, a process and its mappings in a maple tree of three
 * levels.
 */
#include "linux/tasks.h"

#include "base/num.h"
#include "capture_types.h"

#define KERNEL UINT64_C(0xffffffff81000000)
#define SLIDE UINT64_C(0x200000)
enum { MEMORY = 32 << 10 };
#include "capture_memory.h"

enum { PER_CPU = 0x400, CURRENT = 0x180, HOT = 0x500 };

static void
put_word(uint64_t at, uint64_t v)
{
	put(at, v, 8);
}

/* Its file: `current` is the CPU's variable, a symbol's name. */
static struct elfsym *
make_kernel(const char *current, uint64_t value, struct buf *btf)
{
	const struct variable v[] = {
	    {"__per_cpu_offset", KERNEL + PER_CPU, 0}, {current, value, 0}};

	return kernel_file(EM_X86_64, KERNEL, btf, v, 2);
}

/* The guest's memory: where each thing is. */
enum {
	TASK_0 = 0x1000,
	TASK_1 = MEMORY - COMM - 16, /* all of it is read */
	PROCESS = 0x2000,	     /* mm_struct */
	TOP = 0x2100,		     /* nodes */
	MIDDLE = 0x2200,
	LEAF = 0x2300,
	OTHER = 0x2400,
	VMA = 0x2500, /* each with 0x80 bytes */
	FILE_OF = 0x2800,
	DENTRIES = 0x2900, /* each with 0x40 bytes, */
	NAMES = 0x2b00	   /* and its name, also with 0x40 */
};
enum { LEAF_64 = 1 << 3, RANGE_64 = 2 << 3, ARANGE_64 = 3 << 3 };

static void
add_task(uint64_t at, uint64_t mm, uint32_t pid, const char *comm)
{
	put_word(at + EXECS, 3 | UINT64_C(0xef) << 32);
	put_word(at + TGID, pid | UINT64_C(0xabcd) << 32);
	put_word(at + MM, mm);
	memcpy(memory + at + COMM, comm, strlen(comm));
}

static void
add_vma(unsigned i, uint64_t start, uint64_t end, uint64_t file)
{
	put_word(VMA + 0x80 * i + START, start);
	put_word(VMA + 0x80 * i + END, end);
	put_word(VMA + 0x80 * i + FILE_AT, file);
}

/* A part of a path; the root is its own parent. */
static void
add_dentry(unsigned i, unsigned parent, const char *name)
{
	put_word(DENTRIES + 0x40 * i + PARENT, place(DENTRIES + 0x40 * parent));
	put_word(DENTRIES + 0x40 * i + NAME_AT, place(NAMES + 0x40 * i));
	memset(memory + NAMES + 0x40 * i, 0, 0x40);
	memcpy(memory + NAMES + 0x40 * i, name, strlen(name));
}

/*
 * Mappings at 0x1000 to 0x2fff, 0x5000 to 0x5fff (no file), 0x8000 to 0x8fff,
 * and 0x40000; a pivot is the last address of its slot.
 */
static void
add_tree(void)
{
	put_word(PROCESS + ROOT, place(TOP) | ARANGE_64 | 2);
	put_word(TOP + PIVOTS, 0xffff);
	put_word(TOP + PIVOTS + 8, 0x4ffff);
	put_word(TOP + A_SLOTS, place(MIDDLE) | RANGE_64 | 4);
	put_word(TOP + A_SLOTS + 8, place(OTHER) | LEAF_64 | 4);
	put_word(MIDDLE + PIVOTS, 0x9fff);
	put_word(MIDDLE + SLOTS, place(LEAF) | LEAF_64 | 4);
	put_word(LEAF + PIVOTS, 0xfff);
	put_word(LEAF + PIVOTS + 8, 0x2fff);
	put_word(LEAF + PIVOTS + 16, 0x4fff);
	put_word(LEAF + PIVOTS + 24, 0x5fff);
	put_word(LEAF + PIVOTS + 32, 0x7fff);
	put_word(LEAF + SLOTS + 8, place(VMA));
	put_word(LEAF + SLOTS + 16, KERNEL + 0xff); /* what cannot be read */
	put_word(LEAF + SLOTS + 24, place(VMA + 0x80));
	put_word(LEAF + SLOTS + 40, place(VMA + 0x100));
	/* all pivots are in use: the last slot has none */
	for (unsigned i = 0; i < 15; i++)
		put_word(OTHER + PIVOTS + 8 * i, 0x10000 + i);
	put_word(OTHER + SLOTS, 1);
	put_word(OTHER + SLOTS + 15 * 8, place(VMA + 0x180));
	add_vma(0, 0x1000, 0x3000, place(FILE_OF));
	add_vma(1, 0x5000, 0x6000, 0);
	add_vma(2, 0x8000, 0x9000, place(FILE_OF + 0x40));
	add_vma(3, 0x40000, 0x50000, place(FILE_OF));
	put_word(FILE_OF + DENTRY, place(DENTRIES + 3 * 0x40));
	put_word(FILE_OF + 0x40 + DENTRY, place(DENTRIES + 4 * 0x40));
	add_dentry(0, 0, "/");
	add_dentry(1, 0, "usr");
	add_dentry(2, 1, "lib");
	add_dentry(3, 2, "libc.so.6");
	add_dentry(4, 0, "..");
}

static void
make_memory(void)
{
	memset(memory, 0, sizeof memory);
	put_word(PER_CPU, place(0x600));
	put_word(PER_CPU + 8, place(0x700));
	put_word(0x600 + CURRENT, place(TASK_0));
	put_word(0x700 + CURRENT, place(TASK_1));
	add_task(TASK_0, place(PROCESS), 77, "sixteen bytes it");
	add_task(TASK_1, 0, 2, "kthreadd");
	add_tree();
}

/* Mappings by address: where they begin and their path; 0: none. */
#define MAPS(addr, from, name)                                            \
	do {                                                              \
		const struct mapping *m = tasks_mapping(t, &c, addr);     \
		CHECK((m == NULL) == ((from) == 0));                      \
		CHECK(m == NULL || m->start == (from));                   \
		CHECK(m == NULL || m->path || strcmp(name, "none") == 0); \
		CHECK(m == NULL || !m->path || !strcmp(m->path, name));   \
	} while (0)

static void
test_mappings(struct tasks *t)
{
	struct vcpu c = {0};
	unsigned before;

	CHECK(tasks_enter(t, 0, &c, &reader));
	CHECK(c.runs.pid == 77 && c.runs.mm == place(PROCESS));
	CHECK_TEXT(c.runs.comm, strlen(c.runs.comm), "sixteen bytes i");
	MAPS(0x1000, 0x1000, "/usr/lib/libc.so.6");
	before = reads;
	MAPS(0x2fff, 0x1000, "/usr/lib/libc.so.6");
	CHECK(reads == before);
	MAPS(0x5fff, 0x5000, "none");
	MAPS(0x8000, 0x8000, "none"); /* no path leads up by .. */
	MAPS(0x4ffff, 0x40000, "/usr/lib/libc.so.6");
	MAPS(0xfff, 0, "");
	MAPS(0x3000, 0, "");
	MAPS(0x7fff, 0, "");
	MAPS(0x9000, 0, ""); /* in its slot, and after it */
	MAPS(0xa000, 0, ""); /* a slot after the last one in use */
	MAPS(0x50000, 0, "");
	/* the same pages of another process, and after an exec */
	put_word(TASK_0 + EXECS, 4);
	put_word(PROCESS + ROOT, 0);
	CHECK(tasks_enter(t, 0, &c, &reader));
	MAPS(0x1000, 0, "");
	put_word(TASK_0 + EXECS, 3);
	CHECK(tasks_enter(t, 0, &c, &reader));
	MAPS(0x1000, 0x1000, "/usr/lib/libc.so.6");
	put_word(TASK_0 + TGID, 78);
	CHECK(tasks_enter(t, 0, &c, &reader) && c.runs.pid == 78);
	MAPS(0x1000, 0, "");
	put_word(TASK_0 + TGID, 77);
	put_word(TASK_0 + MM, place(PROCESS + 8));
	CHECK(tasks_enter(t, 0, &c, &reader) && c.runs.pid == 77);
	MAPS(0x1000, 0, "");
	/* a thread of the kernel, and CPUs that are not there */
	CHECK(!tasks_enter(t, 1, &c, &reader) && c.runs.pid == 2 &&
	      c.runs.mm == 0);
	CHECK(strncmp(c.runs.comm, "kthreadd", 8) == 0);
	MAPS(0x1000, 0, "");
	c.runs.mm = 1;
	CHECK(!tasks_enter(t, 2, &c, &reader) && c.runs.mm == 0);
	c.runs.mm = 1;
	CHECK(!tasks_enter(t, 1 << 12, &c, &reader) && c.runs.mm == 0);
}

/* Threads that are not on a CPU, by their tasks. */
static void
test_threads(struct tasks *t)
{
	struct vcpu c = {0};
	uint64_t tables;

	make_memory();
	put_word(PROCESS + PGD, 0x123456000);
	CHECK(tasks_thread(t, place(TASK_0), &c, &reader, &tables));
	CHECK(c.runs.pid == 77 && c.runs.mm == place(PROCESS) &&
	      tables == 0x123456000);
	MAPS(0x1000, 0x1000, "/usr/lib/libc.so.6");
	CHECK(!tasks_thread(t, place(TASK_1), &c, &reader, &tables));
	CHECK(c.runs.pid == 2 && c.runs.mm == 0);
	CHECK(!tasks_thread(t, KERNEL, &c, &reader, &tables));
	put_word(TASK_0 + MM, KERNEL);
	CHECK(!tasks_thread(t, place(TASK_0), &c, &reader, &tables));
}

/* One that is entered newly, in a memory that is damaged by a word. */
static const struct mapping *
look(struct elfsym *kernel, uint64_t at, uint64_t v, uint64_t addr)
{
	static struct tasks *t;
	struct vcpu c = {0};
	const char *why;

	tasks_free(t);
	make_memory();
	put_word(at, v);
	t = tasks_new(kernel, &why);
	CHECK(t != NULL);
	return tasks_enter(t, 0, &c, &reader) ? tasks_mapping(t, &c, addr)
					      : NULL;
}

static void
test_damage(struct elfsym *k)
{
	const uint64_t root = place(TOP) | ARANGE_64, none = KERNEL;
	const struct mapping *m;
	const struct {
		uint64_t at, v;
	} lost[] = {{PER_CPU, none}, {0x600 + CURRENT, none},
	    {PROCESS + ROOT, root}, {PROCESS + ROOT, root | 3},
	    {PROCESS + ROOT, none | ARANGE_64 | 2},
	    {PROCESS + ROOT, place(TOP) | 2}, /* a node of another kind */
	    {PROCESS + ROOT, place(TOP) | 4 << 3 | 2},
	    {TOP + A_SLOTS, place(TOP) | ARANGE_64}, /* a ring */
	    {LEAF + SLOTS + 8, 0}, {LEAF + SLOTS + 8, none},
	    {VMA + END, 0x1800}, {VMA + START, 0x1801}};

	m = look(k, 0, 0, 0x1800);
	CHECK(m && m->path && m->end == 0x3000 && m->start == 0x1000);
	for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
		m = look(k, lost[i].at, lost[i].v, 0x1800);
		if (m != NULL)
			printf("damage %zu\n", i);
		CHECK(m == NULL);
	}
	m = look(k, FILE_OF + DENTRY, none, 0x1800);
	CHECK(m && m->path == NULL);
	m = look(k, VMA + FILE_AT, none, 0x1800);
	CHECK(m && m->path == NULL);
	/* from where it can be read; a ring of folders ends */
	m = look(k, DENTRIES + 0x40 + NAME_AT, none, 0x1800);
	CHECK(m && m->path && strcmp(m->path, "/lib/libc.so.6") == 0);
	m = look(k, NAMES + 0x40 + 1, '/', 0x1800);
	CHECK(m && m->path && strcmp(m->path, "/lib/libc.so.6") == 0);
	m = look(k, DENTRIES + 0x40 + NAME_AT, place(MEMORY - 63), 0x1800);
	CHECK(m && m->path && strcmp(m->path, "//lib/libc.so.6") == 0);
	m = look(k, DENTRIES + 0x40 + NAME_AT, place(MEMORY - 62), 0x1800);
	CHECK(m && m->path && strcmp(m->path, "/lib/libc.so.6") == 0);
	m = look(k, DENTRIES + 0x40 + PARENT, place(DENTRIES + 0x80), 0x1800);
	CHECK(m && m->path && strlen(m->path) == 4 * 31 + 10);
}

/* A CPU's variable that has an address in the kernel moves with it. */
static void
test_variable(struct elfsym *k)
{
	struct vcpu c = {0};
	const char *why;
	struct tasks *t = tasks_new(k, &why);

	CHECK(t != NULL);
	make_memory();
	put_word(PER_CPU, 0x100);
	put_word(HOT + 0x100, place(TASK_0));
	CHECK(t && tasks_enter(t, 0, &c, &reader) && c.runs.pid == 77);
	tasks_free(t);
}

/* Kernels that cannot be told. */
static void
test_refused(void)
{
	static const struct {
		enum flaw flaw;
		const char *current, *why;
	} tries[] = {{NO_EXECS, "current_task", "before Linux 6.1"},
	    {WIDE, "current_task", "symbols"},
	    {FAR_SLOTS, "current_task", "symbols"}, {NONE, "other", "symbols"}};
	const char *why;

	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
		struct buf btf = make_btf(tries[i].flaw);
		struct elfsym *k = make_kernel(tries[i].current, 1, &btf);

		CHECK(tasks_new(k, &why) == NULL);
		CHECK(strstr(why, tries[i].why) != NULL);
		elfsym_free(k);
		if (i > 0) {
			buf_done(&btf);
			continue;
		}
		btf.p[0] = 0;
		k = make_kernel("current_task", 1, &btf);
		CHECK(tasks_new(k, &why) == NULL && strstr(why, "no BTF"));
		elfsym_free(k);
		buf_done(&btf);
	}
}

/* A CPU of riscv has its task in a register: only threads can be told. */
static void
test_riscv(struct buf *btf)
{
	const struct variable none = {"other", 1, 0};
	struct elfsym *k = kernel_file(EM_RISCV, KERNEL, btf, &none, 1);
	struct vcpu c = {0};
	const char *why;
	uint64_t tables;
	struct tasks *t;

	elfsym_move(k, SLIDE);
	make_memory();
	t = tasks_new(k, &why);
	CHECK(t != NULL);
	if (t != NULL) {
		CHECK(!tasks_of_cpus(t) && !tasks_enter(t, 0, &c, &reader));
		CHECK(tasks_thread(t, place(TASK_0), &c, &reader, &tables));
		CHECK(c.runs.pid == 77);
	}
	tasks_free(t);
	elfsym_free(k);
}

int
main(void)
{
	struct buf btf = make_btf(NONE);
	struct elfsym *k = make_kernel("current_task", CURRENT, &btf);
	const char *why;
	struct tasks *t;

	if (k == NULL)
		return 1;
	elfsym_move(k, SLIDE);
	make_memory();
	t = tasks_new(k, &why);
	CHECK(t != NULL);
	if (t != NULL) {
		test_mappings(t);
		test_threads(t);
	}
	tasks_free(t);
	test_damage(k);
	test_riscv(&btf);
	elfsym_free(k);
	/* of an address in the kernel, which moves with it */
	k = make_kernel("pcpu_hot", KERNEL + HOT, &btf);
	elfsym_move(k, SLIDE);
	test_variable(k);
	elfsym_free(k);
	test_refused();
	buf_done(&btf);
	return unit_end();
}
