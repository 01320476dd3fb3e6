/* SPDX-License-Identifier: ISC */
#include "coverage.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "cover/counts.h"
#include "cover/lcov.h"
#include "elf/elfsym.h"
#include "insn/x86_insn.h"
#include "io/out.h"
#include "naming.h"
#include "decode/insn.h"
#include "rights/rights.h"
#include "run.h"

/* Of one file of -e. */
struct module {
	struct elfsym *elf;
	enum insn_arch arch;
	bool known; /* instructions that were not executed can be read */
};

struct coverage {
	struct counts counts;
	struct lcov_row *row; /* by address */
	size_t n_rows, cap_rows;
	struct module m;
	struct buf path;
	struct lcov out;
};

static int file = -1;

int
coverage_open(char path[64])
{
	file = naming_file();
	naming_path(path, file);
	return file < 0 ? -1 : 0;
}

/* Lines -------------------------------------------------------------------- */

/* Without "." and "..": a header that is included in two ways is one file. */
static void
simplify(struct buf *path)
{
	char *const p = path->p;
	size_t n = 0, end;

	if (path->len == 0 || *p != '/')
		return;
	for (size_t i = 0; i < path->len; i = end) {
		for (end = i + 1; end < path->len && p[end] != '/';)
			end++;
		if (bytes_is(p + i, end - i, "/..")) {
			while (n > 0 && p[--n] != '/')
				;
		} else if (end > i + 1 && !bytes_is(p + i, end - i, "/.")) {
			memmove(p + n, p + i, end - i);
			n += end - i;
		}
	}
	path->len = n;
}

static void
add_row(void *ctx, const struct elfsym_row *r)
{
	struct coverage *c = ctx;
	const uint64_t bias = elfsym_bias(c->m.elf), start = r->start + bias;
	struct lcov_row *last = c->n_rows > 0 ? &c->row[c->n_rows - 1] : NULL;
	uint32_t f;

	if (!elfsym_covers(c->m.elf, start))
		return;
	c->path.len = 0;
	if (*r->file != '/' && *r->dir)
		buf_printf(&c->path, "%s/", r->dir);
	buf_add(&c->path, r->file, r->file_len);
	simplify(&c->path);
	f = lcov_file(&c->out, c->path.p, c->path.len);
	if (last && last->file == f && last->line == r->line &&
	    last->end == start) {
		last->end = r->end + bias;
		return;
	}
	*xpush(c->row, c->n_rows, c->cap_rows) =
	    (struct lcov_row){start, r->end + bias, f, r->line};
}

