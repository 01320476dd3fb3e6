/* SPDX-License-Identifier: ISC */
/*
 * A plugin of QEMU that takes the time: how long a CPU was on its way to the
 * beginning of each block of code from that of the block before it. There a
 * request to stop finds it. What took longer than LIMIT was a stop, or another
 * process on its processor.
 *
 * arguments: out=FILE  gets lines of an address, ns, and how often
 *            on=FILE   counted while its first byte is 1
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "qemu/api.h"

enum { SLOT_BITS = 20, SLOTS = 1 << SLOT_BITS, LIMIT = 30000 /* ns */ };

struct place {
	uint64_t pc, ns, n;
};

static struct place *slot;
static uint64_t last;
static const char *out;
static volatile const char *on;

int qemu_plugin_version = 1;

static struct place *
find(uint64_t pc)
{
	size_t i = (size_t)(pc * 0x9e3779b97f4a7c15 >> (64 - SLOT_BITS));

	while (slot[i].pc != 0 && slot[i].pc != pc)
		i = (i + 1) % SLOTS;
	slot[i].pc = pc;
	return &slot[i];
}

static void
on_block(unsigned vcpu, void *place)
{
	struct place *p = place;
	struct timespec t;
	uint64_t now;

	(void)vcpu;
	clock_gettime(CLOCK_MONOTONIC, &t);
	now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	if (*on == 1 && now - last < LIMIT) {
		p->ns += now - last;
		p->n++;
	}
	last = now;
}

static void
on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	const struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(tb, 0);

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block,
	    QEMU_PLUGIN_CB_NO_REGS, find(qemu_plugin_insn_vaddr(first)));
}

static void
at_end(qemu_plugin_id_t id, void *arg)
{
	FILE *f = fopen(out, "w");

	(void)id, (void)arg;
	for (size_t i = 0; i < SLOTS; i++)
		if (slot[i].n > 0)
			fprintf(f, "%" PRIx64 " %" PRIu64 " %" PRIu64 "\n",
			    slot[i].pc, slot[i].ns, slot[i].n);
	fclose(f);
}

int
qemu_plugin_install(
    qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	if (argc != 2)
		return -1;
	out = strdup(argv[0] + strlen("out="));
	on = mmap(NULL, 1, PROT_READ, MAP_SHARED,
	    open(argv[1] + strlen("on="), O_RDONLY), 0);
	slot = calloc(SLOTS, sizeof *slot);
	if (on == MAP_FAILED || slot == NULL)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, at_end, NULL);
	return 0;
}
