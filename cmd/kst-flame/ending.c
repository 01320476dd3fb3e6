/* SPDX-License-Identifier: ISC */
#include "ending.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"

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
		e.rebooted |= strcmp(word, "end=rebooted") == 0;
		e.stopped |= strcmp(word, "end=stopped") == 0;
		e.other_kernel |= strcmp(word, "kernel=other") == 0;
		e.nameless |= strcmp(word, "names=none") == 0;
	}
	return e;
}

int
ending_status(const struct ending *e, int status, bool told)
{
	if (!WIFEXITED(status))
		return EXIT_SYSTEM;
	if (WEXITSTATUS(status) == EXIT_FAILED && (e->gone || told) &&
	    !e->other_kernel)
		return 0;
	return WEXITSTATUS(status);
}
