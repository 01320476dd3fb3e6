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
#include "base/num.h"
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
	struct program program;
};

struct procs {
	const struct osfile *os;
	struct unwinder *u;
	const struct reader *r;
	uint8_t *bytes; /* of the metadata, read last */
	struct file *file;
	size_t n_file;
	size_t n_nameless;
	struct known *known;
	size_t n, cap;
};

/*
 * Reads the bytes of a program at an address, to be freed, and their hash; NULL
 * without them. *f: what is known of these.
 */
static uint8_t *
find(struct procs *p, struct file *what, uint64_t at, struct file **f)
{
	uint8_t *bytes = xmalloc(what->size);

	*f = NULL;
	if (p->r->read(p->r->arg, at, bytes, what->size) != 0) {
		free(bytes);
		return NULL;
	}
	what->hash = hash_bytes(bytes, what->size);
	for (size_t i = 0; i < p->n_file && *f == NULL; i++) {
		struct file *k = &p->file[i];

		if (k->hash == what->hash && k->size == what->size &&
		    k->text_at == what->text_at &&
		    k->frame_at == what->frame_at)
			*f = k;
	}
	return bytes;
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
		msg("%s: no program with a section .text found", dir);
	return 0;
}

struct procs *
procs_new(const struct osfile *os, const char *dir, struct unwinder *u,
    const struct reader *r)
{
	struct procs *p = xcalloc(1, sizeof *p);

	p->os = os;
	p->u = u;
	p->r = r;
	p->bytes = xmalloc(os->size + 1);
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
	free(p->bytes);
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

/* Which program it is, by its .text. */
static const struct program *
identify(struct procs *p, const uint64_t *field)
{
	struct file what = {.size = field[OS_TEXT_SIZE]}, *f;
	size_t i = 0;

	/* The hash of another size cannot match. */
	while (i < p->n_file && p->file[i].size != what.size)
		i++;
	if (i == p->n_file || what.size > TEXT_MAX)
		return NULL;
	free(find(p, &what, field[OS_TEXT], &f));
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
identify_frames(struct procs *p, const uint64_t *field)
{
	struct file new = {.size = field[OS_EH_FRAME_SIZE],
	    .text_at = field[OS_TEXT],
	    .frame_at = field[OS_EH_FRAME],
	    .loaded = true,
	    .program.name = "<unknown>"},
		    *f;
	uint8_t *eh;

	if (new.size == 0 || new.size > FRAMES_MAX || field[OS_TEXT_SIZE] == 0)
		return NULL;
	eh = find(p, &new, new.frame_at, &f);
	if (eh != NULL && f == NULL && p->n_nameless < NAMELESS_MAX)
		new.program.module = unwinder_add_frames(
		    p->u, &(struct unwind_frames){new.text_at,
			      field[OS_TEXT_SIZE], new.frame_at, eh, new.size});
	if (new.program.module != NULL) {
		unwind_module_use(new.program.module, false);
		p->n_nameless++;
		f = add(p, &new);
	}
	free(eh);
	return f != NULL ? &f->program : NULL;
}

const struct program *
procs_find(struct procs *p, struct vcpu *c)
{
	uint64_t field[OS_FIELDS] = {0};
	const struct program *found;
	struct known *k;

	if (p->r->read(p->r->arg, p->os->metadata, p->bytes, p->os->size) != 0)
		return NULL;
	for (int i = 0; i < OS_FIELDS; i++)
		if (p->os->offset[i] != UINT32_MAX)
			field[i] =
			    uint_load(p->bytes + p->os->offset[i], 8, false);
	c->runs.pid = field[OS_PID];
	for (size_t i = 0; i < p->n; i++)
		if (memcmp(p->known[i].field, field, sizeof field) == 0)
			return &p->known[i].program;
	found = identify(p, field);
	if (found == NULL)
		found = identify_frames(p, field);
	p->n = p->n == PROCS_MAX ? 0 : p->n;
	k = xpush(p->known, p->n, p->cap);
	k->program = found != NULL ? *found : (struct program){0};
	memcpy(k->field, field, sizeof field);
	return &k->program;
}
