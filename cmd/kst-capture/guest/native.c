/* SPDX-License-Identifier: ISC */
/*
 * Knows gdb's words for threads, frames and the ends of stacks.
 */
#include "guest/native.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "guest/images.h"
#include "wire/clock.h"
#include "base/msg.h"
#include "text/trace.h"

enum { TRIES = 20, TRY_MS = 10 };

/*
 * Where the kernel begins, if nobody has said: in the upper half, unless its
 * file has other addresses.
 */
static uint64_t
guess_base(const struct target *t, const struct unwind_abi *abi)
{
	uint64_t base = UINT64_C(1) << (8 * abi->word - 1), addr, size;
	const unsigned char *code;

	if (t->kernel_base != 0)
		return t->kernel_base;
	if (t->n_image > 0 &&
	    elfsym_section(t->image[0].sym, ".text", &addr, &size, &code) &&
	    addr < base)
		base = addr;
	return base;
}

static int
load(struct native *n, const struct target *t, struct sampler *s)
{
	const struct osfile *os =
	    t->os && osfile_processes(t->os) ? t->os : NULL;

	n->u = unwinder_new((enum unwind_arch)(s->abi - unwind_abis));
	unwinder_set_code(n->u, sampler_code, s);
	n->all_addresses = t->all_addresses;
	n->modes = os != NULL || t->no_kernel || t->no_user;
	n->raw = t->raw;
	n->digits = 2u * s->abi->word;
	s->kernel_base = guess_base(t, s->abi);
	s->no_kernel = t->no_kernel;
	s->no_user = t->no_user;
	s->os = os;
	n->images = s->images = images_new(t, n->u);
	if (n->images == NULL)
		return -1;
	if (t->os != NULL)
		images_rules(n->images, t->os, s->abi);
	if (os == NULL)
		return 0;
	unwinder_set_floor(n->u, s->kernel_base);
	if (t->user_dir != NULL) {
		n->programs = programs_open(t->user_dir);
		if (n->programs == NULL)
			return -1;
	}
	n->procs = s->procs = procs_new(os, n->programs, n->u, !t->raw);
	return 0;
}

static int
check(const struct native *n, struct sampler *s)
{
	bool seen = false;

	for (int i = 0; i < TRIES && images_unsure(n->images); i++) {
		int known;

		if (s->ops->stop(s->arg, NULL, 0) != 0)
			return 1;
		known = sampler_confirm(s);
		if (!s->hold && s->ops->go(s->arg) != 0)
			return 1;
		if (known == 0)
			return 0;
		seen |= known < 0;
		/* A guest that stands still tells no more later. */
		if (s->hold ||
		    wait_fd(-1, clock_now() + TRY_MS * NS_PER_MS, 0) < 0)
			break;
	}
	if (!seen)
		return 0;
	images_refuse(n->images);
	return -1;
}

int
native_open(struct native *n, const struct target *t, struct sampler *s)
{
	if (load(n, t, s) != 0)
		return -1;
	return s->boot ? s->ops->go(s->arg) != 0 : check(n, s);
}

void
native_close(struct native *n)
{
	procs_free(n->procs);
	programs_close(n->programs);
	images_free(n->images);
	unwinder_free(n->u);
	memset(n, 0, sizeof *n);
}

void
native_say(const struct sampler *s, bool verbose)
{
	if (verbose)
		msg("%s, %zu CPUs", s->abi->name, s->n_cpu);
	if (s->hold)
		msg("the guest is paused, and is left so: all samples show "
		    "the same moment");
}

enum sampled
native_lost(const struct sampler *s, bool hurry, const char *why)
{
	if (hurry)
		return SAMPLE_HURRY;
	if (!s->refused)
		msg("%s", why);
	return SAMPLE_LOST;
}

int
native_seen(const struct native *n, const struct sampler *s)
{
	if (!s->boot || n->images == NULL || !images_unsure(n->images))
		return 0;
	images_refuse(n->images);
	return -1;
}

