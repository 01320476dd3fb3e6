/* SPDX-License-Identifier: ISC */
/* The line program of a unit (.debug_line, versions 2 to 5). */
#include <stdlib.h>

#include "base/buf.h"
#include "elf/dwlinehead.h"
#include "base/bound.h"
#include "base/xalloc.h"

enum {
	LNS_EXTENDED,
	LNS_COPY,
	LNS_ADVANCE_PC,
	LNS_ADVANCE_LINE,
	LNS_SET_FILE,
	LNS_SET_COLUMN,
	LNS_NEGATE_STMT,
	LNS_BASIC_BLOCK,
	LNS_CONST_ADD_PC,
	LNS_FIXED_ADVANCE_PC,

	LNE_END_SEQUENCE = 1,
	LNE_SET_ADDRESS = 2,

	PATH_LEN_MAX = 4096
};

/* A row holds from its address on; END rows say that nothing does. */
#define END UINT32_MAX

struct row {
	uint64_t addr;
	uint32_t file, line;
	uint32_t order; /* as the program gave it; END rows come first */
};

struct lines {
	struct linehead head;
	struct row *row;
	size_t n_rows, cap_rows;
};

void
dwlines_free(struct lines *l)
{
	if (l == NULL)
		return;
	linehead_done(&l->head);
	free(l->row);
	free(l);
}

/* The registers of the program, and where its sequence of rows began. */
struct state {
	uint64_t addr;
	uint32_t file, line;
	size_t first;
};

static void
state_reset(struct state *s, const struct lines *l)
{
	*s = (struct state){.file = 1, .line = 1, .first = l->n_rows};
}

static void
add_row(struct lines *l, const struct state *s, uint32_t file)
{
	l->row = xgrow(l->row, l->n_rows + 1, &l->cap_rows, sizeof *l->row);
	l->row[l->n_rows] = (struct row){.addr = s->addr,
	    .file = file,
	    .line = s->line,
	    .order = file == END ? 0 : (uint32_t)l->n_rows + 1};
	l->n_rows++;
}

/* A sequence that covers nothing would hide what begins where it ends. */
static void
end_sequence(struct lines *l, struct state *s)
{
	if (l->n_rows > s->first && l->row[s->first].addr < s->addr)
		add_row(l, s, END);
	else
		l->n_rows = s->first;
	state_reset(s, l);
}

static void
run_extended(struct lines *l, struct dwread *r, struct state *s)
{
	const uint64_t len = dw_uleb(r);
	const unsigned char *next;

	if (len == 0 || len > dw_left(r)) {
		dw_fail(r);
		return;
	}
	next = r->p + len;
	switch (dw_u8(r)) {
	case LNE_END_SEQUENCE:
		end_sequence(l, s);
		break;
	case LNE_SET_ADDRESS:
		if (len - 1 <= 8)
			s->addr = dw_uint(r, (unsigned)len - 1);
		break;
	default:
		break;
	}
	r->p = next;
}

static void
run_special(struct lines *l, struct state *s, unsigned op)
{
	op -= l->head.opcode_base;
	s->addr += (uint64_t)(op / l->head.line_range) * l->head.min_inst;
	s->line +=
	    (uint32_t)(l->head.line_base + (int)(op % l->head.line_range));
	add_row(l, s, s->file);
}

static void
run_standard(struct lines *l, struct dwread *r, struct state *s, unsigned op)
{
	switch (op) {
	case LNS_COPY:
		add_row(l, s, s->file);
		break;
	case LNS_ADVANCE_PC:
		s->addr += dw_uleb(r) * l->head.min_inst;
		break;
	case LNS_ADVANCE_LINE:
		s->line += (uint32_t)dw_sleb(r);
		break;
	case LNS_SET_FILE:
		s->file = (uint32_t)dw_uleb(r);
		break;
	case LNS_CONST_ADD_PC:
		s->addr += (uint64_t)((255 - l->head.opcode_base) /
				      l->head.line_range) *
			   l->head.min_inst;
		break;
	case LNS_FIXED_ADVANCE_PC:
		s->addr += dw_uint(r, 2);
		break;
	default: /* one that has nothing to say here, or is not known */
		for (unsigned i = 0; i < l->head.n_args[op] && !r->bad; i++)
			dw_uleb(r);
		break;
	}
}