static int
by_start(const void *a, const void *b)
{
	const struct lcov_row *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static const struct lcov_row *
row_of(const struct coverage *c, uint64_t addr)
{
	size_t low = 0, high = c->n_rows;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (c->row[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low > 0 && addr < c->row[low - 1].end ? &c->row[low - 1] : NULL;
}

static bool
same_line(const struct lcov_row *a, const struct lcov_row *b)
{
	return a && b && a->file == b->file && a->line == b->line;
}

static struct insn
decode(const struct coverage *c, uint64_t addr, uint64_t next)
{
	const struct elfsym_code code = elfsym_code(c->m.elf, addr);

	if (code.p == NULL || next <= addr || next - addr > code.n)
		return (struct insn){0};
	return insn_decode(c->m.arch, addr, code.p, next - addr);
}

/* How often control came to instruction i from the one before it. */
static uint64_t
fell_to(const struct coverage *c, size_t i)
{
	const struct cover_insn *p = &c->counts.insn[i - 1];
	const struct insn x = decode(c, p->addr, p->next);
	uint64_t on, taken;

	switch (x.kind) {
	case INSN_PLAIN:
	case INSN_CALL:
	case INSN_TRAP:
		return p->count;
	case INSN_BRANCH:
		counts_ways(&c->counts, p->addr, x.target, &on, &taken);
		return on;
	default:
		return 0;
	}
}

/*
 * A line was executed as often as control came to it from other lines, or back
 * within it.
 */
static uint64_t
entries(const struct coverage *c, size_t i, const struct lcov_row *row)
{
	const struct cover_insn *x = &c->counts.insn[i];
	size_t n;
	const struct cover_jump *j = counts_to(&c->counts, x->addr, &n);
	uint64_t within = 0;

	if (i > 0 && x[-1].next == x->addr &&
	    same_line(row, row_of(c, x[-1].addr)))
		within = fell_to(c, i);
	for (; n > 0; n--, j++)
		if (j->addr < x->addr && same_line(row, row_of(c, j->addr)))
			within += j->taken;
	return x->count > within ? x->count - within : 0;
}

static void
count_lines(struct coverage *c)
{
	for (size_t i = 0; i < c->n_rows; i++)
		lcov_line(&c->out, &c->row[i], 0);
	for (size_t i = 0; i < c->counts.n_insns; i++) {
		const struct lcov_row *row = row_of(c, c->counts.insn[i].addr);

		if (row != NULL)
			lcov_line(&c->out, row, entries(c, i, row));
	}
}

/* Functions and their branches --------------------------------------------- */

/* The length of the instruction; 0 if it cannot be read. */
static size_t
length_of(const struct module *m, const uint8_t *p, size_t n)
{
	struct x86_insn x;

	if (m->arch == INSN_ARM64)
		return n >= 4 ? 4 : 0;
	if (m->arch == INSN_RISCV)
		return n >= 2 ? ((*p & 3) == 3 ? 4 : 2) : 0;
	return x86_insn(p, n, &x) == 0 ? x.len : 0;
}

static void
take_branch(struct coverage *c, uint64_t addr, const struct insn *x)
{
	const struct lcov_row *row = row_of(c, addr);
	struct lcov_branch b = {.addr = addr};

	if (x->kind != INSN_BRANCH || x->always || row == NULL)
		return;
	counts_ways(&c->counts, addr, x->target, &b.on, &b.taken);
	b.executed = counts_of(&c->counts, addr) > 0;
	lcov_branch(&c->out, row, &b);
}

/* Conditional jumps of the code that was executed. */
static void
take_executed(struct coverage *c)
{
	for (size_t i = 0; i < c->counts.n_insns; i++) {
		const struct cover_insn *p = &c->counts.insn[i];
		const struct insn x = decode(c, p->addr, p->next);

		take_branch(c, p->addr, &x);
	}
}

/* A function's conditional jumps, also those that were not executed. */
static void
take_branches(struct coverage *c, const struct elfsym_func *f)
{
	const struct elfsym_code code = elfsym_code(c->m.elf, f->start);
	size_t n = f->end - f->start, len;

	n = n < code.n ? n : code.n;
	for (size_t at = 0; code.p && at < n; at += len) {
		const uint64_t addr = f->start + at;
		struct insn x;

		len = length_of(&c->m, code.p + at, n - at);
		if (len == 0 || len > n - at)
			return;
		x = insn_decode(c->m.arch, addr, code.p + at, len);
		take_branch(c, addr, &x);
	}
}

static void
take_functions(struct coverage *c)
{
	struct elfsym_func f;

	for (size_t i = 0; elfsym_nth(c->m.elf, i, &f); i++) {
		const struct lcov_row *row = row_of(c, f.start);

		if (row == NULL)
			continue;
		lcov_function(&c->out, row, f.name, f.len,
		    counts_of(&c->counts, f.start));
		if (c->m.known)
			take_branches(c, &f);
	}
}

/* Returns false after a message. */
static bool
take_module(struct coverage *c, const struct options *o, size_t i)
{
	struct buf spec = BUF_INIT;
	struct buf err = BUF_INIT;
	unsigned machine;

	naming_spec(o, i, &spec);
	c->m.elf = elfsym_load(buf_str(&spec), ELFSYM_LINES, &err);
	buf_done(&spec);
	if (c->m.elf == NULL) {
		msg("%s", buf_str(&err));
		buf_done(&err);
		return false;
	}
	machine = elfsym_code(c->m.elf, 0).machine;
	c->m.arch = machine == EM_AARCH64 ? INSN_ARM64
		    : machine == EM_RISCV ? INSN_RISCV
					  : INSN_X86;
	c->m.known = machine != EM_386;
	c->n_rows = 0;
	elfsym_rows(c->m.elf, add_row, c);
	if (c->n_rows == 0)
		msg("%s has no lines: --coverage needs debug information (-g)",
		    elfsym_path(c->m.elf));
	qsort(c->row, c->n_rows, sizeof *c->row, by_start);
	count_lines(c);
	take_functions(c);
	if (!c->m.known)
		take_executed(c);
	elfsym_free(c->m.elf);
	return c->n_rows > 0;
}

/* The process ----------------------------------------------------------------
 */

static int
work(const struct options *o)
{
	struct coverage c = {0};
	int status = EXIT_OK;

	if (!counts_load(&c.counts, file)) {
		msg("the counts for --coverage are damaged");
		return EXIT_SYSTEM;
	}
	lcov_init(&c.out);
	for (size_t i = 0; i < o->elf.n; i++)
		if (!take_module(&c, o, i))
			status = EXIT_FAILED;
	lcov_write(&c.out);
	lcov_done(&c.out);
	counts_done(&c.counts);
	buf_done(&c.path);
	free(c.row);
	return status;
}

int
coverage_write(const struct options *o)
{
	pid_t pid = fork();
	int status;

	if (pid < 0) {
		msg_errno("cannot start the process that reads ELF files");
		return EXIT_SYSTEM;
	}
	if (pid == 0) {
		status = out_open(&(struct out_file){
		    .path = o->coverage, .mark = LCOV_MARK, .force = o->force});
		if (status != EXIT_OK)
			_exit(status);
		rights_keep(&(struct rights){.reads = rights_all,
		    .n_reads = 1,
		    .also = RIGHTS_NAMES | RIGHTS_MEMORY});
		_exit(out_end(work(o)));
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		msg("the process that reads ELF files was ended by signal %d",
		    WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SYSTEM;
}