/* As gdb does: `Thread 2 (Thread 1.2 (CPU#1 [running])):`. */
static void
put_header(struct buf *b, size_t number, const struct vcpu *c)
{
	buf_printf(b, "\nThread %zu (%s", number, c->title);
	if (c->name[0])
		buf_printf(b, " \"%s\"", c->name);
	if (c->extra[0])
		buf_printf(b, " (%s)", c->extra);
	buf_adds(b, "):\n");
}

/* What the CPU was running, in front of its frames. */
static void
put_process(struct buf *b, const struct vcpu *c)
{
	buf_adds(b, "[kst-process ");
	if (c->user && c->has_process) {
		buf_printf(b, "pid=%" PRIu64 " name=\"", c->pid);
		if (c->program == NULL)
			buf_adds(b, "<unknown>");
		else
			for (const char *p = c->program->name; *p; p++) {
				if (*p == '"' || *p == '\\')
					buf_addc(b, '\\');
				buf_addc(b, (unsigned char)*p < ' ' ? '?' : *p);
			}
		buf_adds(b, "\" ");
	}
	buf_adds(b, c->user ? "mode=user]\n" : "mode=kernel]\n");
}

static void
put_number(struct buf *b, size_t i)
{
	char text[TRACE_NUMBER];

	buf_add(b, text, trace_number(i, text));
}

static void
put_address(const struct native *n, struct buf *b, uint64_t addr)
{
	static const char hex[] = "0123456789abcdef";
	char text[16];

	for (unsigned i = n->digits; i-- > 0; addr >>= 4)
		text[i] = hex[addr & 15];
	buf_adds(b, "0x");
	buf_add(b, text, n->digits);
	buf_adds(b, " in ");
}

/* A frame, and before it the calls inlined there; returns the next number. */
static size_t
put_frame(const struct native *n, struct elfsym *sym, struct buf *b,
    const struct unwind_frame *f, size_t no)
{
	const struct elfsym_frame *call;
	size_t calls = 0;

	if (f->signal) {
		put_number(b, no);
		put_address(n, b, f->pc);
		buf_adds(b, "<signal handler called>\n");
		return no + 1;
	}
	if (sym != NULL)
		calls = elfsym_frames(sym, f->pc - !f->exact, &call);
	put_number(b, no);
	put_address(n, b, f->pc);
	if (calls == 0)
		buf_adds(b, "?? ()\n");
	for (size_t i = 0; i < calls; i++) {
		if (i > 0)
			put_number(b, no + i);
		if (i > 0 && n->all_addresses)
			put_address(n, b, f->pc);
		buf_add(b, call[i].name, call[i].name_len);
		buf_adds(b, " ()\n");
	}
	return no + (calls ? calls : 1);
}

/* The functions that left no frame between this one and its caller. */
static size_t
put_tails(const struct native *nat, struct elfsym *sym, struct buf *b,
    const struct unwind_frame *f, size_t no)
{
	uint64_t pc[ELFSYM_TAILS_MAX];
	struct elfsym_func func;
	size_t n = 0;

	if (sym != NULL && !f->signal && !f[1].exact)
		n = elfsym_tails(sym, f[1].pc, f->pc - !f->exact, pc);
	for (size_t i = 0; i < n; i++) {
		if (!elfsym_find(sym, pc[i] - 1, &func))
			continue;
		put_number(b, no++);
		put_address(nat, b, pc[i]);
		buf_add(b, func.name, func.len);
		buf_adds(b, " () [tail call]\n");
	}
	return no;
}

/* The firmware that a CPU has called; its name if a file has it. */
static size_t
put_firmware(const struct native *n, struct buf *b, const struct vcpu *c)
{
	const struct unwind_frame f = {.pc = c->firmware, .exact = true};
	struct elfsym *sym = images_symbols(n->images, c->firmware);

	if (sym != NULL)
		return put_frame(n, sym, b, &f, 0);
	put_number(b, 0);
	put_address(n, b, c->firmware);
	buf_adds(b, "[firmware] ()\n");
	return 1;
}

