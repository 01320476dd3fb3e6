/* SPDX-License-Identifier: ISC */
/*
 * A file that appears whole or not at all: it is written as ".kst-XXXXXX"
 * beside its name and renamed at the end. Until then, and after any failure,
 * the old file is unchanged.
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
 * Why the file must not be replaced, such as "is one of the inputs"; NULL if it
 * may be. `inputs` are paths; "-" is standard input. A file that is not empty
 * and lacks `mark` in its first and last WHOLE_HEAD bytes was not written by
 * kst. A mark of NULL allows every file. If the system has failed, msg_status()
 * will say so.
 */
const char *whole_refuses(
    const char *path, const char *mark, char *const *inputs, size_t n);

/* Returns 0, or -1 with errno. */
int whole_open(struct whole *w, const char *path);

/*
 * Closes the file and gives it its name; with `sync` it is on the disk first.
 * Returns 0, or -1 with errno: then call whole_drop() or whole_leave().
 */
int whole_close(struct whole *w, bool sync);

/* Closes the file and removes it. */
void whole_drop(struct whole *w);

/*
 * Closes the file and leaves it under its random name. Returns that name, which
 * the caller frees; NULL if the file was empty, which removes it.
 */
char *whole_leave(struct whole *w);

#endif
