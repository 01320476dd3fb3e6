/* SPDX-License-Identifier: ISC */
/*
 * The plugin. QEMU calls it for each block of code that it translates and each
 * that begins, and counts instructions by itself: version 1 in one number for
 * all vCPUs. So they have to take turns, in one thread.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/xalloc.h"
#include "decode/fails.h"
#include "live/live.h"
#include "live/slide.h"
#include "modules/guest.h"
#include "qemu/api.h"
#include "qemu/version.h"
#include "plugin/tree.h"
#include "plugin/block.h"
#include "plugin/flow.h"
#include "plugin/result.h"
#include "trace/ring.h"
#include "trace/spans.h"

/*
 * Between looks at the log, so that two runs look at equal blocks; without one.
 */
enum { LOOK_BLOCKS = 1024, LOOK_INSNS = 16384 };

/* CODE_BYTES: of a block, which tell where the kernel is. */
enum { CPUS = 1024, CODE_BYTES = 48 };

/* Of an instruction, in the low bits of its block's address. */
enum { SAVES = 1, LOADS = 2 };

static struct {
	struct request asked;
	enum insn_arch arch;
	struct flow_cpu *cpu[CPUS], *running; /* or the last to run */
	struct flow_cpu *going; /* for which flow_goes_on() is asked; or NULL */
	unsigned n_cpus;
	uint64_t seen;	  /* instructions executed, when last looked at */
	uint64_t counted; /* instructions in the range */
	uint64_t begun;	  /* blocks */
	struct slide slide;
	pthread_t thread;
	struct live *live;
	bool in_range, counting, ended, simple;
	/*
	 * Since QEMU 9.2 the number of a vCPU is that of the one that
	 * translated the block, where they share a thread.
	 */
	bool one_cpu;
} all;

static bool
counts(enum count_what what)
{
	return all.asked.whats >> what & 1;
}

static void
end(enum end_why why)
{
	const struct slide *s = &all.slide;

	result_end(&(struct result_end){.why = why,
	    .begun = all.in_range,
	    .counted = all.counted,
	    .time = all.seen + (why == END_UNTIL),
	    .seen = slide_seen(s),
	    .home = s->home,
	    .by = slide_last(s),
	    .cpu = all.cpu,
	    .running = all.running});
}

/* Counts what was executed since a block began last. */
static void
settle(void)
{
	const uint64_t now = version_executed(all.n_cpus);
	struct flow_cpu *c = all.running;

	if (c->block)
		flow_ran(c);
	if (all.counting) {
		all.counted += now - all.seen;
		if ((*all.asked.cover || all.asked.judge) && c->block)
			block_ran(c->block, c->executed, 1);
		if (counts(COUNT_INSNS) && c->leaf)
			tree_add(c->leaf, 1);
	}
	all.seen = now;
}

/* Whether a place has come, now that a block begins. */
static bool
has_come(const struct place *m, const struct block *b)
{
	if (*m->line)
		return all.begun % LOOK_BLOCKS == 0 &&
		       live_log_has(all.asked.serial, m->line);
	return m->given && block_is(b, m->addr);
}

/* What the command may want to know before the end. */
static void
tell(void)
{
	struct live *v = all.live;

	v->begun = all.begun, v->counted = all.counted, v->stacks = tree_size();
}

static void
add(const struct flow_cpu *c, enum count_what what, uint64_t addr, uint64_t n)
{
	if (n > 0 && counts(what))
		tree_add(tree_child(c->node, TREE_AT + what,
			     programs_apart(c->block->program, addr)),
		    n);
}

/* A block begins in the range. */
static void
count_block(const struct flow_cpu *c)
{
	add(c, COUNT_BLOCKS, c->block->pc, 1);
	add(c, COUNT_WAITING, c->block->pc, c->waited);
	if (c->called)
		add(c, COUNT_CALLS, c->block->pc, 1);
	if (c->trapped)
		add(c, COUNT_INTERRUPTS, c->block->pc, 1);
}

/*
 * Whether most blocks of the CPU may just go on from the one before. `now` is
 * what its counter has.
 */
static bool
may_go(struct flow_cpu *c, uint64_t now)
{
	const uint64_t limit = all.asked.limit;

	c->look = now + LOOK_INSNS;
	if (limit && limit - all.counted < LOOK_INSNS)
		c->look = now + limit - all.counted;
	return all.simple && all.counting && !all.ended && c->started;
}

