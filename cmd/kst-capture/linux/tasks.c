/* SPDX-License-Identifier: ISC */
/*
 * A CPU's task is in a variable of that CPU, a process's mappings are in a
 * maple tree (include/linux/maple_tree.h), whose nodes have 256 bytes and their
 * type in the address.
 */
#include "linux/tasks.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "linux/btf.h"
#include "linux/object.h"
#include "base/buf.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"
#include "set/hash.h"

enum {
	MAPPINGS_MAX = 1 << 14,
	CPUS_MAX = 1 << 12,
	TASK_MAX = 16 << 10, /* bytes of a task that are read */
	NODE = 256,
	DEPTH = 16, /* of the tree */
	NAME = 64,  /* bytes of a file's name, with a NUL */
	PARTS = 32, /* of a path */
	COMM = 16
};

/* Per-CPU variables of the kernel are near 0, or where its file has them. */
#define PERCPU_LOW (UINT64_C(1) << 24)

enum member {
	TASK_MM,
	TASK_TGID,
	TASK_COMM,
	TASK_EXECS,
	MM_ROOT,
	MM_PGD,
	RANGE_PIVOT,
	RANGE_SLOT,
	ARANGE_PIVOT,
	ARANGE_SLOT,
	VMA_START,
	VMA_END,
	VMA_FILE,
	FILE_DENTRY,
	DENTRY_PARENT,
	DENTRY_NAME,
	MEMBERS
};

static const char *const members[MEMBERS] = {"task_struct.mm",
    "task_struct.tgid", "task_struct.comm", "task_struct.self_exec_id",
    "mm_struct.mm_mt+maple_tree.ma_root", "mm_struct.pgd",
    "maple_range_64.pivot", "maple_range_64.slot", "maple_arange_64.pivot",
    "maple_arange_64.slot", "vm_area_struct.vm_start", "vm_area_struct.vm_end",
    "vm_area_struct.vm_file", "file.f_path+path.dentry", "dentry.d_parent",
    "dentry.d_name+qstr.name"};

struct tasks {
	struct elfsym *kernel;
	bool of_cpus;		   /* it has these */
	uint64_t offsets, current; /* variables, addresses in its file */
	uint64_t at[MEMBERS];
	uint64_t low, len;	    /* the part of a task that is read */
	uint64_t per_cpu[CPUS_MAX]; /* 0: not known */
	const struct reader *r;	    /* of the last tasks_enter() */
	struct mapping *map;	    /* of all processes */
	size_t n, cap;
};

/* The CPU's variable with its task: on x86_64, of 6.2 to 6.14, and on arm64. */
static bool
find_current(struct tasks *t)
{
	return (object_find(t->kernel, "current_task", &t->current) ||
		   object_find(t->kernel, "pcpu_hot", &t->current) ||
		   object_find(t->kernel, "__entry_task", &t->current)) &&
	       object_find(t->kernel, "__per_cpu_offset", &t->offsets);
}

/* Whether both arrays are in a node. */
static bool
is_node(const struct tasks *t, enum member pivot, enum member slot)
{
	const uint64_t p = t->at[pivot], s = t->at[slot];

	return p < s && s < NODE && s + (s - p) + 8 <= NODE;
}

static const char *
load(struct tasks *t)
{
	const unsigned char *p;
	uint64_t addr, size, high = 0;
	struct btf b = {0};
	const char *why = NULL;

	if (!elfsym_section(t->kernel, ".BTF", &addr, &size, &p) || p == NULL ||
	    btf_open(&b, p, size) != 0)
		return "the kernel's file has no BTF";
	t->low = UINT64_MAX;
	for (int i = 0; i < MEMBERS; i++) {
		const int64_t at = btf_member(&b, members[i]);

		t->at[i] = (uint64_t)at;
		if (at < 0)
			why = "the kernel's BTF lacks what is needed, as "
			      "before Linux 6.1";
		if (i > TASK_EXECS)
			continue;
		t->low = t->at[i] < t->low ? t->at[i] : t->low;
		high = t->at[i] + COMM > high ? t->at[i] + COMM : high;
	}
	t->len = high - t->low;
	t->of_cpus = find_current(t);
	for (int i = 0; i <= TASK_EXECS; i++)
		t->at[i] -= t->low;
	if (why == NULL &&
	    (t->len > TASK_MAX || !is_node(t, RANGE_PIVOT, RANGE_SLOT) ||
		!is_node(t, ARANGE_PIVOT, ARANGE_SLOT) ||
		(!t->of_cpus && elfsym_code(t->kernel, 0).machine != EM_RISCV)))
		why = "the kernel's symbols do not say where a CPU's current "
		      "task is";
	btf_close(&b);
	return why;
}

struct tasks *
tasks_new(struct elfsym *kernel, const char **why)
{
	struct tasks *t = xcalloc(1, sizeof *t);

	t->kernel = kernel;
	*why = load(t);
	if (*why == NULL)
		return t;
	tasks_free(t);
	return NULL;
}

static void
forget_all(struct tasks *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->map[i].path);
	t->n = 0;
}

bool
tasks_of_cpus(const struct tasks *t)
{
	return t->of_cpus;
}

void
tasks_free(struct tasks *t)
{
	if (t == NULL)
		return;
	forget_all(t);
	free(t->map);
	free(t);
}

/* A word of the kernel's memory. */
static bool
follow(struct tasks *t, uint64_t addr, uint64_t *to)
{
	uint8_t b[8];

	if (t->r->read(t->r->arg, addr, b, sizeof b) != 0)
		return false;
	*to = uint_load(b, sizeof b, false);
	return true;
}

