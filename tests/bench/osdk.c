/* SPDX-License-Identifier: ISC */
/*
 * osdk FILE: the names of gdb's frames by the rules of Asterinas OSDK's
 * profiler, applied to each line anew as that does: drop `<...>`, `::{...}`,
 * `0x... in`, `(...)` and `()`; the second word is the name. The judge of
 * kst-clean where nothing repeats.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All of these write to `to`, which may be `p`, and return the new length. */

static size_t
drop_generics(const char *p, size_t len, char *to)
{
	size_t n = 0, depth = 0;

	for (size_t i = 0; i < len; i++)
		if (p[i] == '<')
			depth++;
		else if (p[i] == '>')
			depth -= depth > 0;
		else if (depth == 0)
			to[n++] = p[i];
	return n;
}

/* What begins with `open` and ends with the first `close` after it. */
static size_t
drop_between(char *p, size_t len, const char *open, const char *close)
{
	size_t n = 0, o = strlen(open), c = strlen(close);
	char *from = p, *end = p + len, *at, *stop;

	while ((at = memmem(from, (size_t)(end - from), open, o)) &&
	       (stop = memmem(at + o, (size_t)(end - at) - o, close, c))) {
		memmove(p + n, from, (size_t)(at - from));
		n += (size_t)(at - from);
		from = stop + c;
	}
	memmove(p + n, from, (size_t)(end - from));
	return n + (size_t)(end - from);
}

static size_t
drop_address(char *p, size_t len)
{
	char *end = p + len, *from = p, *q, *at;

	while ((at = memmem(from, (size_t)(end - from), "0x", 2))) {
		for (q = at + 2; q < end; q++)
			if (strchr("0123456789abcdef", *q) == NULL || *q == 0)
				break;
		if (q > at + 2 && end - q >= 3 && memcmp(q, " in", 3) == 0) {
			memmove(at, q + 3, (size_t)(end - q) - 3);
			end -= q + 3 - at;
			from = at;
		} else {
			from = at + 2;
		}
	}
	return (size_t)(end - p);
}

static void
put_second_word(const char *p, size_t len)
{
	const char *end = p + len, *from;

	while (p < end && *p != ' ')
		p++;
	while (p < end && *p == ' ')
		p++;
	for (from = p; p < end && *p != ' ';)
		p++;
	fwrite(from, 1, (size_t)(p - from), stdout);
	putchar('\n');
}

int
main(int argc, char **argv)
{
	FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
	char *line = NULL, *name = NULL;
	size_t cap = 0, room = 0;
	ssize_t n;

	while (f && (n = getline(&line, &cap, f)) > 0) {
		size_t len;

		if (line[0] != '#')
			continue;
		if (room < cap && (name = realloc(name, room = cap)) == NULL)
			return 1;
		len = drop_generics(line, (size_t)n - 1, name);
		len = drop_between(name, len, "::{", "}");
		len = drop_address(name, len);
		len = drop_between(name, len, "(...)", "");
		len = drop_between(name, len, "()", "");
		put_second_word(name, len);
	}
	free(line);
	free(name);
	return f == NULL || ferror(f) || ferror(stdout) || fclose(stdout) != 0;
}
