/* SPDX-License-Identifier: ISC */
/* The ELF files in use: the unwinder's module for each, and where it is loaded.
 */
#include "guest/images.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "guest/locate.h"
#include "base/msg.h"
#include "base/port.h"
#include "base/summary.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"
#include "guest/backend.h"
#include "os/osfile.h"
#include "wire/clock.h"

enum { PLACES_MAX = 256, NAMED_MAX = 1 << 12 };

/* Pages of the kernel that are mapped elsewhere, too, and those looked at. */
enum { PAGES_MAX = 8, LOOKED = 64 };
#define PAGE UINT64_C(4096)

struct image {
	struct elfsym *sym;
	struct unwind_module *module; /* NULL: it cannot be one */
	bool program;		      /* at any place, or at several */
	bool wanted;		      /* not yet looked for */
	bool met;		      /* its code was found */
	char *path; /* what the guest calls it, else NULL; sym may be so */
};

struct images {
	struct unwinder *u;
	const struct target *t;
	const struct reader *r;
	struct image *image;
	size_t n;
	struct likeness last;	  /* of the kernel, when it did not fit */
	uint64_t linked, said[2]; /* its bias at first, and those told */
	size_t n_said;
	struct program met[PLACES_MAX]; /* the latest, where they were */
	size_t n_met;
	struct {
		uint64_t at, own;
	} page[PAGES_MAX];
	size_t n_page;
	uint64_t looked[LOOKED]; /* by page number */
};

/* Makes a module of a file. Returns -1 after a message. */
static int
add_module(struct images *im, struct image *i)
{
	char path[PORT_FD_PATH];
	const char *why;

	elfsym_reopen(i->sym, path);
	i->module =
	    unwinder_add(im->u, path, elfsym_bias(i->sym), i->program, &why);
	if (why != NULL)
		msg("%s: %s", msg_str(elfsym_path(i->sym)), why);
	if (i->module == NULL)
		return -1;
	unwind_module_use(i->module, !i->program);
	return 0;
}

struct images *
images_new(const struct target *t, struct unwinder *u,
    const struct unwind_abi *abi, const struct reader *r)
{
	struct images *im = xcalloc(1, sizeof *im);
	bool ok = true;

	im->u = u;
	im->t = t;
	im->r = r;
	im->image = xcalloc(t->n_image + 1, sizeof *im->image);
	for (; ok && im->n < t->n_image; im->n++) {
		struct image *i = &im->image[im->n];

		i->sym = t->image[im->n].sym;
		i->program = im->n > 0 && !t->image[im->n].placed;
		ok = add_module(im, i) == 0 || i->program;
	}
	if (!ok) {
		images_free(im);
		return NULL;
	}
	im->linked = im->n > 0 ? elfsym_bias(im->image->sym) : 0;
	if (t->os != NULL && im->n > 0)
		osfile_apply(t->os, im->image->sym, abi, im->image->module);
	return im;
}

void
images_free(struct images *im)
{
	if (im == NULL)
		return;
	for (size_t i = im->t->n_image; i < im->n; i++) {
		elfsym_free(im->image[i].sym);
		free(im->image[i].path);
	}
	free(im->image);
	free(im);
}

static void
refuse(struct elfsym *sym, const struct likeness *l)
{
	const char *name = msg_str(elfsym_path(sym));
	const unsigned char *code;
	uint64_t addr, size;

	if (signals_caught > 1) {
		msg("interrupted");
		return;
	}
	summary_word("kernel", "other");
	if (elfsym_section(sym, ".text", &addr, &size, &code) && !code)
		msg("no CPU is at the addresses in %s, and without code a "
		    "relocated kernel cannot be found: give vmlinuz instead, "
		    "or boot Linux with nokaslr",
		    name);
	else if (l->places == 0)
		msg("%s is not the running kernel, or it has not started yet: "
		    "no CPU is in its code (--no-check samples anyway)",
		    name);
	else
		msg("%s is not the running kernel: its code differs from the "
		    "guest's memory at %d of %d places (--no-check samples "
		    "anyway)",
		    name, l->places - l->equal, l->places);
}

int
images_check(const struct target *t, const struct reader *r)
{
	struct likeness l;

	if (t->n_image == 0 || !t->check ||
	    locate_fits(t->image[0].sym, r, &l) ||
	    (l.places == 0 && signals_caught <= 1))
		return 0;
	refuse(t->image[0].sym, &l);
	return -1;
}

/* A kernel that begins at an alias is at two places, each said once. */
static void
say_place(struct images *im, const char *path, uint64_t bias)
{
	const uint64_t slide = bias - im->linked;

	for (size_t i = 0; i < im->n_said; i++)
		if (im->said[i] == bias)
			return;
	if (im->n_said == sizeof im->said / sizeof *im->said)
		return;
	im->said[im->n_said++] = bias;
	if (slide == 0)
		msg("%s has moved to its link address", msg_str(path));
	else
		msg("%s was loaded 0x%" PRIx64
		    " %s its link address (for other commands: "
		    "-e %s@+0x%" PRIx64 ")",
		    msg_str(path), (int64_t)slide < 0 ? -slide : slide,
		    (int64_t)slide < 0 ? "below" : "above", msg_str(path),
		    bias);
}

bool
images_confirm(struct images *im, uint64_t pc)
{
	struct image *k = im->image;
	struct around a;

	if (elfsym_covers(k->sym, pc) && locate_fits(k->sym, im->r, &im->last))
		return true;
	if (locate_look(&a, pc, im->r) != 0 || !locate(k->sym, &a, false))
		return false;
	unwind_module_move(k->module, elfsym_bias(k->sym));
	say_place(im, elfsym_path(k->sym), elfsym_bias(k->sym));
	return true;
}