/* A block begins, after whatever it was. on_block() is short without it. */
__attribute__((noinline)) static void
begin(struct flow_cpu *c, unsigned vcpu, struct block *b)
{
	bool within, over = false;

	if (all.begun++ == 0)
		all.thread = pthread_self();
	if (all.begun % LOOK_BLOCKS == 0 ||
	    (all.going && *c->counter >= c->look))
		tell();
	if (!pthread_equal(all.thread, pthread_self()))
		msg_die(1, "vCPUs run in several threads: QEMU needs "
			   "-accel tcg,thread=single");
	settle();
	all.running = c;
	flow_begin(c, b, &all.asked, all.counting, all.counted);
	c->block->entered |= c->called || c->trapped;
	if (c->failed && counts(COUNT_INSNS) && all.counting) {
		all.counted--;
		tree_take_back(c->failed);
	}
	within = all.asked.in == 0 || flow_within(c, all.asked.in);
	if (has_come(
		all.in_range ? &all.asked.until : &all.asked.from, c->block)) {
		over = all.in_range;
		all.in_range = true;
	}
	all.counting = within && all.in_range && !over;
	if (all.asked.trace.on && c->started)
		flow_note(c, vcpu, all.seen, all.in_range);
	if (all.counting)
		count_block(c);
	if (all.asked.every && all.counted >= result_piece_end())
		result_piece();
	if (over || (all.asked.limit && all.counted >= all.asked.limit)) {
		all.ended = true;
		end(over ? END_UNTIL : END_LIMIT);
		kill(getpid(), SIGTERM);
	}
	all.going = may_go(c, c->begun) ? c : NULL;
}

static void
on_block(unsigned vcpu, void *userdata)
{
	struct flow_cpu *c = all.cpu[vcpu];

	if (c == all.going && !(all.asked.until.given &&
				  block_is(userdata, all.asked.until.addr))) {
		struct block *const before = c->block;

		if (flow_goes_on(c, userdata)) {
			if (*all.asked.cover)
				block_went(before, c->block->pc);
			return;
		}
	}
	if (!all.ended)
		begin(c, vcpu, userdata);
}

/*
 * After an exception QEMU 7.2 goes on to call this for what helpers access for
 * other blocks.
 */
static void
on_access(
    unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t addr, void *userdata)
{
	const bool store = qemu_plugin_mem_is_store(info);
	const uintptr_t bits = (uintptr_t)userdata & (SAVES | LOADS);
	struct flow_cpu *c = all.cpu[vcpu];

	if ((bits & (store ? SAVES : LOADS)) &&
	    c->block->first == (void *)((uintptr_t)userdata ^ bits))
		flow_touch(c, store, addr);
}

/* `userdata` is the instruction's address. */
static void
on_counted_access(
    unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t addr, void *userdata)
{
	(void)addr;
	if (all.counting)
		add(all.cpu[vcpu],
		    qemu_plugin_mem_is_store(info) ? COUNT_WRITES : COUNT_READS,
		    (uintptr_t)userdata, 1);
}

static void
on_judged(unsigned vcpu, void *count)
{
	(void)vcpu;
	*(uint64_t *)count += all.counting;
}

/* `bits` says what the instruction does to a return address in memory. */
static void
watch_insn(struct qemu_plugin_insn *insn, struct block *b, uint8_t bits)
{
	if (bits)
		qemu_plugin_register_vcpu_mem_cb(insn, on_access,
		    QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
		    (void *)((uintptr_t)b | bits));
	if (counts(COUNT_READS) || counts(COUNT_WRITES))
		qemu_plugin_register_vcpu_mem_cb(insn, on_counted_access,
		    QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
		    (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn));
}

/* Which program a block is of, by its first bytes; none is in the upper half.
 */
static unsigned
program_of(const struct block *b, const uint8_t *code, size_t n)
{
	const struct request *o = &all.asked;

	if (b->fits == 0 && b->pc >> PROGRAMS_BITS == 0 && b->pc >= o->low &&
	    b->pc <= o->high && slide_left(&all.slide, b->pc, code, n))
		return PROGRAMS_OTHER;
	return b->fits ? (unsigned)__builtin_ffsll((long long)b->fits)
		       : guest_program(b->pc, tree_in_file(b->pc));
}

