/* SPDX-License-Identifier: ISC */
/*
 * Metadata that are equal in every word are of the same process: a pid that
 * comes again with another program differs in its sizes. A program stays known,
 * since two processes can run it.
 */
#include "guest/procs.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/buf.h"
#include "set/hash.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"

enum {
	PROCS_MAX = 1 << 12,
	TEXT_MAX = 64 << 20,
	FRAMES_MAX = 1 << 20, /* bytes of .eh_frame that are read */
	NAMELESS_MAX = 64     /* programs without a file */
};

/* A program by what its memory holds: .text, or, without a file, .eh_frame. */
struct file {
	char *path;		    /* NULL: there is no file */
	uint64_t hash, size;	    /* of .text, or of .eh_frame */
	uint64_t text_at, frame_at; /* their addresses, without a file */
	bool loaded;
	struct program program;
};

struct known {
	uint64_t field[OS_FIELDS];
	struct process process;
};

struct procs {
	const struct osfile *os;
	struct unwinder *u;
	struct file *file;
	size_t n_file;
	size_t n_nameless;
	struct known *known;
	size_t n, cap;
};

static struct file *
find(const struct procs *p, const struct file *what)
{
	for (size_t i = 0; i < p->n_file; i++) {
		struct file *f = &p->file[i];

		if (f->hash == what->hash && f->size == what->size &&
		    f->text_at == what->text_at &&
		    f->frame_at == what->frame_at)
			return f;
	}
	return NULL;
}

static struct file *
add(struct procs *p, const struct file *what)
{
	p->file = xreallocn(p->file, p->n_file + 1, sizeof *p->file);
	p->file[p->n_file] = *what;
	return &p->file[p->n_file++];
}

static void
add_file(struct procs *p, const char *dir, const char *name)
{
	struct buf path = BUF_INIT, err = BUF_INIT;
	const unsigned char *text;
	struct elfsym *sym = NULL;
	uint64_t addr, size;
	struct stat st;

	buf_printf(&path, "%s/%s", dir, name);
	if (stat(buf_str(&path), &st) == 0 && S_ISREG(st.st_mode))
		sym = elfsym_load(path.p, 0, &err);
	if (sym != NULL && elfsym_section(sym, ".text", &addr, &size, &text) &&
	    text != NULL && size > 0) {
		struct file f = {.hash = hash_bytes(text, size), .size = size};

		f.path = xmemdup0(path.p, path.len);
		f.program.name = f.path + path.len - strlen(name);
		add(p, &f);
	}
	if (sym != NULL)
		elfsym_free(sym);
	buf_done(&path);
	buf_done(&err);
}

/* Returns -1 after a message. */
static int
add_folder(struct procs *p, const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	if (d == NULL) {
		msg_errno("%s", dir);
		return -1;
	}
	while ((e = readdir(d)) != NULL)
		if (e->d_name[0] != '.')
			add_file(p, dir, e->d_name);
	closedir(d);
	if (p->n_file == 0)
		msg("%s: no program with a .text in it", dir);
	return 0;
}

struct procs *
procs_new(const struct osfile *os, const char *dir, struct unwinder *u)
{
	struct procs *p = xcalloc(1, sizeof *p);

	p->os = os;
	p->u = u;
	if (dir == NULL || add_folder(p, dir) == 0)
		return p;
	procs_free(p);
	return NULL;
}

void
procs_free(struct procs *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->n_file; i++) {
		elfsym_free(p->file[i].program.sym);
		free(p->file[i].path);
	}
	free(p->file);
	free(p->known);
	free(p);
}

static void
load(struct procs *p, struct file *f)
{
	struct program *new = &f->program;
	struct buf err = BUF_INIT;
	const char *why;

	f->loaded = true;
	new->sym = elfsym_load(f->path, ELFSYM_INLINE | ELFSYM_TAILS, &err);
	if (new->sym != NULL)
		new->module = unwinder_add(p->u, f->path, 0, true, &why);
	if (new->module != NULL)
		unwind_module_use(new->module, false);
	else
		msg("%s: %s", f->path, new->sym != NULL ? why : buf_str(&err));
	buf_done(&err);
}

/* Which program it is, by reading its .text and hashing that. */
static const struct program *
identify(struct procs *p, const uint64_t *field, struct vcpu *c,
    vcpu_read *read, void *arg)
{
	struct file what = {.size = field[OS_TEXT_SIZE]}, *f = NULL;
	uint8_t *text;
	size_t i = 0;

	/* The hash of another size cannot match. */
	while (i < p->n_file && p->file[i].size != what.size)
		i++;
	if (i == p->n_file || what.size > TEXT_MAX)
		return NULL;
	text = xmalloc(what.size);
	if (read(arg, c, field[OS_TEXT], text, what.size) == 0) {
		what.hash = hash_bytes(text, what.size);
		f = find(p, &what);
	}
	free(text);
	if (f == NULL)
		return NULL;
	if (!f->loaded)
		load(p, f);
	if (f->program.sym != NULL) {
		elfsym_rebase(f->program.sym, field[OS_IMAGE_BASE]);
		f->program.bias = elfsym_bias(f->program.sym);
	}
	return &f->program;
}

/* A program that no file is of: its stacks are unwound all the same. */
static const struct program *
identify_frames(struct procs *p, const uint64_t *field, struct vcpu *c,
    vcpu_read *read, void *arg)
{
	const size_t n = field[OS_EH_FRAME_SIZE];
	struct file new = {.size = n,
	    .text_at = field[OS_TEXT],
	    .frame_at = field[OS_EH_FRAME],
	    .loaded = true,
	    .program.name = "<unknown>"},
		    *f = NULL;
	uint8_t *eh;

	if (n == 0 || n > FRAMES_MAX || field[OS_TEXT_SIZE] == 0)
		return NULL;
	eh = xmalloc(n);
	if (read(arg, c, field[OS_EH_FRAME], eh, n) == 0) {
		new.hash = hash_bytes(eh, n);
		f = find(p, &new);
		if (f == NULL && p->n_nameless < NAMELESS_MAX)
			new.program.module = unwinder_add_frames(p->u,
			    &(struct unwind_frames){new.text_at,
				field[OS_TEXT_SIZE], new.frame_at, eh, n});
	}
	if (new.program.module != NULL) {
		unwind_module_use(new.program.module, false);
		p->n_nameless++;
		f = add(p, &new);
	}
	free(eh);
	return f != NULL ? &f->program : NULL;
}

const struct process *
procs_find(struct procs *p, struct vcpu *c, vcpu_read *read, void *arg)
{
	uint64_t field[OS_FIELDS] = {0};
	const struct program *found;
	struct known *k;

	for (int i = 0; i < OS_FIELDS; i++)
		if (p->os->offset[i] != UINT32_MAX &&
		    snap_word(&c->snap, p->os->metadata + p->os->offset[i], 8,
			&field[i]) != 0)
			return NULL;
	for (size_t i = 0; i < p->n; i++)
		if (memcmp(p->known[i].field, field, sizeof field) == 0)
			return &p->known[i].process;
	if (p->n == PROCS_MAX)
		p->n = 0;
	found = identify(p, field, c, read, arg);
	if (found == NULL)
		found = identify_frames(p, field, c, read, arg);
	k = xpush(p->known, p->n, p->cap);
	*k = (struct known){.process.pid = field[OS_PID]};
	memcpy(k->field, field, sizeof field);
	if (found != NULL)
		k->process.program = *found;
	return &k->process;
}
