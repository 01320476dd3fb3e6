/* SPDX-License-Identifier: ISC */
/* Writes threads, frames and the ends of stacks as gdb does. */
#include "native/write.h"
#include <inttypes.h>
#include <string.h>
#include "native/asleep.h"
#include "native/sampler.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "elf/elfsym.h"
#include "guest/images.h"
#include "linux/modules.h"
#include "os/osfile.h"
#include "threads/listed.h"
#include "threads/threads.h"
#include "trace/trace.h"

/* Whether the CPU has nothing to do, though the processor runs. */
static bool
is_idle(const struct sampler *from, const struct vcpu *c)
{
	return from->t->os != NULL && from->t->n_image > 0 && !c->early &&
	       c->firmware.at == 0 && !c->user &&
	       osfile_is_idle(
		   from->t->os, elfsym_bias(from->t->image[0].sym), &c->stack);
}

/* As gdb does: `Thread 2 (Thread 1.2 (CPU#1 [running])):`. */
static void
put_header(struct buf *b, size_t number, const struct vcpu *c, bool idle)
{
	static const char runs[] = "[running]";
	const char *at = idle ? strstr(c->extra, runs) : NULL;

	buf_printf(b, "\nThread %zu (%s", number, c->title);
	if (c->name[0])
		buf_printf(b, " \"%s\"", c->name);
	if (at != NULL)
		buf_printf(b, " (%.*s[halted ]%s)", (int)(at - c->extra),
		    c->extra, at + sizeof runs - 1);
	else if (c->extra[0])
		buf_printf(b, " (%s)", c->extra);
	buf_adds(b, "):\n");
}

/*
 * What the CPU was running, in front of its frames. A stack that leads from a
 * program into the kernel is that program's.
 */
static void
put_process(struct buf *b, const struct vcpu *c)
{
	const bool began = !c->user && !c->early && c->runs.n_program > 0;
	const bool of_linux = began && c->runs.entered && c->runs.mm != 0;
	const char *name = c->user    ? c->runs.process
			   : of_linux ? c->runs.comm
				      : NULL;

	buf_adds(b, "[kst-process ");
	if (name != NULL) {
		buf_printf(b, "pid=%" PRIu64 " name=", c->runs.pid);
		trace_meta_add(b, name, strlen(name));
		buf_addc(b, ' ');
	}
	buf_adds(b, c->user ? "mode=user" : "mode=kernel");
	buf_adds(b, began ? " began=user]\n" : "]\n");
}

static void
put_number(struct buf *b, size_t i)
{
	char text[TRACE_NUMBER];

	buf_add(b, text, trace_number(i, text));
}

/* `#1  0x0000000080200070 in `; printf takes half as long as all the rest. */
static void
put_address(const struct sampler *from, struct buf *b, size_t no, uint64_t addr)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned digits = 2u * from->guest.abi->word;
	char text[16];

	for (unsigned i = digits; i-- > 0; addr >>= 4)
		text[i] = hex[addr & 15];
	put_number(b, no);
	buf_adds(b, "0x");
	buf_add(b, text, digits);
	buf_adds(b, " in ");
}

