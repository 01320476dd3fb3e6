/* SPDX-License-Identifier: ISC */
#include "guest/confine.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/port.h"
#include "elf/elfsym.h"
#include "guest/backend.h"
#include "opt/words.h"
#include "rights/rights.h"

/*
 * The file itself, and its folder if its debug information may be in other
 * files, which libdw opens when it needs them.
 */
static void
add_image(struct words *w, struct elfsym *s)
{
	char path[PORT_FD_PATH], *file;
	const unsigned char *data;
	uint64_t addr, size;

	elfsym_reopen(s, path);
	words_add(w, path);
	if (!elfsym_section(s, ".debug_addr", &addr, &size, &data))
		return;
	file = realpath(elfsym_path(s), NULL);
	if (file) {
		*strrchr(file, '/') = 0;
		words_add(w, *file ? file : "/");
	}
	free(file);
}

/* What is in a folder of programs may be links to files elsewhere. */
static void
add_programs(struct words *w, const char *dir)
{
	DIR *d = dir ? opendir(dir) : NULL;
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL)
		if (e->d_type == DT_LNK || e->d_type == DT_UNKNOWN)
			words_addf(w, "%s/%s", dir, e->d_name);
	if (d)
		closedir(d);
}

void
confine(const struct target *t, const struct rights *and)
{
	const char *const folders[] = {
	    t->sysroot, t->user_dir, "/usr/lib/debug"};
	struct rights all = *and;
	struct words w = {0};

	for (int i = 0; i < and->n_reads; i++)
		words_add(&w, and->reads[i]);
	for (size_t i = 0; i < t->n_image; i++)
		add_image(&w, t->image[i].sym);
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (folders[i])
			words_add(&w, folders[i]);
	add_programs(&w, t->user_dir);
	all.reads = w.v;
	all.n_reads = (int)w.n;
	/* unwinding tables of the guest's memory become a file in ours */
	all.also |= RIGHTS_GUARD | RIGHTS_MEMORY;
	if (t->sysroot || t->user_dir)
		all.also |= RIGHTS_NAMES;
	rights_keep(&all);
	words_done(&w);
}
