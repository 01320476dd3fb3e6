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

#include "plugin/api.h"
#include "plugin/count.h"

enum { INSN_BYTES = 16, BLOCK_INSNS = 512, CPUS = 1024 };

/* Of an instruction, in the low bits of its block's address. */
enum { SAVES = 1, LOADS = 2 };

struct cpu {
	struct flow_cpu flow;
	uint64_t *insns, seen; /* executed: QEMU's number, and when last seen */
};

static struct {
	struct options o;
	struct range range;
	struct flow flow;
	struct block *blocks;
	struct cpu *cpu[CPUS];
	struct cpu *running; /* or the last to run */
	struct qemu_plugin_scoreboard *score;
	uint64_t insns;	   /* executed, of all vCPUs, in version 1 */
	uint64_t accesses; /* reads or writes since the block began */
	uint64_t counted;  /* instructions in the range */
	uint64_t piece;	   /* those at the end of this piece */
	pthread_t thread;
	FILE *out;
	bool counting, ended;
	/*
	 * Since QEMU 10.0, version 4, the number of a vCPU is that of the one
	 * that translated the block, and the constant 1 is multiplied with it.
	 */
	bool one_cpu;
} all;

int qemu_plugin_version = 1;

/* QEMU reads the version once the file is loaded. */
__attribute__((constructor)) static void
set_version(void)
{
	if (qemu_plugin_register_vcpu_insn_exec_inline == NULL)
		qemu_plugin_version = 3;
}

static void
write_piece(void)
{
	char prefix[32] = "";

	if (all.o.every)
		snprintf(prefix, sizeof prefix, "[%.9fs];",
		    (double)(all.piece - all.o.every) / 1e9);
	tree_write(&all.flow.tree, prefix, all.out);
	all.piece += all.o.every;
}

/* The last line tells that the file is whole. */
static void
end(void)
{
	if (all.ended)
		return;
	all.ended = true;
	write_piece();
	if (fflush(all.out) == 0)
		fprintf(
		    all.out, "#kst:unit=%s,exact=1\n", count_units[all.o.what]);
	if (ferror(all.out) || fclose(all.out) != 0)
		perror("kst-count");
}

static bool
counts_accesses(void)
{
	return all.o.what == COUNT_READS || all.o.what == COUNT_WRITES;
}

static void
add(uint32_t node, uint64_t n)
{
	all.flow.tree.node[node].count += n;
}

/* Counts what was executed since a block began last. */
static void
settle(void)
{
	struct cpu *c = all.running;
	uint64_t insns = *c->insns - c->seen;

	if (all.score == NULL)
		for (size_t i = 0; i < CPUS && all.cpu[i]; i++)
			all.cpu[i]->seen = all.insns;
	c->seen = *c->insns;
	c->flow.executed += insns;
	if (all.counting) {
		all.counted += insns;
		if (all.o.what == COUNT_INSNS)
			add(c->flow.leaf, insns);
		else if (counts_accesses())
			add(c->flow.leaf, all.accesses);
	}
	all.accesses = 0;
}

static bool
is_within(struct shadow *k, uint64_t pc)
{
	if (all.o.in == 0)
		return true;
	if (k->within == 0 && pc == all.o.in)
		k->within = k->n + 1;
	return k->within > 0;
}

static void
on_block(unsigned vcpu, void *userdata)
{
	struct cpu *c = all.cpu[vcpu];
	struct block *b = userdata;
	bool in_range;

	if (all.ended)
		return;
	settle();
	all.running = c;
	flow_begin(&all.flow, &c->flow, b);
	if (c->flow.failed && all.o.what == COUNT_INSNS && all.counting) {
		all.counted--;
		add(c->flow.failed, UINT64_MAX);
	}
	in_range = range_look(&all.range, b->pc);
	all.counting = is_within(c->flow.stack, b->pc) && in_range;
	if (all.counting && (all.o.what == COUNT_BLOCKS ||
				(all.o.what == COUNT_CALLS && c->flow.called)))
		add(c->flow.leaf, 1);
	if (all.o.every && all.counted >= all.piece)
		write_piece();
	if (all.range.ended || (all.o.limit && all.counted >= all.o.limit)) {
		end();
		kill(getpid(), SIGTERM);
	}
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
	struct flow_cpu *c = &all.cpu[vcpu]->flow;

	if ((bits & (store ? SAVES : LOADS)) &&
	    c->block == (void *)((uintptr_t)userdata ^ bits))
		flow_touch(&all.flow, c, store, addr);
	all.accesses += store == (all.o.what == COUNT_WRITES);
}

static size_t
insn_bytes(const struct qemu_plugin_insn *insn, uint8_t *to)
{
	size_t n = qemu_plugin_insn_size(insn);

	n = n > INSN_BYTES ? INSN_BYTES : n;
	if (qemu_plugin_version > 1)
		return qemu_plugin_insn_data(insn, to, n);
	memcpy(to, (const void *)qemu_plugin_insn_data(insn, NULL, 0), n);
	return n;
}

