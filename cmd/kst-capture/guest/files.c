/* SPDX-License-Identifier: ISC */
/* An @ may belong to a file's name: a file of the whole name comes first. */
#include "guest/files.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"
#include "guest/backend.h"

/* The spec with the file's whole path. NULL with errno: there is no file. */
static char *
absolute(const char *spec, bool *placed)
{
	const char *at = strrchr(spec, '@');
	char *path = realpath(spec, NULL), *name;
	struct buf whole = BUF_INIT;

	*placed = path == NULL && at != NULL && at != spec;
	if (!*placed)
		return path;
	name = xmemdup0(spec, (size_t)(at - spec));
	path = realpath(name, NULL);
	free(name);
	if (path == NULL)
		return NULL;
	buf_printf(&whole, "%s%s", path, at);
	free(path);
	return buf_str(&whole);
}

int
files_add(struct target *t, const char *spec)
{
	struct target_image *i;
	struct buf err = BUF_INIT;
	struct elfsym *sym;
	bool placed;
	char *whole = absolute(spec, &placed);

	if (whole == NULL) {
		msg_errno("%s", msg_str(spec));
		return -1;
	}
	sym = elfsym_load(whole, t->raw ? 0 : ELFSYM_INLINE, &err);
	free(whole);
	if (sym == NULL)
		msg("%s", msg_text(err.p, err.len));
	buf_done(&err);
	if (sym == NULL)
		return -1;
	t->image = xreallocn(t->image, t->n_image + 1, sizeof *t->image);
	i = &t->image[t->n_image++];
	*i = (struct target_image){sym, placed};
	return 0;
}

void
files_done(struct target *t)
{
	for (size_t i = 0; i < t->n_image; i++)
		elfsym_free(t->image[i].sym);
	free(t->image);
	t->n_image = 0;
}
