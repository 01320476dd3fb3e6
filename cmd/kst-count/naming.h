/* SPDX-License-Identifier: ISC */
/* Makes temporary files, and runs kst's filters from one to another. */
#ifndef NAMING_H
#define NAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct elfsym;
struct elfsym_func;
struct options;
struct program;
struct words;

/* What follows a message that there is no function of a name. */
#define NAMING_INLINED \
	" (one that is inlined everywhere has no calls: name its caller)"

/*
 * For OPT_CALL of a `struct also[]`: what else is counted, and where it goes:
 * `calls=FILE`.
 */
int naming_also(void *field, const char *arg, struct buf *err);

/*
 * A file without a name, which is gone when its descriptor is closed. -1 after
 * a message.
 */
int naming_file(void);

/*
 * A file for the standard output of the command, if that has the guest's log,
 * as with -nographic, and a place is a line of it: then o->serial is that file.
 * -1: there is none.
 */
int naming_console(struct options *o);

/* Whether a place, which may be NULL, is `line:TEXT`. */
bool naming_is_line(const char *place);

/* What --OPTION=NAME says; `addr` unless it is a line of the log `serial`. */
struct place naming_place(
    const char *option, const char *name, const char *serial, uint64_t addr);

/* Where the plugin opens a file of this process. */
void naming_path(char path[64], int fd);

/*
 * Whether the file at the path can be written, and if there is one, replaced,
 * as out_open() decides at the end. `device`: it may be one, or a pipe. Returns
 * an exit status, after a message unless it is EXIT_OK.
 */
int naming_check(const char *path, const char *mark, bool force, bool device);

/* Runs a filter from one file to another. Returns its exit status. */
int naming_filter(const struct words *w, int in, int out);

/* Appends file i of -e as elfsym_load() takes it. */
void naming_spec(const struct options *o, size_t i, struct buf *spec);

/*
 * Names the addresses in a file of folded text, by kst-sym in this command's
 * folder. `more` are further options of kst-sym, up to NULL. *in becomes
 * another file; without ELF files it does not change. Returns an exit status.
 */
int naming_run(const struct options *o, int *in, const char *const *more);

/* Whether a function has that name of the linker; `plain`: is shown by it. */
bool naming_is(const struct elfsym_func *f, const char *name, bool plain);

/* Whether a name is one of a function of a module: `ext4_readdir [ext4]`. */
bool naming_is_module(const char *name);

/*
 * The address of a function by name, of the first of n files that has it, as
 * programs_apart() makes it if its code tells that program, or in digits;
 * REQUEST_LATER for one of a module, if there are `modules`. A file may be
 * NULL. Ends the command if there is none.
 */
uint64_t naming_address(struct elfsym *const *files, size_t n,
    const struct program *program, bool modules, const char *option,
    const char *name);

#endif
