/* SPDX-License-Identifier: ISC */
#include "naming.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"
#include "elf/elfsym.h"
#include "io/job.h"
#include "io/whole.h"
#include "opt/words.h"
#include "run.h"

static bool
find_function(struct elfsym *s, const char *name, uint64_t *addr)
{
	struct elfsym_func f;

	for (size_t i = 0; s && elfsym_nth(s, i, &f); i++)
		if (strcmp(f.name, name) == 0) {
			*addr = f.start;
			return true;
		}
	return false;
}

uint64_t
naming_address(const struct options *o, struct elfsym *kernel,
    const char *option, const char *name)
{
	struct buf err = BUF_INIT;
	uint64_t addr;
	char *end;
	bool found;

	addr = strtoull(name, &end, 0);
	if (*name >= '0' && *name <= '9' && *end == 0)
		return addr;
	found = find_function(kernel, name, &addr);
	for (size_t i = 1; !found && i < o->elf.n; i++) {
		struct elfsym *program =
		    elfsym_load(o->elf.use[i].arg, 0, &err);

		found = find_function(program, name, &addr);
		elfsym_free(program);
	}
	buf_done(&err);
	if (!found)
		opt_wrong("--%s: no function '%s' in the files of --elf",
		    option, msg_str(name));
	return addr;
}

int
naming_file(void)
{
	const char *dir = getenv("TMPDIR");
	struct buf name = BUF_INIT;
	int fd;

	buf_printf(&name, "%s/kst-count.XXXXXX", dir && *dir ? dir : "/tmp");
	fd = mkostemp(buf_str(&name), O_CLOEXEC);
	if (fd < 0)
		msg_errno("%s", msg_str(buf_str(&name)));
	else
		unlink(buf_str(&name));
	buf_done(&name);
	return fd;
}

void
naming_path(char path[64], int fd)
{
	snprintf(path, 64, "/proc/%ld/fd/%d", (long)getpid(), fd);
}

int
naming_check(const char *path, const char *mark, bool force)
{
	const char *why;
	struct whole w;
	struct stat st;

	if (strcmp(path, "-") == 0)
		return EXIT_OK;
	why = whole_refuses(path, force ? NULL : mark, NULL, 0);
	if (why) {
		msg("%s: %s", msg_str(path), why);
		return msg_status(EXIT_USAGE);
	}
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return EXIT_OK;
	if (whole_open(&w, path) != 0) {
		msg_errno("%s", msg_str(path));
		return msg_status(EXIT_FAILED);
	}
	whole_drop(&w);
	return EXIT_OK;
}

int
naming_filter(const struct words *w, int in, int out)
{
	int status;

	lseek(in, 0, SEEK_SET);
	status = job_wait(out < 0 ? -1
				  : job_start(&(struct job){
					.argv = w->v, .in = in, .out = out}));
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SYSTEM;
}

int
naming_run(const struct options *o, int *in, const char *const *more)
{
	const int out = o->elf.n > 0 ? naming_file() : -1;
	struct words w = {0};
	int status;

	if (o->elf.n == 0)
		return EXIT_OK;
	words_add(&w, "kst-sym");
	for (size_t i = 0; i < o->elf.n; i++) {
		words_add(&w, "-e");
		words_add(&w, o->elf.use[i].arg);
	}
	for (; *more; more++)
		words_add(&w, *more);
	status = naming_filter(&w, *in, out);
	words_done(&w);
	close(*in);
	*in = out;
	return status;
}