/* The task that a CPU runs. */
static bool
read_current(struct tasks *t, size_t cpu, uint64_t *task)
{
	const uint64_t slide = elfsym_bias(t->kernel);

	if (!t->of_cpus || cpu >= CPUS_MAX ||
	    (t->per_cpu[cpu] == 0 &&
		!follow(t, t->offsets + slide + 8 * cpu, &t->per_cpu[cpu])))
		return false;
	return follow(t,
	    t->per_cpu[cpu] + t->current +
		(t->current < PERCPU_LOW ? 0 : slide),
	    task);
}

/* The process that a task is of, as tasks_enter(). */
static bool
enter(struct tasks *t, uint64_t task, struct vcpu *c)
{
	uint8_t p[TASK_MAX];
	uint64_t key[3];

	c->runs.mm = 0;
	if (t->r->read(t->r->arg, task + t->low, p, t->len) != 0)
		return false;
	c->runs.pid = uint_load(p + t->at[TASK_TGID], 4, false);
	memcpy(c->runs.comm, p + t->at[TASK_COMM], COMM - 1);
	c->runs.mm = uint_load(p + t->at[TASK_MM], 8, false);
	key[0] = c->runs.mm;
	key[1] = c->runs.pid;
	key[2] = uint_load(p + t->at[TASK_EXECS], 4, false);
	c->runs.space = hash_bytes(key, sizeof key);
	return c->runs.mm != 0; /* a thread of the kernel has none */
}

bool
tasks_enter(struct tasks *t, size_t cpu, struct vcpu *c, const struct reader *r)
{
	uint64_t task;

	c->runs.mm = 0;
	t->r = r;
	return read_current(t, cpu, &task) && enter(t, task, c);
}

bool
tasks_thread(struct tasks *t, uint64_t task, struct vcpu *c,
    const struct reader *r, uint64_t *pgd)
{
	t->r = r;
	return enter(t, task, c) && follow(t, c->runs.mm + t->at[MM_PGD], pgd);
}

/* The slot of a node for an address; 0: it is nothing. */
static uint64_t
find_slot(const uint8_t *node, uint64_t pivot, uint64_t slot, uint64_t addr)
{
	const uint64_t n = (slot - pivot) / 8 + 1;
	uint64_t i = 0, last;

	for (; i + 1 < n; i++) {
		last = uint_load(node + pivot + 8 * i, 8, false);
		if (addr <= last || (last == 0 && i > 0))
			break;
	}
	return uint_load(node + slot + 8 * i, 8, false);
}

/* The vm_area_struct at an address; 0: none. */
static uint64_t
find_vma(struct tasks *t, uint64_t mm, uint64_t addr)
{
	enum { DENSE, LEAF_64, RANGE_64, ARANGE_64 } type;
	uint8_t node[NODE];
	uint64_t at;

	if (!follow(t, mm + t->at[MM_ROOT], &at) || (at & 3) != 2)
		return 0; /* not a node: one mapping at most */
	for (int i = 0; i < DEPTH; i++) {
		type = at >> 3 & 15;
		if (type == DENSE || type > ARANGE_64 ||
		    t->r->read(
			t->r->arg, at & ~(uint64_t)(NODE - 1), node, NODE))
			return 0;
		at = type == ARANGE_64 ? find_slot(node, t->at[ARANGE_PIVOT],
					     t->at[ARANGE_SLOT], addr)
				       : find_slot(node, t->at[RANGE_PIVOT],
					     t->at[RANGE_SLOT], addr);
		if (type == LEAF_64)
			return at;
	}
	return 0;
}

/* The path of a dentry, up to the root of its file system; NULL: none. */
static char *
read_path(struct tasks *t, uint64_t dentry)
{
	struct buf path = BUF_INIT;
	char name[NAME] = "";
	uint64_t at, up;

	for (int i = 0; i < PARTS; i++, dentry = up) {
		struct buf longer = BUF_INIT;

		if (!follow(t, dentry + t->at[DENTRY_PARENT], &up) ||
		    up == dentry ||
		    !follow(t, dentry + t->at[DENTRY_NAME], &at) ||
		    t->r->read(t->r->arg, at, (uint8_t *)name, NAME - 1) != 0 ||
		    strchr(name, '/') != NULL || strcmp(name, "..") == 0)
			break;
		buf_printf(&longer, "/%s%s", name, buf_str(&path));
		buf_done(&path);
		path = longer;
	}
	return path.len > 0 ? buf_str(&path) : NULL;
}

struct mapping *
tasks_mapping(struct tasks *t, const struct vcpu *c, uint64_t addr)
{
	struct mapping m = {.space = c->runs.space};
	uint64_t vma, file = 0, dentry;

	if (c->runs.mm == 0)
		return NULL;
	for (size_t i = 0; i < t->n; i++)
		if (t->map[i].space == c->runs.space &&
		    addr - t->map[i].start < t->map[i].end - t->map[i].start)
			return &t->map[i];
	vma = find_vma(t, c->runs.mm, addr);
	if (vma == 0 || !follow(t, vma + t->at[VMA_START], &m.start) ||
	    !follow(t, vma + t->at[VMA_END], &m.end) ||
	    !follow(t, vma + t->at[VMA_FILE], &file) ||
	    addr - m.start >= m.end - m.start)
		return NULL;
	if (file != 0 && follow(t, file + t->at[FILE_DENTRY], &dentry))
		m.path = read_path(t, dentry);
	if (t->n == MAPPINGS_MAX)
		forget_all(t);
	*xpush(t->map, t->n, t->cap) = m;
	return &t->map[t->n - 1];
}
