/* SPDX-License-Identifier: ISC */
/* What the fuzz entries share: exact-size lines, output that goes nowhere. */
#ifndef FUZZ_H
#define FUZZ_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/in.h"
#include "io/out.h"
#include "base/xalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Freed memory is watched for a while: less of it than usual. */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "quarantine_size_mb=4:malloc_context_size=8";
}

/* Whatever is written goes nowhere. */
static inline void
fuzz_no_output(void)
{
	if (out.fd == STDOUT_FILENO)
		out.fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
}

/* Messages about the input go nowhere; a sanitizer's reports do not use stdio.
 */
static inline void
fuzz_quiet(void)
{
	static FILE *null;

	if (null == NULL && (null = fopen("/dev/null", "w")) != NULL)
		stderr = null;
}

/* Each line is a block of its own, so that a read beyond it is caught. */
struct fuzz_lines {
	const char *p, *end;
	char *line;
};

static inline void
fuzz_lines_init(struct fuzz_lines *f, const uint8_t *data, size_t size)
{
	fuzz_no_output();
	f->p = (const char *)data;
	f->end = f->p + size;
	f->line = NULL;
}

static inline int
fuzz_lines_next(struct fuzz_lines *f, const char **line, size_t *len)
{
	const char *nl;

	free(f->line);
	f->line = NULL;
	if (f->p == f->end)
		return 0;
	nl = memchr(f->p, '\n', (size_t)(f->end - f->p));
	*len = (size_t)((nl ? nl : f->end) - f->p);
	f->line = xmalloc(*len ? *len : 1);
	memcpy(f->line, f->p, *len);
	*line = f->line;
	f->p = nl ? nl + 1 : f->end;
	return 1;
}

static inline void
fuzz_lines_done(struct fuzz_lines *f)
{
	free(f->line);
}

/* An input that holds the bytes and has no operands; end with in_done(). */
static inline void
fuzz_in_init(struct in *in, const uint8_t *data, size_t size)
{
	fuzz_no_output();
	memset(in, 0, sizeof *in);
	in->name = "fuzz";
	in->fd = -1;
	in->eof = true;
	in->file_no = 1;
	in->cap = size ? size : 1;
	in->base = xmalloc(in->cap + 1);
	if (size)
		memcpy(in->base, data, size);
	in->p = in->base;
	in->end = in->base + size;
}

static inline void
fuzz_drop_output(void)
{
	out.len = 0;
}

#endif
