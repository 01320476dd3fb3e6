/* SPDX-License-Identifier: ISC */
/*
 * What comes from QEMU: packets of a gdb stub with the target description in
 * them, and the human monitor's registers and memory.
 */
#include "rsp/layout.h"
#include "qmp/qmp_text.h"
#include "rsp/rsppkt.h"
#include "memory/memory.h"

#include "fuzz.h"

struct docs {
	struct rspin *in;
	int left;
};

static char *
next_document(void *arg, const char *name)
{
	struct docs *d = arg;
	enum rsp_kind k;

	(void)name;
	while (d->left-- > 0 && (k = rspin_next(d->in)) != RSP_MORE)
		if (k == RSP_PACKET)
			return xmemdup0(d->in->data, d->in->len);
	return NULL;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xmemdup0((const char *)data, size);
	struct rspin in = {0};
	struct docs docs = {&in, 1000};
	struct vcpu cpu[2];
	struct snap s = {0};
	struct layout l;
	const char *why;

	buf_add(&in.raw, text, size);
	if (layout_read(&l, next_document, &docs, &why) == 0) {
		struct unwind_regs r;
		struct paging at;

		layout_regs(&l, data, size, &r, &at);
	}
	rspin_done(&in);
	memset(cpu, 0, sizeof cpu);
	for (int a = 0; a < UNWIND_ARCHS; a++)
		qmp_registers(text, (enum unwind_arch)a, cpu, 2);
	qmp_memory(text, 0xfffffffffffffff0, 64, &s);
	snap_done(&s);
	free(text);
	return 0;
}
