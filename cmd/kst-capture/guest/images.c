/* SPDX-License-Identifier: ISC */
/*
 * Finds a file in memory: images move by whole pages, so the bytes at a program
 * counter are compared with those at the same offset of each of the file's
 * pages. A page that fits tells the place, if code elsewhere fits too. Kernels
 * patch their code: half of the bytes are enough.
 *
 * Memory is read at program counters and where these lead, never on suspicion:
 * where a kernel of aarch64 would be without KASLR there are devices, of which
 * QEMU's interrupt controller ends the process when a debugger reads it.
 */
#include "guest/images.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "base/port.h"
#include "base/summary.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"
#include "guest/backend.h"
#include "guest/osfile.h"
#include "guest/procs.h"
#include "wire/clock.h"

enum {
	PAGE = 4096,
	CHUNK = 16,
	PLACES_MAX = 256,
	PROBES = 16, /* places of the code that are compared, and their bytes */
	PROBE = 32
};

/* How code in memory compares with that of a file. */
struct likeness {
	int places, equal; /* that could be read; that are as in the file */
};

struct image {
	struct elfsym *sym;
	struct unwind_module *module; /* NULL: a program, at any place */
};

struct images {
	struct unwinder *u;
	struct image *image;
	size_t n;
	bool unsure, any_program;
	struct likeness last; /* of the kernel, when it did not fit */
	struct program *place[PLACES_MAX];
	size_t n_place;
};

/* A file with its place, or the kernel, is a module from the beginning. */
static int
add_image(struct images *im, const struct target_image *t, bool placed)
{
	struct image *i = &im->image[im->n++];
	char path[PORT_FD_PATH];
	const char *why;

	i->sym = t->sym;
	if (!placed) {
		im->any_program = true;
		return 0;
	}
	elfsym_reopen(t->sym, path);
	i->module = unwinder_add(im->u, path, elfsym_bias(t->sym), false, &why);
	if (why != NULL)
		msg("%s: %s", msg_str(elfsym_path(t->sym)), why);
	return i->module != NULL ? 0 : -1;
}

struct images *
images_new(const struct target *t, struct unwinder *u)
{
	struct images *im = xcalloc(1, sizeof *im);
	bool ok = true;

	im->u = u;
	im->image = xcalloc(t->n_image + 1, sizeof *im->image);
	for (size_t i = 0; ok && i < t->n_image; i++)
		ok = add_image(
			 im, &t->image[i], i == 0 || t->image[i].placed) == 0;
	im->unsure = t->check && t->n_image > 0;
	if (ok)
		return im;
	images_free(im);
	return NULL;
}

void
images_free(struct images *im)
{
	if (im == NULL)
		return;
	for (size_t i = 0; i < im->n_place; i++)
		free(im->place[i]);
	free(im->image);
	free(im);
}

bool
images_programs(const struct images *im)
{
	return im->any_program;
}

bool
images_unsure(const struct images *im)
{
	return im->unsure;
}

/*
 * Whether the code is where the symbols say that it is. A kernel that patches
 * its code differs here and there: half of the places are enough. A file
 * without code fits.
 */
static bool
code_fits(struct elfsym *sym, images_read *read, void *arg, struct likeness *l)
{
	const unsigned char *code = NULL;
	uint64_t addr, size;

	if (!elfsym_section(sym, ".text", &addr, &size, &code) ||
	    code == NULL || size == 0)
		return true;
	*l = (struct likeness){0};
	for (uint64_t i = 0; i < PROBES; i++) {
		size_t n = size < PROBE ? (size_t)size : PROBE;
		uint64_t at = (size - n) / (PROBES - 1) * i;
		unsigned char seen[PROBE];

		if (read(arg, addr + at, seen, n) != 0)
			continue;
		l->places++;
		l->equal += memcmp(seen, code + at, n) == 0;
	}
	return l->places > 0 && l->equal * 2 >= l->places;
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
		msg("no CPU is where %s has its symbols, and it has no code by "
		    "which a kernel that has moved is found: give vmlinuz, or "
		    "start Linux with nokaslr",
		    name);
	else if (l->places == 0)
		msg("%s is not the running kernel, or it has not started yet: "
		    "no CPU is in its code (--no-check samples all the same)",
		    name);
	else
		msg("%s is not the running kernel: its code differs from the "
		    "guest's memory at %d of %d places (--no-check samples "
		    "all the same)",
		    name, l->places - l->equal, l->places);
}

int
images_check(const struct target *t, images_read *read, void *arg)
{
	struct likeness l;

	if (t->n_image == 0 || !t->check ||
	    code_fits(t->image[0].sym, read, arg, &l) ||
	    (l.places == 0 && signals_caught <= 1))
		return 0;
	refuse(t->image[0].sym, &l);
	return -1;
}

/* The bytes around a program counter. */
struct around {
	uint64_t addr;
	uint8_t bytes[IMAGES_AROUND];
};

static int
look_around(struct around *a, uint64_t pc, images_read *read, void *arg)
{
	a->addr = images_around(pc);
	return read(arg, a->addr, a->bytes, sizeof a->bytes);
}

/*
 * Whether one piece is the file's, the first one at `off` in it. Padding is
 * everywhere.
 */
