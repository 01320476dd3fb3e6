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
	PROCS_MAX = 1 << 16,
	TEXT_MAX = 64 << 20,
	FRAMES_MAX = 1 << 20, /* bytes of .eh_frame that are read */
	NAMELESS_MAX = 64,    /* programs without a file */
	BUCKETS = 1024
};

struct file {
	char *path;
	const char *name;
	uint64_t hash, size; /* of .text */
};

/* A program by what its memory holds: .text, or, without a file, .eh_frame. */
struct loaded {
	struct loaded *next;
	uint64_t hash, at; /* at: of the image, or of .text */
	uint64_t eh_frame; /* its address; 0: there is a file */
	struct program program;
};

struct known {
	uint64_t field[OS_FIELDS];
	struct process process;
	struct known *next; /* of the same hash bucket */
};

struct procs {
	const struct osfile *os;
	struct unwinder *u;
	struct file *file;
	size_t n_file;
	struct loaded *loaded;
	size_t n_nameless;
	struct known *bucket[BUCKETS];
	size_t n;
};

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
		struct file *f;

		p->file = xreallocn(p->file, p->n_file + 1, sizeof *p->file);
		f = &p->file[p->n_file++];
		f->path = xmemdup0(path.p, path.len);
		f->name = f->path + path.len - strlen(name);
		f->size = size;
		f->hash = hash_bytes(text, size);
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

static void
forget_all(struct procs *p)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		while (p->bucket[i] != NULL) {
			struct known *k = p->bucket[i];

			p->bucket[i] = k->next;
			free(k);
		}
	}
	p->n = 0;
}

void
procs_free(struct procs *p)
{
	struct loaded *next;

	if (p == NULL)
		return;
	forget_all(p);
	for (struct loaded *l = p->loaded; l != NULL; l = next) {
		next = l->next;
		if (l->program.sym != NULL)
			elfsym_free(l->program.sym);
		free(l);
	}
	for (size_t i = 0; i < p->n_file; i++)
		free(p->file[i].path);
	free(p->file);
	free(p);
}

static const struct program *
find_loaded(const struct procs *p, uint64_t hash, uint64_t at, uint64_t eh)
{
	for (const struct loaded *l = p->loaded; l != NULL; l = l->next)
		if (l->hash == hash && l->at == at && l->eh_frame == eh)
			return &l->program;
	return NULL;
}

static struct program *
add_loaded(struct procs *p, const struct loaded *what)
{
	struct loaded *l = xcalloc(1, sizeof *l);

	*l = *what;
	l->next = p->loaded;
	p->loaded = l;
	if (l->program.module != NULL)
		unwind_module_use(l->program.module, false);
	return &l->program;
}

static const struct program *
load_file(struct procs *p, const struct file *f, uint64_t base)
{
	struct loaded l = {
	    .hash = f->hash, .at = base, .program.name = f->name};
	struct program *new = &l.program;
	struct buf err = BUF_INIT;
	const char *why;

	new->sym = elfsym_load(f->path, ELFSYM_INLINE | ELFSYM_TAILS, &err);
	if (new->sym != NULL) {
		elfsym_rebase(new->sym, base);
		new->bias = elfsym_bias(new->sym);
		new->module =
		    unwinder_add(p->u, f->path, new->bias, true, &why);
	}
	if (new->module == NULL)
		msg("%s: %s", f->path, new->sym != NULL ? why : buf_str(&err));
	buf_done(&err);
	return add_loaded(p, &l);
}

/* Which program it is, by reading its .text and hashing that. */
static const struct program *
identify(struct procs *p, const uint64_t *field, struct vcpu *c,
    vcpu_read *read, void *arg)
{
	const uint64_t size = field[OS_TEXT_SIZE], base = field[OS_IMAGE_BASE];
	const struct program *found = NULL;
	uint64_t hash = 0;
	uint8_t *text;
	size_t i = 0;

	/* The hash of another size cannot match. */
	while (i < p->n_file && p->file[i].size != size)
		i++;
	if (i == p->n_file || size > TEXT_MAX)
		return NULL;
	text = xmalloc(size);
	i = p->n_file;
	if (read(arg, c, field[OS_TEXT], text, size) == 0) {
		hash = hash_bytes(text, size);
		found = find_loaded(p, hash, base, 0);
		i = 0;
	}
	free(text);
	for (; found == NULL && i < p->n_file; i++)
		if (p->file[i].hash == hash)
			found = load_file(p, &p->file[i], base);
	return found;
}

/* A program that no file is of: its stacks are unwound all the same. */
static const struct program *
identify_frames(struct procs *p, const uint64_t *field, const uint8_t *eh)
{
	const size_t n = field[OS_EH_FRAME_SIZE];
	struct loaded l = {.hash = hash_bytes(eh, n),
	    .at = field[OS_TEXT],
	    .eh_frame = field[OS_EH_FRAME],
	    .program.name = "<unknown>"};
	const struct program *found = find_loaded(p, l.hash, l.at, l.eh_frame);

	if (found != NULL || p->n_nameless == NAMELESS_MAX)
		return found;
	l.program.module = unwinder_add_frames(
	    p->u, &(struct unwind_frames){
		      l.at, field[OS_TEXT_SIZE], l.eh_frame, eh, n});
	if (l.program.module == NULL)
		return NULL;
	p->n_nameless++;
	return add_loaded(p, &l);
}

static const struct program *
read_frames(struct procs *p, const uint64_t *field, struct vcpu *c,
    vcpu_read *read, void *arg)
{
	const uint64_t n = field[OS_EH_FRAME_SIZE];
	const struct program *found = NULL;
	uint8_t *eh;

	if (n == 0 || n > FRAMES_MAX || field[OS_TEXT_SIZE] == 0)
		return NULL;
	eh = xmalloc(n);
	if (read(arg, c, field[OS_EH_FRAME], eh, n) == 0)
		found = identify_frames(p, field, eh);
	free(eh);
	return found;
}

const struct process *
procs_find(struct procs *p, struct vcpu *c, vcpu_read *read, void *arg)
{
	uint64_t field[OS_FIELDS] = {0};
	struct known **head, *k;

	for (int i = 0; i < OS_FIELDS; i++)
		if (p->os->offset[i] != UINT32_MAX &&
		    snap_word(&c->snap, p->os->metadata + p->os->offset[i], 8,
			&field[i]) != 0)
			return NULL;
	head = &p->bucket[hash_bytes(field, sizeof field) % BUCKETS];
	for (k = *head; k != NULL; k = k->next)
		if (memcmp(k->field, field, sizeof field) == 0)
			return &k->process;
	if (p->n == PROCS_MAX)
		forget_all(p);
	k = xcalloc(1, sizeof *k);
	memcpy(k->field, field, sizeof field);
	k->process.pid = field[OS_PID];
	k->process.program = identify(p, field, c, read, arg);
	if (k->process.program == NULL)
		k->process.program = read_frames(p, field, c, read, arg);
	k->next = *head;
	*head = k;
	p->n++;
	return &k->process;
}
