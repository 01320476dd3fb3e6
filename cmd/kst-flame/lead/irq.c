/* SPDX-License-Identifier: ISC */
#include "lead/irq.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "flame.h"
#include "facts/again.h"
#include "names/rx.h"

/* Percent of what runs; different functions, of which the most is looked for.
 */
enum { IRQ_SHARE = 25, NAMES_MAX = 1000 };

/*
 * Where interrupts of a kernel come in: of any, LK, xv6, Linux (x86, arm,
 * arm64, riscv), OSv and NuttX. What a program interrupts or calls comes in
 * there, too, but then no function of the kernel is above it.
 */
static const char ENTRY[] =
    "^(?:<signal handler called>|arm64_exception_table|arm_irq|kernelvec|"
    "alltraps|asm_(?:sysvec|exc|common)_\\w+|common_interrupt|el1h?_(?:64_)?irq|"
    "__irq_svc|vector_irq|handle_exception|riscv_exception_entry|"
    "exception_common|interrupt_entry\\w*|exception_irq\\w*)$";

/* A function, and in how many samples. */
struct seen {
	struct piece name;
	double n;
};

struct tally {
	struct seen seen[NAMES_MAX];
	size_t n;
};

struct irqs {
	struct rx *entry;
	double runs, in;	/* samples */
	struct tally of, inner; /* what was interrupted; where it then was */
};

static void
count(struct tally *t, struct piece name, double n)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->seen[i].name.len == name.len &&
		    memcmp(t->seen[i].name.p, name.p, name.len) == 0) {
			t->seen[i].n += n;
			return;
		}
	if (t->n < NAMES_MAX)
		t->seen[t->n++] = (struct seen){name, n};
}

static struct piece
most(const struct tally *t)
{
	const struct seen *best = t->seen;

	for (size_t i = 1; i < t->n; i++)
		if (t->seen[i].n > best->n)
			best = &t->seen[i];
	return best->name;
}

/* A line `running;root;...;leaf COUNT`, whose stack is `stack`. */
static void
take(struct irqs *q, struct piece stack, double n)
{
	struct piece name = {0}, before, of = {0};
	const char *end;

	for (size_t depth = 0; stack.len > 0; depth++) {
		before = name;
		end = memchr(stack.p, ';', stack.len);
		name.p = stack.p;
		name.len = end ? (size_t)(end - stack.p) : stack.len;
		stack.p += name.len + (end != NULL);
		stack.len -= name.len + (end != NULL);
		if (depth > 0 && of.len == 0 &&
		    rx_match(q->entry, name.p, name.len) == 1)
			of = before;
	}
	q->runs += n;
	if (of.len == 0)
		return;
	q->in += n;
	count(&q->of, of, n);
	count(&q->inner, name, n);
}

/* Of folded text by state, the lines of CPUs that run. */
static void
read_text(struct irqs *q, const char *text)
{
	static const char running[] = "running;";

	for (size_t len; *text; text += len + (text[len] != 0)) {
		const char *stack = text + sizeof running - 1, *space;

		len = strcspn(text, "\n");
		space = memrchr(text, ' ', len);
		if (space && bytes_starts(text, len, running))
			take(q, (struct piece){stack, (size_t)(space - stack)},
			    strtod(space, NULL));
	}
}

static void
add_line(const struct plan *p, const struct irqs *q, struct buf *b)
{
	struct piece inner = most(&q->inner), of = most(&q->of);

	buf_printf(b,
	    "%.0f %% of what runs is in interrupts, most in %s, and they "
	    "interrupt %s most%s",
	    100 * q->in / q->runs, msg_text(inner.p, inner.len),
	    msg_text(of.p, of.len),
	    again_counts(p) ? ": how many are they? kst count" : "\n");
	if (!again_counts(p))
		return;
	again_count(p, "--what interrupts", "-n 1e9", b);
	buf_adds(b, " | kst top --sort total --callers 'signal handler'\n");
}

bool
irq_find(const struct plan *p, struct buf *b)
{
	struct buf none = BUF_INIT; /* this pattern has no fault */
	struct irqs *q = xcalloc(1, sizeof *q);
	struct words w = {0};
	bool many;
	char *text;

	words_add(&w, "kst-fold");
	words_add(&w, "--by=state");
	text = steps_output(p, &w, false);
	q->entry = rx_new(ENTRY, sizeof ENTRY - 1, &none);
	if (text && q->entry)
		read_text(q, text);
	many = q->in > 0 && 100 * q->in >= IRQ_SHARE * q->runs;
	if (many)
		add_line(p, q, b);
	free(text);
	rx_free(q->entry);
	free(q);
	buf_done(&none);
	return many;
}