static void
watch_insn(struct qemu_plugin_insn *insn, struct block *b, const struct insn *x)
{
	uintptr_t bits = x->saves * SAVES + x->loads * LOADS;

	if (bits || counts_accesses())
		qemu_plugin_register_vcpu_mem_cb(insn, on_access,
		    QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
		    (void *)((uintptr_t)b | bits));
	if (all.score == NULL)
		qemu_plugin_register_vcpu_insn_exec_inline(
		    insn, QEMU_PLUGIN_INLINE_ADD_U64, &all.insns, 1);
	else
		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn,
		    QEMU_PLUGIN_INLINE_ADD_U64, (qemu_plugin_u64){all.score, 0},
		    1);
}

static void
on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	struct block *b;

	(void)id;
	n = n < BLOCK_INSNS ? n : BLOCK_INSNS;
	b = mem_zeroed(1, sizeof *b + n);
	b->next = all.blocks;
	all.blocks = b;
	b->pc = b->end = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
	for (b->n = 0; b->n < n; b->end += b->size[b->n++]) {
		struct qemu_plugin_insn *insn =
		    qemu_plugin_tb_get_insn(tb, b->n);
		uint8_t bytes[INSN_BYTES];

		b->size[b->n] = (uint8_t)insn_bytes(insn, bytes);
		b->last =
		    insn_decode(all.flow.arch, b->end, bytes, b->size[b->n]);
		watch_insn(insn, b, &b->last);
	}
	qemu_plugin_register_vcpu_tb_exec_cb(
	    tb, on_block, QEMU_PLUGIN_CB_NO_REGS, b);
}

/* QEMU gives up all translations; those that vCPUs are in are looked at again.
 */
static void
on_flush(qemu_plugin_id_t id)
{
	struct block *b = all.blocks, *next;

	(void)id;
	all.blocks = NULL;
	for (; b; b = next) {
		bool used = false;

		next = b->next;
		for (size_t i = 0; i < CPUS && all.cpu[i]; i++)
			used |= all.cpu[i]->flow.block == b;
		if (used) {
			b->next = all.blocks;
			all.blocks = b;
		} else {
			free(b);
		}
	}
}

static void
on_vcpu(qemu_plugin_id_t id, unsigned vcpu)
{
	struct cpu *c = mem_zeroed(1, sizeof *c);
	const char *why =
	    vcpu >= CPUS ? "more than 1024 vCPUs"
	    : vcpu > 0 && all.one_cpu
		? "QEMU 9.2 and later take one vCPU for another: needs -smp 1"
	    : all.running && !pthread_equal(all.thread, pthread_self())
		? "vCPUs run in several threads: QEMU needs "
		  "-accel tcg,thread=single"
		: NULL;

	(void)id;
	if (why) {
		say("%s", why);
		_exit(1);
	}
	all.thread = pthread_self();
	all.cpu[vcpu] = c;
	c->flow.stack = shadow_new(
	    &all.flow, tree_child(&all.flow.tree, 0, TREE_CPU, vcpu));
	c->insns = all.score ? qemu_plugin_scoreboard_find(all.score, vcpu)
			     : &all.insns;
	if (all.running == NULL)
		all.running = c;
}

static void
on_exit_of_qemu(qemu_plugin_id_t id, void *userdata)
{
	(void)id, (void)userdata;
	if (all.ended || all.running == NULL)
		return;
	settle();
	end();
}

static bool
find_arch(const char *target)
{
	if (strcmp(target, "x86_64") == 0 || strcmp(target, "i386") == 0)
		all.flow.arch = INSN_X86;
	else if (strcmp(target, "aarch64") == 0)
		all.flow.arch = INSN_ARM64;
	else if (strncmp(target, "riscv", 5) == 0)
		all.flow.arch = INSN_RISCV;
	else
		return false;
	return true;
}

int
qemu_plugin_install(
    qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	if (options_take(&all.o, argc, argv) != 0)
		return -1;
	if (!info->system_emulation || !find_arch(info->target_name)) {
		say("unsupported processor: %s", info->target_name);
		return -1;
	}
	if ((all.out = fopen(all.o.out, "we")) == NULL) {
		perror("kst-count");
		return -1;
	}
	tree_init(&all.flow.tree);
	all.flow.low = all.o.low;
	all.flow.high = all.o.high;
	all.range =
	    (struct range){.o = &all.o, .begun = !all.o.from.given, .log = -1};
	all.piece = all.o.every;
	all.one_cpu = info->version.cur >= 4;
	if (qemu_plugin_version > 1)
		all.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_flush_cb(id, on_flush);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
	return 0;
}