static void
translate(struct qemu_plugin_tb *tb)
{
	uint8_t bits[BLOCK_INSNS], code[CODE_BYTES];
	bool fails[BLOCK_INSNS];
	size_t n_code = 0, n = qemu_plugin_tb_n_insns(tb);
	struct block *b;

	n = n < BLOCK_INSNS ? n : BLOCK_INSNS;
	b = block_new(
	    qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0)), n);
	b->fits = UINT64_MAX;
	for (uint16_t at = 0; b->n < n; b->after[b->n++] = at) {
		uint8_t bytes[VERSION_BYTES];
		size_t size =
		    version_bytes(qemu_plugin_tb_get_insn(tb, b->n), bytes);

		b->fits = programs_fit(b->fits, b->pc + at, bytes, size);
		if (n_code + size <= sizeof code) {
			memcpy(code + n_code, bytes, size);
			n_code += size;
		}
		b->last = insn_decode(all.arch, b->pc + at, bytes, size);
		bits[b->n] =
		    (uint8_t)(b->last.saves * SAVES + b->last.loads * LOADS);
		fails[b->n] = insn_may_fail(all.arch, bytes, size);
		at = (uint16_t)(at + size);
	}
	if (slide_look(&all.slide, b->pc, code, n_code)) {
		tree_move(all.asked.low, all.asked.top, slide_last(&all.slide));
		block_move();
	}
	b->program = program_of(b, code, n_code);
	/* what may begin a call does not just go on */
	b->tail = spans_named(
	    programs_apart(b->program, tree_in_file(b->last.target)));
	b = block_keep(b);
	if (all.asked.judge && b->judged == NULL)
		b->judged = xcalloc(n, sizeof *b->judged);
	version_count(tb, fails, n);
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *x = qemu_plugin_tb_get_insn(tb, i);

		watch_insn(x, b, bits[i]);
		if (b->judged)
			qemu_plugin_register_vcpu_insn_exec_cb(x, on_judged,
			    QEMU_PLUGIN_CB_NO_REGS, &b->judged[i]);
	}
	qemu_plugin_register_vcpu_tb_exec_cb(
	    tb, on_block, QEMU_PLUGIN_CB_NO_REGS, b);
}

static void
add_vcpu(unsigned vcpu)
{
	if (vcpu >= CPUS)
		msg_die(1, "more than %d vCPUs", CPUS);
	if (vcpu > 0 && all.one_cpu)
		msg_die(1, "QEMU 9.2 and later take one vCPU for another: "
			   "needs -smp 1");
	all.cpu[vcpu] = xcalloc(1, sizeof *all.cpu[vcpu]);
	flow_init(all.cpu[vcpu], vcpu);
	all.n_cpus = vcpu < all.n_cpus ? all.n_cpus : vcpu + 1;
	for (unsigned i = 0; i < all.n_cpus; i++)
		if (all.cpu[i])
			all.cpu[i]->counter = version_counter(i);
	if (all.running == NULL)
		all.running = all.cpu[vcpu];
}

static void
finish(void)
{
	if (!all.ended && all.begun > 0) {
		settle();
		end(END_EXIT);
	}
}

/* The code of the kernel, and then that of programs. */
static void
open_code(void)
{
	uint64_t size = 0, kernel = all.asked.code_size;
	const uint8_t *code = live_code(all.asked.code, &size);

	if (code && kernel > 0 && kernel <= size) {
		all.slide.code = code;
		all.slide.size = kernel;
	}
	if (code && kernel <= size)
		programs_init(all.asked.program, code + kernel, size - kernel);
}

int
qemu_plugin_install(
    qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	version_check(info->version.cur);
	all.live = result_open(argc, argv, &all.asked);
	all.slide.low = all.asked.low;
	open_code();
	if (all.asked.modules)
		guest_open(&(struct guest){all.asked.modules_to,
		    all.asked.modules_from, version_reader(), &all.slide,
		    all.asked.low, all.asked.top, &all.asked.from.addr,
		    &all.asked.until.addr, &all.asked.in});
	all.arch = version_arch(info);
	all.in_range = !all.asked.from.given;
	all.simple = request_is_simple(&all.asked);
	all.one_cpu = info->version.cur >= 4;
	version_register(id, info->version.cur,
	    &(struct version_calls){translate, add_vcpu, finish});
	return 0;
}
