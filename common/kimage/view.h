/* SPDX-License-Identifier: ISC */
/* Private to the room: an ELF file in the making, around an image. */
#ifndef KST_VIEW_H
#define KST_VIEW_H

#include <elf.h>
#include <stddef.h>

#include "base/buf.h"
#include "kimage/ksyms.h"

/* Where an image begins in its file: headers come before. */
enum { VIEW_GAP = 64 << 10 };

enum { VIEW_SEGMENTS = 64 };

/* Zero it, but for the machine and the image's length, to begin. */
struct view {
	unsigned machine;
	size_t len; /* of the image; 0: there is only a list */
	Elf64_Phdr segment[VIEW_SEGMENTS];
	size_t n_segment;
	Elf64_Shdr *section; /* the first one is empty */
	size_t n_section, cap;
	struct buf names; /* of sections */
};

/* Adds a section; its offset is that in the image. */
void view_section(struct view *v, const char *name, const Elf64_Shdr *sh);

/*
 * Adds sections of code where the symbols have functions, for an image that is
 * at `base`; segments, too, for a list.
 */
void view_code(struct view *v, const struct ksyms *k, uint64_t base);

/* Writes all but the image. Returns -1 with errno. */
int view_write(struct view *v, struct ksyms *k, int fd);
void view_done(struct view *v);

/* The machine of an image without headers; EM_NONE: it is not one. */
unsigned flat_machine(const uint8_t *p, size_t len);

/*
 * Gives an image of v->len bytes a segment and sections, and the symbols their
 * addresses. Returns false when it has no symbols, or nothing tells where it
 * belongs.
 */
bool flat_read(const uint8_t *p, struct view *v, struct ksyms *k);

#endif
