/* SPDX-License-Identifier: ISC */
/*
 * A plugin of QEMU that is called for each instruction, and so needs no rule
 * about blocks. It writes "0xADDRESS COUNT" lines to the file `result` after
 * `limit` instructions, and ends QEMU. In 7.2 to 10.0; for one thread.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qemu/api.h"

enum { PLACES = 1 << 20 };

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
    api_exec_cb cb, enum qemu_plugin_cb_flags flags, void *userdata);

static struct place {
	uint64_t addr, n;
} places[PLACES];
static uint64_t limit, total;
static const char *result;

int qemu_plugin_version = 1;

__attribute__((constructor)) static void
set_version(void)
{
	if (qemu_plugin_register_vcpu_insn_exec_inline == NULL)
		qemu_plugin_version = 3;
}

static void
end(void)
{
	FILE *f = fopen(result, "w");

	for (size_t i = 0; f && i < PLACES; i++)
		if (places[i].n > 0)
			fprintf(f, "0x%" PRIx64 " %" PRIu64 "\n",
			    places[i].addr, places[i].n);
	if (f == NULL || fclose(f) != 0)
		perror(result);
	kill(getpid(), SIGTERM);
}

static void
on_insn(unsigned vcpu, void *place)
{
	(void)vcpu;
	if (total == limit)
		return;
	((struct place *)place)->n++;
	if (++total == limit)
		end();
}

static struct place *
place_of(uint64_t addr)
{
	size_t i = addr * UINT64_C(0x9e3779b97f4a7c15) >> 44;

	while (places[i].addr != addr && places[i].addr != 0)
		i = (i + 1) % PLACES;
	places[i].addr = addr;
	return &places[i];
}

static void
on_tb(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *x = qemu_plugin_tb_get_insn(tb, i);

		qemu_plugin_register_vcpu_insn_exec_cb(x, on_insn,
		    QEMU_PLUGIN_CB_NO_REGS,
		    place_of(qemu_plugin_insn_vaddr(x)));
	}
}

int
qemu_plugin_install(
    qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	if (argc != 2 || strncmp(argv[0], "result=", 7) != 0 ||
	    strncmp(argv[1], "limit=", 6) != 0)
		return 1;
	result = argv[0] + 7;
	limit = strtoull(argv[1] + 6, NULL, 10);
	qemu_plugin_register_vcpu_tb_trans_cb(id, (api_any_cb)on_tb, NULL);
	return 0;
}
