/* SPDX-License-Identifier: ISC */
#include "ending.h"

#include <string.h>
#include <unistd.h>

struct ending
ending_read(int fd)
{
	struct ending e = {0};
	char line[4096], *at = line, *word;
	ssize_t n = pread(fd, line, sizeof line - 1, 0);

	line[n > 0 ? n : 0] = 0;
	/* What follows is a message, in which any text may be. */
	while ((word = strsep(&at, " ")) != NULL &&
	       strncmp(word, "what=", 5) != 0) {
		e.empty |= strcmp(word, "taken=0") == 0;
		e.unreached |= strcmp(word, "end=unreached") == 0;
		e.gone |= strcmp(word, "end=gone") == 0;
		e.stopped |= strcmp(word, "end=stopped") == 0;
		e.other_kernel |= strcmp(word, "kernel=other") == 0;
	}
	return e;
}