/* What kernels end in: C's, BSD's, and that of Rust's panic!(). */
static bool
is_panic(const struct elfsym_frame *f)
{
	static const char *const names[] = {
	    "panic", "vpanic", "rust_begin_unwind"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (bytes_is(f->name, f->name_len, names[i]))
			return true;
	return false;
}

/*
 * A frame, and before it the calls inlined there; returns the next number. A
 * program's code without a name has that of the `file`, unless that is NULL.
 */
static size_t
put_frame(const struct sampler *from, struct elfsym *sym, const char *file,
    struct sample *s, const struct unwind_frame *f, size_t no)
{
	const bool kernel =
	    from->t->n_image > 0 && sym == from->t->image[0].sym;
	struct buf *b = &s->text;
	const struct elfsym_frame *call;
	size_t calls = 0;

	if (sym != NULL)
		calls = elfsym_frames(sym,
		    images_own(from->guest.images, f->pc - !f->exact), &call);
	put_address(from, b, no, f->pc);
	if (calls == 0 && file != NULL)
		buf_printf(b, "[%s] ()\n", msg_str(file));
	else if (calls == 0)
		buf_adds(b, "?? ()\n");
	for (size_t i = 0; i < calls; i++) {
		if (i > 0 && from->t->all_addresses)
			put_address(from, b, no + i, f->pc);
		else if (i > 0)
			put_number(b, no + i);
		buf_add(b, call[i].name, call[i].name_len);
		buf_adds(b, " ()\n");
	}
	for (size_t i = 0; i < calls && kernel; i++)
		s->n[COUNT_PANICKED] |= is_panic(&call[i]);
	s->n[COUNT_NAMED] += calls;
	calls += calls == 0;
	s->n[COUNT_FRAMES] += calls;
	return no + calls;
}

/* The functions that left no frame between this one and its caller. */
static size_t
put_tails(const struct sampler *from, struct elfsym *sym, struct sample *s,
    const struct unwind_frame *f, size_t no)
{
	struct buf *b = &s->text;
	uint64_t pc[ELFSYM_TAILS_MAX];
	struct elfsym_func func;
	size_t n = 0;

	if (sym != NULL && !f->signal && !f[1].exact)
		n = elfsym_tails(sym, f[1].pc, f->pc - !f->exact, pc);
	for (size_t i = 0; i < n; i++) {
		if (!elfsym_find(sym, pc[i] - 1, &func))
			continue;
		put_address(from, b, no++, pc[i]);
		buf_add(b, func.name, func.len);
		buf_adds(b, " () [tail call]\n");
		s->n[COUNT_FRAMES]++;
		s->n[COUNT_NAMED]++;
	}
	return no;
}

/* What no file has: the program counter with a word for it. */
static size_t
put_place(
    const struct sampler *from, struct buf *b, uint64_t pc, const char *word)
{
	put_address(from, b, 0, pc);
	buf_printf(b, "%s ()\n", word);
	return 1;
}

/* The firmware that a CPU has called; its name if a file has it. */
static size_t
put_firmware(const struct sampler *from, struct sample *s, const struct vcpu *c)
{
	const struct unwind_frame f = {.pc = c->firmware.at, .exact = true};
	struct elfsym *sym = images_symbols(from->guest.images, c->firmware.at);

	return sym != NULL
		   ? put_frame(from, sym, NULL, s, &f, 0)
		   : put_place(from, &s->text, c->firmware.at, "[firmware]");
}

/* Who names a frame: a file with a place, or a program of the CPU's stack. */
static struct elfsym *
symbols(const struct sampler *from, const struct vcpu *c,
    const struct unwind_frame *f, const char **file)
{
	uint64_t addr = f->pc - !f->exact;
	struct elfsym *sym = NULL;

	*file = NULL;
	if (from->t->raw)
		return NULL;
	if (!c->user || c->runs.process == NULL || from->guest.procs == NULL)
		sym = images_symbols(from->guest.images, addr);
	if (sym == NULL)
		sym = modules_symbols(from->guest.modules, addr);
	for (size_t i = 0; sym == NULL && i < c->runs.n_program; i++) {
		if (c->runs.program[i].sym == NULL)
			continue;
		elfsym_move(c->runs.program[i].sym, c->runs.program[i].bias);
		if (!elfsym_covers(c->runs.program[i].sym, addr))
			continue;
		sym = c->runs.program[i].sym;
		*file = c->runs.program[i].name;
	}
	return sym;
}

/*
 * Whether code of the kernel, or of a program, was interrupted. Where a program
 * has entered the kernel, the function of the entry has its name.
 */
static bool
is_interrupt(const struct sampler *from, const struct vcpu *c, size_t k)
{
	const struct unwind_frame *f = &c->stack.frame[k];
	const char *file, *callers = NULL;

	if (!f->signal || from->t->raw)
		return f->signal;
	if (k + 1 == c->stack.n)
		return c->stack.end != UNWIND_USER &&
		       c->stack.end != UNWIND_ROOT;
	symbols(from, c, f, &file);
	symbols(from, c, f + 1, &callers);
	return file != NULL || callers == NULL;
}

/* A frame, with all that its file knows of it. */
static size_t
put_call(const struct sampler *from, const struct vcpu *c, size_t k,
    struct sample *s, size_t no)
{
	const struct unwind_frame *f = &c->stack.frame[k];
	const char *file;
	struct elfsym *sym = symbols(from, c, f, &file);

	if (is_interrupt(from, c, k)) {
		put_address(from, &s->text, no, f->pc);
		buf_adds(&s->text, "<signal handler called>\n");
		return no + 1;
	}
	no = put_frame(from, sym, file, s, f, no);
	return k + 1 < c->stack.n ? put_tails(from, sym, s, f, no) : no;
}

/*
 * Where a CPU is that may have been reset, for sample_stack(); 0: it was not.
 * What it has interrupted does not matter, nor where, if it tells its mode.
 */
static uint64_t
reset_place(const struct sampler *from, const struct vcpu *c)
{
	const struct unwind_regs *r = &c->regs;
	const uint64_t pc = r->r[from->guest.abi->pc];
	const bool low = pc < 1 << 20;

	/* arm: kernels and vectors are there */
	if (c->stack.n == 0 || c->user || from->guest.abi->arm ||
	    (from->guest.abi->riscv && r->mode != UNWIND_MODE_UNKNOWN &&
		r->mode != UNWIND_MODE_FIRMWARE) ||
	    (low && r->paged) || images_symbols(from->guest.images, pc) != NULL)
		return 0;
	return pc;
}

/* A thread's name in a header, where brackets have a meaning. */
static void
put_name(struct buf *b, const char *name)
{
	for (; *name; name++)
		buf_addc(b, *name < ' ' || *name > '~'	   ? '?'
			    : strchr("([", *name)	   ? '{'
			    : strchr(")]", *name)	   ? '}'
			    : *name == '"' || *name == ';' ? '_'
							   : *name);
}

/* As a frame, the lock that a thread waits for. Returns the next number. */
static size_t
put_lock(const struct sampler *from, struct buf *b, const struct thread *th)
{
	size_t n;
	const struct thread *all = listed_get(from->asleep.listed, &n);
	const char *name = "";

	buf_printf(b, "#0  [lock of pid %" PRIu64, th->holder);
	for (size_t i = 0; i < n; i++)
		name = all[i].pid == th->holder ? all[i].comm : name;
	buf_adds(b, *name ? ", " : th->ended ? ", which has ended" : "");
	put_name(b, name);
	buf_adds(b, "] ()\n");
	return 1;
}

/* As gdb has threads of an operating system; then of which process it is. */
static void
put_thread(
    const struct sampler *from, struct sample *s, const struct thread *th)
{
#define WORD(id, word) [id] = word,
	static const char *const words[] = {TRACE_STATES(WORD)};
	struct buf *b = &s->text;
	struct vcpu *c = from->asleep.sleeper;
	size_t no = 0;

	buf_printf(b, "\nThread %" PRIu64 " (Thread 1.%" PRIu64 " (", th->pid,
	    th->pid);
	put_name(b, th->comm);
	buf_printf(b, "%spid %" PRIu64 " [%s])):\n", *th->comm ? ", " : "",
	    th->pid, words[th->state]);
	buf_printf(b, "[kst-process pid=%" PRIu64 " name=", th->tgid);
	trace_meta_add(b, th->process, strlen(th->process));
	buf_adds(b, th->n_program > 0 ? " mode=kernel began=user]\n"
				      : " mode=kernel]\n");
	s->n[COUNT_STACKS]++;
	if (!th->ran && th->state != STATE_READY && asleep_is_brief(from)) {
		buf_adds(b, "#0  [asleep since the start] ()\n");
		return;
	}
	c->stack.n = th->n;
	memcpy(c->stack.frame, th->frame, th->n * sizeof *th->frame);
	c->runs.n_program = th->n_program;
	for (size_t k = 0; k < th->n_program; k++)
		c->runs.program[k] = th->program[k];
	no = th->holder > 0 ? put_lock(from, b, th) : 0;
	for (size_t k = 0; k < th->n; k++)
		no = put_call(from, c, k, s, no);
	c->stack.end = th->end;
	c->stack.bad = th->bad;
	if (!vcpu_complete(c))
		ends_line(s, &c->stack);
}

static void
put_threads(const struct sampler *from, struct sample *s)
{
	const struct thread *th;
	size_t n;

	if (!asleep_asked(from))
		return;
	th = from->asleep.listed ? listed_get(from->asleep.listed, &n)
				 : threads_get(from->asleep.threads, &n);
	for (size_t i = n; i-- > 0;)
		put_thread(from, s, &th[i]);
}

enum sampled
sampler_write(const struct sampler *from, struct sample *s)
{
	enum sampled result = SAMPLE_FAILED;

	if (from->t->n_image > 0)
		s->slide = elfsym_bias(from->t->image[0].sym);
	put_threads(from, s);
	for (size_t i = from->shot.n_cpu; i-- > 0;) {
		const struct vcpu *c = &from->shot.cpu[i];
		size_t no = 0;

		if (c->ok)
			result = SAMPLE_OK;
		if (!c->ok || c->skip)
			continue;
		put_header(&s->text, i + 1, c, is_idle(from, c));
		if (from->guest.procs || from->t->tasks || from->t->no_kernel ||
		    from->t->no_user)
			put_process(&s->text, c);
		if (c->early)
			put_place(
			    from, &s->text, c->stack.frame[0].pc, c->early);
		else if (c->firmware.at != 0)
			no = put_firmware(from, s, c);
		for (size_t k = 0; k < c->stack.n && !c->early; k++)
			no = put_call(from, c, k, s, no);
		if (c->stack.end == UNWIND_UNPROVEN) {
			buf_adds(&s->text, "[kst-root unproven]\n");
			s->n[COUNT_UNPROVEN]++;
		} else if (c->stack.end == UNWIND_HANDLER) {
			buf_adds(&s->text, "[kst-root handler]\n");
			s->n[COUNT_HANDLER]++;
		} else if (!vcpu_complete(c)) {
			ends_line(s, &c->stack);
		}
		s->n[COUNT_USER] += c->stack.end == UNWIND_USER ||
				    c->regs.mode == UNWIND_MODE_USER;
		sample_stack(
		    s, reset_place(from, c), c->early && from->guest.unsure);
	}
	return result;
}
