/* SPDX-License-Identifier: ISC */
/*
 * The ELF files of what runs in the guest, and where each is in memory: the
 * kernel, which may have moved itself; files at addresses that the user gave;
 * and programs, which are recognised by the bytes at a program counter.
 */
#ifndef IMAGES_H
#define IMAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "guest/vcpu.h"
#include "unwind/unwind.h"

/* The bytes around a program counter by which a file is recognised. */
enum { IMAGES_AROUND = 128 };

static inline uint64_t
images_around(uint64_t pc)
{
	return pc & ~(uint64_t)(IMAGES_AROUND - 1);
}

struct buf;
struct elfsym;
struct images;
struct target;

/*
 * For a backend that does not use our unwinder: compares the code in memory
 * with that of the target's first file, if that is asked for. If no code can be
 * read, the file is not refused: all CPUs may be in user mode. Returns -1 after
 * the message.
 */
int images_check(const struct target *t, const struct reader *r);

/*
 * Adds the target's files to the unwinder, with what its OS file says about the
 * kernel's functions; r must not move. Returns NULL after a message.
 */
struct images *images_new(const struct target *t, struct unwinder *u,
    const struct unwind_abi *abi, const struct reader *r);
void images_free(struct images *im);

/*
 * Looks whether the kernel is where its file says, or else around the program
 * counter `pc`. Returns whether it is there; a message says where it has moved.
 */
bool images_confirm(struct images *im, uint64_t pc);

/* Says that the kernel is not there. */
void images_refuse(const struct images *im);

/*
 * The program whose code is at `pc`, with its module in the unwinder, moved
 * there but not in use. The guest calls it `path`, unless that is NULL. False
 * if there is no program, if the address belongs to a file that has its place,
 * or if images_load() has yet to read the file.
 */
bool images_find(
    struct images *im, const char *path, uint64_t pc, struct program *found);

/* Appends the names of the target's programs that images_find() never found. */
void images_unmet(const struct images *im, struct buf *names);

/*
 * Reads the files that images_find() lacked. This takes a while, so the guest
 * should run. Returns whether there are new ones.
 */
bool images_load(struct images *im);

/*
 * Moves a program that was found to where it was, and puts it to use or out of
 * use.
 */
void images_use(const struct program *p, bool use);

/*
 * Looks whether the page around the program counter `pc`, which no file has, is
 * one of the kernel's code: xv6 maps that of its entries into all processes.
 * Each page is looked at once.
 */
void images_page(struct images *im, uint64_t pc);

/* The kernel's own address for one in such a page; else `addr`. */
uint64_t images_own(const struct images *im, uint64_t addr);

/*
 * The symbols for an address, of a file that has its place or of such a page
 * (by images_own()); NULL if there are none.
 */
struct elfsym *images_symbols(const struct images *im, uint64_t addr);

/* In locate.c, for this room: whether a file's code is in memory, and where. */

#endif
