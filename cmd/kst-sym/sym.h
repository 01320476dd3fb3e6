/* SPDX-License-Identifier: ISC */
/* What the parts of kst-sym share: the ELF files and the name of an address. */
#ifndef SYM_H
#define SYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "elf/elfsym.h"
#include "io/fault.h"

struct in;
struct opt_list;
struct rights;

enum { MODULES_MAX = 256 };

struct sym {
	struct elfsym *module[MODULES_MAX];
	size_t n_modules;
	bool slides; /* the first one is where captures say */
	bool annotate, lines, demangle, addresses;
	bool plain;	    /* with demangle: by demangle_plain() */
	struct memo *shown; /* demangled names */
	struct buf scratch, text, name;
	uint64_t named, unnamed, inlined; /* frames */
	uint64_t frames, placed; /* without a line; those that got one */
	struct fault bad;
	uint64_t cut;	    /* captures without an end */
	bool is_part;	    /* of a capture, whose end may be elsewhere */
	char build_id[130]; /* the capture's that was compared last */
};

/*
 * Loads the ELF files of -e, with flags of elfsym_load(), and warns of those
 * without symbols. Returns -1 after a message.
 */
int sym_add_modules(struct sym *s, const struct opt_list *elf, unsigned flags);

void sym_done(struct sym *s);

/*
 * In compare.c: prints which functions of two files have other code, in the
 * order of their names: `differs`, `added` or `removed`, the name, of a mangled
 * one the readable name, and where its code differs, between tabs. Returns the
 * exit status.
 */
int sym_compare(struct sym *s, const struct rights *keeps);

/* In places.c: the code of a function, for same.h, without its names. */
struct same_code;
bool sym_code(
    struct elfsym *s, const struct elfsym_func *f, struct same_code *c);

/* Appends the name of a function, or of another's place in it. */
void sym_add_target(struct elfsym *s, uint64_t addr, struct buf *b);

/*
 * In places.c: appends where the code of a function differs from the old one:
 * `FUNCTION at FILE:LINE` for a call that is inlined there, else `FILE:LINE`;
 * three at most, between `, `. Nothing without source lines.
 */
void sym_places(struct elfsym *old, const struct elfsym_func *from,
    struct elfsym *new, const struct elfsym_func *to, struct buf *b);

/*
 * In sources.c: prints `NAME<tab>FILE` for each name in a line of the input
 * that a function of the ELF file has. Nothing is read of it where there are no
 * names. Returns the exit status; two files end the command.
 */
int sym_sources(const struct opt_list *elf, const struct rights *keeps,
    char **operands, int n);

/* The first module is where a capture's line says, unless -e gave its place. */
void sym_slide(struct sym *s, const char *line, size_t len);

/*
 * The calls at an address, innermost first, 0 if no file names it. A return
 * address is looked up one byte before itself, inside of its call. The module
 * with the file name `program` (may be NULL) is asked first.
 */
size_t sym_frames(struct sym *s, uint64_t addr, bool is_return,
    const char *program, size_t program_len,
    const struct elfsym_frame **frames);

/*
 * A frame as it is printed: its name and mark, `call`, and ` at FILE:LINE` when
 * lines are wanted and this one is known. Valid until the next call.
 */
const struct buf *sym_text(
    struct sym *s, const struct elfsym_frame *f, const char *call);

/*
 * Whether p[0..len) is the frame's name, raw or readable, with or without the
 * mark, up to its arguments.
 */
bool sym_is_named(
    struct sym *s, const struct elfsym_frame *f, const char *p, size_t len);

/* Writes ` at FILE:LINE` if it is known. */
void sym_put_place(struct sym *s, const struct elfsym_frame *f);

/* Reports what could not be read of the files; returns whether anything was. */
bool sym_say_damage(const struct sym *s);

/* Reports that no frame has got one of the lines that were asked for. */
bool sym_lacks_lines(const struct sym *s);

/* Warns when none of the files has the build-id of the capture. */
void sym_check_build_id(struct sym *s, const char *id, size_t len);

/* The length of `0xHEX` (1 to 16 digits) at p, 0 when there is none. */
size_t sym_address(const char *p, size_t len, uint64_t *addr);

/* Name the addresses in the current file of `in`; how many stacks it had. */
uint64_t sym_trace(void *sym, struct in *in);
uint64_t sym_folded(void *sym, struct in *in);

#endif