void
images_refuse(const struct images *im)
{
	refuse(im->image->sym, &im->last);
}

void
images_use(const struct program *p, bool use)
{
	if (p->module == NULL)
		return;
	unwind_module_move(p->module, p->bias);
	unwind_module_use(p->module, use);
}

/* The file that the guest calls by a path; NULL: not there, or not yet. */
static struct image *
named(struct images *im, const char *path)
{
	for (size_t i = im->t->n_image; i < im->n; i++)
		if (strcmp(im->image[i].path, path) == 0)
			return &im->image[i];
	if (im->n - im->t->n_image == NAMED_MAX)
		return NULL;
	im->image = xreallocn(im->image, im->n + 1, sizeof *im->image);
	im->image[im->n++] = (struct image){
	    .path = xstrdup(path), .program = true, .wanted = true};
	return NULL;
}

/* Whether that is a file, and no link of the guest's leads out to it. */
static bool
is_inside(const char *dir, const char *path)
{
	char *root = realpath(dir, NULL), *file = realpath(path, NULL);
	const size_t n = root ? strlen(root) : 0;
	struct stat st;
	const bool is = root && file && strncmp(file, root, n) == 0 &&
			(file[n] == '/' || n == 1) && stat(file, &st) == 0 &&
			S_ISREG(st.st_mode);

	free(root);
	free(file);
	return is;
}

/* Loads a file by its path below --sysroot or --user-dir, else by its name
 * only. */
static struct elfsym *
load(const struct target *t, const char *path)
{
	const char *dirs[] = {t->sysroot, t->user_dir};
	const char *names[] = {path, strrchr(path, '/')};
	struct buf at = BUF_INIT, err = BUF_INIT;
	struct elfsym *sym = NULL;

	for (size_t i = 0; i < 4 && sym == NULL; i++) {
		at.len = err.len = 0;
		if (dirs[i / 2] == NULL)
			continue;
		buf_printf(&at, "%s%s", dirs[i / 2], names[i % 2]);
		if (i < 2 && !is_inside(t->sysroot, buf_str(&at)))
			continue;
		sym = elfsym_load(buf_str(&at),
		    t->raw ? 0 : ELFSYM_INLINE | ELFSYM_TAILS, &err);
	}
	buf_done(&at);
	buf_done(&err);
	return sym;
}

bool
images_load(struct images *im)
{
	bool any = false;

	for (size_t i = im->t->n_image; i < im->n; i++) {
		struct image *image = &im->image[i];

		if (!image->wanted)
			continue;
		image->wanted = false;
		image->sym = load(im->t, image->path);
		any |= image->sym != NULL && add_module(im, image) == 0;
	}
	return any;
}

/* Whether a program's code is at `pc`: that one, which is remembered. */
static bool
is_image(struct images *im, struct image *i, const struct around *a,
    struct program *found)
{
	const char *path, *slash;

	if (!i->program || i->module == NULL || !locate(i->sym, a, true))
		return false;
	i->met = true;
	path = elfsym_path(i->sym);
	slash = strrchr(path, '/');
	*found = (struct program){
	    slash ? slash + 1 : path, i->sym, elfsym_bias(i->sym), i->module};
	im->met[im->n_met++ % PLACES_MAX] = *found;
	return true;
}

bool
images_find(
    struct images *im, const char *path, uint64_t pc, struct program *found)
{
	struct image *own = NULL;
	struct around a;

	if (images_symbols(im, pc) != NULL || locate_look(&a, pc, im->r) != 0)
		return false;
	for (size_t i = 0; i < im->n_met && i < PLACES_MAX; i++) {
		*found = im->met[i];
		if (locate_is_at(found->sym, found->bias, pc, &a))
			return true;
	}
	if (path != NULL)
		own = named(im, path);
	if (own != NULL && is_image(im, own, &a, found))
		return true;
	for (size_t i = 0; i < im->t->n_image; i++)
		if (is_image(im, &im->image[i], &a, found))
			return true;
	return false;
}

void
images_unmet(const struct images *im, struct buf *names)
{
	for (size_t i = 0; i < im->t->n_image; i++)
		if (im->image[i].program && !im->image[i].met)
			buf_printf(names, "%s%s", names->len ? ", " : "",
			    msg_str(elfsym_path(im->image[i].sym)));
}

void
images_page(struct images *im, uint64_t pc)
{
	const uint64_t page = pc & ~(PAGE - 1);
	uint64_t *looked = &im->looked[pc / PAGE % LOOKED], own;
	struct around a;
	bool found, hidden;

	if (im->n == 0 || *looked == page || im->n_page == PAGES_MAX ||
	    locate_look(&a, pc, im->r) != 0)
		return;
	found = locate_page(im->image->sym, &a, &own, &hidden);
	*looked = hidden && !found ? 0 : page;
	if (!found)
		return;
	unwinder_add_again(im->u, im->image->module, own, own + PAGE, page);
	im->page[im->n_page].at = page;
	im->page[im->n_page++].own = own;
}

uint64_t
images_own(const struct images *im, uint64_t addr)
{
	for (size_t i = 0; i < im->n_page; i++)
		if (addr - im->page[i].at < PAGE)
			return addr - im->page[i].at + im->page[i].own;
	return addr;
}

struct elfsym *
images_symbols(const struct images *im, uint64_t addr)
{
	addr = images_own(im, addr);
	for (size_t i = 0; i < im->n; i++)
		if (!im->image[i].program &&
		    elfsym_covers(im->image[i].sym, addr))
			return im->image[i].sym;
	return NULL;
}
