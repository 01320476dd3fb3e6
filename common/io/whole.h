/* SPDX-License-Identifier: ISC */
/*
 * A file that appears whole or not at all: it is written as ".kst-XXXXXX"
 * beside its name and renamed at the end. Until then, and after any failure,
 * the old file stays as it was.
 *
 * Devices and pipes are written in place.
 */
#ifndef KST_WHOLE_H
#define KST_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

/* Where the mark of a file that kst wrote is, and those of pictures and
 * captures. */
enum { WHOLE_HEAD = 1 << 16 };
#define MARK_SVG "svg{--page:"
#define MARK_CAPTURE "[kst-capture-info "

struct whole {
	int fd;	       /* to write to */
	bool replaces; /* there is a file of that name */
	/* private */
	char *path, *temp;
};

/*
 * Why the file must not be replaced, such as "is one of the inputs", or NULL.
 * `inputs` are paths; "-" is standard input. A file with bytes but without
 * `mark` in its first or last WHOLE_HEAD bytes was not written by kst; a mark
 * of NULL allows every file. msg_status() knows of a failure of the system.
 */
const char *whole_refuses(
    const char *path, const char *mark, char *const *inputs, size_t n);

/* Returns 0, or -1 with errno. */
int whole_open(struct whole *w, const char *path);

/*
 * Closes the file and gives it its name; with `sync` it is on the disk first.
 * Returns 0, or -1 with errno: call whole_drop() or whole_leave() then.
 */
int whole_close(struct whole *w, bool sync);

/* Closes the file and removes it. */
void whole_drop(struct whole *w);

/*
 * Closes the file; returns its random name, under which it stays, for free().
 * An empty file is removed: NULL.
 */
char *whole_leave(struct whole *w);

#endif