static void
run_program(struct dwarf *d, struct lines *l, struct dwread *r)
{
	const uint64_t max =
	    d->items < UINT32_MAX - 2 ? d->items : UINT32_MAX - 2;
	struct state s;

	state_reset(&s, l);
	while (r->p != r->end && l->n_rows < max) {
		const unsigned op = dw_u8(r);

		if (op >= l->head.opcode_base)
			run_special(l, &s, op);
		else if (op == LNS_EXTENDED)
			run_extended(l, r, &s);
		else
			run_standard(l, r, &s, op);
	}
	l->n_rows = s.first; /* a sequence without its end is dropped */
	d->items -= l->n_rows;
	if (r->p != r->end)
		dw_fail(r);
}

static int
cmp_row(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* The unit's lines, read when first asked for; NULL when it has none. */
static struct lines *
lines_of(struct dwarf *d, struct unit *u, struct buf *err)
{
	struct dwread r;
	struct lines *l;
	const unsigned char *start;

	if (u->lines_read || !u->has_lines)
		return u->lines;
	u->lines_read = true;
	r = dw_at(d, S_LINE, u->stmt_list, UINT64_MAX);
	start = r.p;
	if (d->left[S_LINE] < dw_left(&r))
		r.end = r.p + d->left[S_LINE];
	l = xcalloc(1, sizeof *l);
	if (!linehead_read(d, u, &l->head, &r)) {
		dw_damage(err, "damaged lines of a unit", u->start);
		dw_spend(d, S_LINE, (uint64_t)(r.p - start));
		dwlines_free(l);
		return NULL;
	}
	run_program(d, l, &r);
	if (r.bad)
		dw_damage(err, "damaged lines of a unit", u->start);
	dw_spend(d, S_LINE, (uint64_t)(r.p - start));
	if (l->n_rows > 0)
		qsort(l->row, l->n_rows, sizeof *l->row, cmp_row);
	u->lines = l;
	return l;
}

bool
dwlines_find(struct dwarf *d, struct unit *u, uint64_t addr, uint32_t *file,
    uint32_t *line, struct buf *err)
{
	const struct lines *l = lines_of(d, u, err);
	size_t i;

	if (l == NULL)
		return false;
	i = bound_above(l->row, l->n_rows, sizeof *l->row,
	    offsetof(struct row, addr), addr);
	if (i == 0 || l->row[i - 1].file == END || l->row[i - 1].line == 0)
		return false;
	*file = l->row[i - 1].file;
	*line = l->row[i - 1].line;
	return true;
}

/* Joins directory and name; directory 0 is where the compiler stood. */
static void
make_text(const struct lines *l, struct linefile *f)
{
	struct buf b = BUF_INIT;

	if (f->name[0] != '/' && f->dir > 0 && f->dir < l->head.n_dirs) {
		const char *dir = l->head.dir[f->dir];

		buf_add(&b, dir, strnlen(dir, PATH_LEN_MAX));
		buf_addc(&b, '/');
	}
	buf_add(&b, f->name, strnlen(f->name, PATH_LEN_MAX));
	for (size_t i = 0; i < b.len; i++)
		if ((unsigned char)b.p[i] < 0x20 || b.p[i] == 0x7f)
			b.p[i] = '?';
	f->text = b.p;
	f->len = (uint32_t)b.len;
}

bool
dwlines_file(struct dwarf *d, struct unit *u, uint32_t file, const char **text,
    uint32_t *len, struct buf *err)
{
	struct lines *l = lines_of(d, u, err);
	struct linefile *f;

	if (l == NULL || file >= l->head.n_files)
		return false;
	f = &l->head.file[file];
	if (f->name[0] == 0)
		return false;
	if (f->text == NULL)
		make_text(l, f);
	*text = f->text;
	*len = f->len;
	return true;
}