static bool
fits(const struct around *a, const unsigned char *code, uint64_t size,
    uint64_t off)
{
	for (size_t i = 0; i < IMAGES_AROUND; i += CHUNK) {
		const uint8_t *p = a->bytes + i;
		uint64_t at = off + i; /* may be before the code */

		if (at < size && size - at >= CHUNK &&
		    memcmp(code + at, p, CHUNK) == 0 &&
		    memcmp(p, p + 1, CHUNK - 1) != 0)
			return true;
	}
	return false;
}

/*
 * A kernel of the upper half begins its life at the addresses of its physical
 * memory, but does not stay there.
 */
static bool
is_physical(uint64_t linked, uint64_t addr)
{
	return linked >> 63 && !(addr >> 63);
}

/*
 * Moves the symbols to where the bytes say that the image is. Returns false,
 * with all as it was, when they say nothing.
 */
static bool
locate(struct image *i, const struct around *a, images_read *read, void *arg)
{
	uint64_t was = elfsym_bias(i->sym), addr, size, off;
	const unsigned char *code;
	struct likeness result;

	if (!elfsym_section(i->sym, ".text", &addr, &size, &code) ||
	    code == NULL)
		return false;
	/* The first place at or before the code's beginning, page by page. */
	off = ((a->addr - addr) & (PAGE - 1)) - PAGE;
	for (; (int64_t)off < (int64_t)size; off += PAGE) {
		if (!fits(a, code, size, off) ||
		    is_physical(addr, a->addr - off))
			continue;
		elfsym_move(i->sym, was + a->addr - (addr + off));
		/* A page of it that is mapped a second time is not enough. */
		if (code_fits(i->sym, read, arg, &result) &&
		    result.places * 2 >= PROBES)
			return true;
	}
	elfsym_move(i->sym, was);
	return false;
}

bool
images_confirm(struct images *im, uint64_t pc, images_read *read, void *arg)
{
	struct image *k = im->image;
	uint64_t was = elfsym_bias(k->sym), slide;
	struct around a;

	if (elfsym_covers(k->sym, pc) &&
	    code_fits(k->sym, read, arg, &im->last)) {
		im->unsure = false;
		return true;
	}
	if (look_around(&a, pc, read, arg) != 0 || !locate(k, &a, read, arg))
		return false;
	im->unsure = false;
	slide = elfsym_bias(k->sym);
	unwind_module_move(k->module, slide);
	slide -= was;
	msg("%s is 0x%" PRIx64 " %s in memory than in its file",
	    msg_str(elfsym_path(k->sym)), (int64_t)slide < 0 ? -slide : slide,
	    (int64_t)slide < 0 ? "lower" : "higher");
	return true;
}

uint64_t
images_slide(const struct images *im)
{
	return im->n > 0 ? elfsym_bias(im->image->sym) : 0;
}

void
images_refuse(const struct images *im)
{
	refuse(im->image->sym, &im->last);
}

/* The program of a file that has just been located. */
static const struct program *
add_place(struct images *im, const struct image *i)
{
	const char *why, *path = elfsym_path(i->sym);
	const char *slash = strrchr(path, '/');
	char opened[PORT_FD_PATH];
	struct program *p;

	if (im->n_place == PLACES_MAX)
		return NULL;
	p = xcalloc(1, sizeof *p);
	p->name = slash ? slash + 1 : path;
	p->sym = i->sym;
	p->bias = elfsym_bias(i->sym);
	elfsym_reopen(i->sym, opened);
	p->module = unwinder_add(im->u, opened, p->bias, true, &why);
	if (p->module != NULL)
		unwind_module_use(p->module, false);
	im->place[im->n_place++] = p;
	return p;
}

/* Whether a known program is what is there now: others can be at its place. */
static bool
is_there(const struct program *p, const struct around *a)
{
	const unsigned char *code;
	uint64_t addr, size;

	elfsym_move(p->sym, p->bias);
	return elfsym_section(p->sym, ".text", &addr, &size, &code) &&
	       code != NULL && fits(a, code, size, a->addr - addr);
}

const struct program *
images_find(struct images *im, uint64_t pc, images_read *read, void *arg)
{
	struct around a;

	if (!im->any_program || images_symbols(im, pc) != NULL ||
	    look_around(&a, pc, read, arg) != 0)
		return NULL;
	for (size_t i = 0; i < im->n_place; i++)
		if (is_there(im->place[i], &a))
			return im->place[i];
	for (size_t i = 0; i < im->n; i++)
		if (im->image[i].module == NULL &&
		    locate(&im->image[i], &a, read, arg))
			return add_place(im, &im->image[i]);
	return NULL;
}

void
images_rules(
    struct images *im, const struct osfile *os, const struct unwind_abi *abi)
{
	if (im->n > 0)
		osfile_apply(os, im->image->sym, abi, im->image->module);
}

bool
images_outside(const struct images *im, uint64_t pc)
{
	return im->n > 0 && !elfsym_covers(im->image->sym, pc);
}

struct elfsym *
images_symbols(const struct images *im, uint64_t addr)
{
	for (size_t i = 0; i < im->n; i++)
		if (im->image[i].module != NULL &&
		    elfsym_covers(im->image[i].sym, addr))
			return im->image[i].sym;
	return NULL;
}
