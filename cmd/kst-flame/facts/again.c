/* SPDX-License-Identifier: ISC */
#include "facts/again.h"

#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "flame.h"

/* Bytes of a command that is shown. */
enum { LONGEST = 1000 };

const char *
again_kernel(const struct plan *p)
{
	return p->o->elf.n > 0 ? p->o->elf.use[0].arg
	       : p->kernel     ? p->kernel
			       : "KERNEL";
}

void
again_guest(const struct plan *p, struct buf *b)
{
	const struct opt_use *os = options_use(p->o, STEP_CAPTURE, "os");

	buf_adds(b, " -e ");
	words_quote(again_kernel(p), b);
	if (p->o->remote) {
		buf_adds(b, " -r ");
		words_quote(p->o->remote, b);
	}
	if (os != NULL) {
		buf_adds(b, " --os ");
		words_quote(os->arg, b);
	}
}

void
again_boot(const struct plan *p, const char *more, struct buf *b)
{
	struct buf command = BUF_INIT;

	for (char *const *a = p->argv; a && *a; a++) {
		buf_addc(&command, ' ');
		words_quote(*a, &command);
	}
	buf_adds(b, " -e ");
	words_quote(again_kernel(p), b);
	buf_printf(b, " %s --%s", more,
	    command.len > 0 && command.len < LONGEST ? buf_str(&command)
						     : " COMMAND");
	buf_done(&command);
}

/* `--NAME line:TEXT`. False: the pattern is not a plain text. */
static bool
add_line(struct buf *b, const char *name, const char *pattern)
{
	struct buf place = BUF_INIT;

	if (pattern == NULL || strpbrk(pattern, "\\^$.|?*+()[]{}"))
		return false;
	buf_printf(&place, "line:%s", pattern);
	buf_printf(b, " --%s ", name);
	words_quote(buf_str(&place), b);
	buf_done(&place);
	return true;
}

void
again_count(
    const struct plan *p, const char *more, const char *end, struct buf *b)
{
	const struct options *o = p->o;
	struct buf range = BUF_INIT;

	buf_adds(&range, more);
	add_line(&range, "from", o->from);
	if (!add_line(&range, "until", o->until))
		buf_printf(&range, " %s", end);
	if (o->serial) {
		buf_adds(&range, " --serial ");
		words_quote(o->serial, &range);
	}
	again_boot(p, buf_str(&range), b);
	buf_done(&range);
}

bool
again_knows(const char *kernel)
{
	static const unsigned char known[] = {
	    EM_X86_64, EM_386, EM_AARCH64, EM_RISCV};
	enum { MACHINE = 18 }; /* of both classes, two bytes in either order */
	const int fd = open(kernel, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	unsigned char head[MACHINE + 2];
	const ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : -1;

	if (fd >= 0)
		close(fd);
	return n != (ssize_t)sizeof head ||
	       memcmp(head, ELFMAG, SELFMAG) != 0 ||
	       (head[MACHINE + 1] == 0 &&
		   memchr(known, head[MACHINE], sizeof known));
}

bool
again_counts(const struct plan *p)
{
	return again_knows(again_kernel(p));
}

bool
again_while(const char *name, size_t len, struct buf *b)
{
	size_t n = 0;

	while (n < len && (isalnum((unsigned char)name[n]) || name[n] == '_' ||
			      name[n] == ':'))
		n++;
	buf_printf(b, " --while '^%.*s%s'", (int)n, name, n == len ? "$" : "");
	return n > 0;
}

void
again_kept(const struct plan *p, struct buf *b)
{
	buf_addc(b, ' ');
	words_quote(p->o->keep ? p->o->keep : "cap.txt", b);
	buf_adds(b, p->o->keep ? "\n"
		    : p->o->in_base
			? " (without --base, --keep cap.txt keeps it)\n"
			: " (keep the capture with --keep cap.txt)\n");
}

void
again_range(const struct options *o, struct buf *b)
{
	const char *const own[][2] = {{"--from=", o->from},
	    {"--until=", o->until}, {"--serial=", o->serial},
	    {"--qemu-args=", o->qemu_args}};
	struct words w = {0};

	options_words(&w, o, STEP_CAPTURE);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (own[i][1])
			words_addf(&w, "%s%s", own[i][0], own[i][1]);
	for (size_t i = 1; i < w.n; i++) {
		buf_addc(b, ' ');
		words_quote(w.v[i], b);
	}
	words_done(&w);
}
