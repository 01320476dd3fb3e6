/* SPDX-License-Identifier: ISC */
#include "live/given.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "live/live.h"

static bool
is_elf(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char magic[4];
	const bool is = fd >= 0 && read(fd, magic, sizeof magic) == 4 &&
			memcmp(magic, "\177ELF", sizeof magic) == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

static bool
is_option(const char *word)
{
	return strcmp(word, "-kernel") == 0 || strcmp(word, "--kernel") == 0;
}

/* Makes the value of -kernel a path; NULL: there is none. */
static bool
take(const char *value, const char *dir, char path[PATH_MAX])
{
	int n;

	if (value == NULL)
		return false;
	n = snprintf(path, PATH_MAX, "%s%s%s", *value == '/' ? "" : dir,
	    *value == '/' || *dir == 0 ? "" : "/", value);
	return n < PATH_MAX && is_elf(path);
}

bool
given_to(char *const *argv, char path[PATH_MAX])
{
	const char *value = NULL;

	for (; argv[0] && argv[1]; argv++)
		if (is_option(argv[0]))
			value = argv[1];
	return take(value, "", path);
}

bool
given_live(const struct live *v, char path[PATH_MAX])
{
	const char *value = NULL, *end = v->args + v->n_args;

	/* the bytes after the last word are NUL */
	for (const char *p = v->args; p < end; p += strlen(p) + 1)
		if (is_option(p))
			value = p + strlen(p) + 1;
	return take(value && value < end ? value : NULL, v->dir, path);
}
