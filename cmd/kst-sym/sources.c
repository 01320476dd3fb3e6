/* SPDX-License-Identifier: ISC */
/* --sources: which source file has a function of each name that is read. */
#include "sym.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "elf/elfsource.h"
#include "io/in.h"
#include "io/out.h"
#include "opt/opt.h"
#include "rights/rights.h"
#include "set/intern.h"

struct wanted {
	struct intern *names;
	bool *told; /* of these */
};

/* Texts of the file may have any bytes; a line has a tab and its end. */
static void
put(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		out_putc((unsigned char)s[i] < ' ' ? '?' : s[i]);
}

static void
take(void *ctx, const struct elfsource *s)
{
	struct wanted *w = ctx;
	size_t len = s->name_len;
	const char *dot = memchr(s->name, '.', len);
	uint32_t id = intern_find(w->names, s->name, len);

	if (id == UINT32_MAX && dot) { /* what a compiler has added */
		len = (size_t)(dot - s->name);
		id = intern_find(w->names, s->name, len);
	}
	if (id == UINT32_MAX || w->told[id])
		return;
	w->told[id] = true;
	put(s->name, len);
	out_putc('\t');
	put(s->file, s->file_len);
	out_putc('\n');
}

int
sym_sources(const struct opt_list *list, const struct rights *keeps,
    char **operands, int n)
{
	const char *elf = list->use[0].arg;
	struct wanted w = {.names = intern_new()};
	struct buf err = BUF_INIT;
	const char *line;
	int status = EXIT_OK;
	struct in in;
	size_t len;

	if (list->n != 1)
		opt_wrong("--sources takes one -e ELF");
	rights_keep(keeps);
	in_init(&in, operands, n);
	while (in_next(&in, &line, &len))
		intern_id(w.names, line, len);
	if (in_failed(&in))
		status = EXIT_FAILED;
	in_done(&in);
	w.told = xcalloc(intern_count(w.names) + 1, sizeof *w.told);
	if (intern_count(w.names) > 0 &&
	    elfsource_each(elf, take, &w, &err) != 0) {
		msg("%s: %s", msg_str(elf), buf_str(&err));
		status = EXIT_FAILED;
	}
	buf_done(&err);
	free(w.told);
	intern_free(w.names);
	return out_end(status);
}