static void
put_early(const struct native *n, struct buf *b, const struct vcpu *c)
{
	put_number(b, 0);
	put_address(n, b, c->stack.frame[0].pc);
	buf_adds(b, c->early);
	buf_adds(b, " ()\n");
}

static void
put_end(struct buf *b, const struct unwind_stack *st)
{
	switch (st->end) {
	case UNWIND_ROOT:
	case UNWIND_ZERO:
	case UNWIND_USER:
		return;
	case UNWIND_LOOP:
		buf_adds(b, "Backtrace stopped: previous frame identical to "
			    "this frame (corrupt stack?)\n");
		return;
	case UNWIND_INNER:
		buf_adds(b, "Backtrace stopped: previous frame inner to this "
			    "frame (corrupt stack?)\n");
		return;
	case UNWIND_MEMORY:
		buf_printf(b,
		    "Backtrace stopped: Cannot access memory at address "
		    "0x%" PRIx64 "\n",
		    st->bad);
		return;
	case UNWIND_WINDOW:
		buf_printf(b,
		    "Backtrace stopped: the stack goes on at 0x%" PRIx64
		    ", beyond what was read of it\n",
		    st->bad);
		return;
	case UNWIND_UNSAVED:
		buf_adds(b, "Backtrace stopped: frame did not save the PC\n");
		return;
	case UNWIND_RULE:
		buf_adds(b, "Backtrace stopped: call frame information that "
			    "makes no sense\n");
		return;
	case UNWIND_FIRMWARE:
		buf_adds(b, "Backtrace stopped: in the firmware, which tells "
			    "nothing of its caller\n");
		return;
	case UNWIND_LIMIT:
		buf_printf(b, "Backtrace stopped: more than %d frames\n",
		    UNWIND_DEPTH);
		return;
	}
}

/* Who names a frame: a file with a place, or the CPU's program. */
static struct elfsym *
symbols(
    const struct native *n, const struct vcpu *c, const struct unwind_frame *f)
{
	uint64_t addr = f->pc - !f->exact;
	struct elfsym *sym = NULL;

	if (n->raw)
		return NULL;
	if (!c->user || !c->has_process)
		sym = images_symbols(n->images, addr);
	if (sym == NULL && c->program != NULL) {
		sym = c->program->sym;
		if (sym != NULL)
			elfsym_move(sym, c->program->bias);
	}
	return sym;
}

/* A frame, with all that its file knows of it. */
static size_t
put_call(const struct native *n, const struct vcpu *c, size_t k, struct buf *b,
    size_t no)
{
	const struct unwind_frame *f = &c->stack.frame[k];
	struct elfsym *sym = symbols(n, c, f);

	no = put_frame(n, sym, b, f, no);
	return k + 1 < c->stack.n ? put_tails(n, sym, b, f, no) : no;
}

enum sampled
native_write(
    const struct native *n, const struct sampler *from, struct sample *s)
{
	enum sampled result = SAMPLE_FAILED;

	s->slide = images_slide(n->images);
	for (size_t i = from->n_cpu; i-- > 0;) {
		const struct vcpu *c = &from->cpu[i];
		size_t no = 0, end;

		if (c->ok)
			result = SAMPLE_OK;
		if (!c->ok || c->skip)
			continue;
		put_header(&s->text, i + 1, c);
		if (n->modes)
			put_process(&s->text, c);
		if (c->early)
			put_early(n, &s->text, c);
		else if (c->firmware != 0)
			no = put_firmware(n, &s->text, c);
		for (size_t k = 0; k < c->stack.n && !c->early; k++)
			no = put_call(n, c, k, &s->text, no);
		end = s->text.len;
		put_end(&s->text, &c->stack);
		if (!vcpu_complete(c))
			ends_note(&s->ends, s->text.p + end, s->text.len - end);
		s->user += c->stack.end == UNWIND_USER;
		sample_stack(s, c->stack.n ? c->stack.frame[0].pc : 0,
		    c->early && images_unsure(n->images));
	}
	return result;
}
