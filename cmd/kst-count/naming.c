/* SPDX-License-Identifier: ISC */
#include "naming.h"

#include <fcntl.h>
#include <inttypes.h>
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
#include "live/programs.h"
#include "names/demangle.h"
#include "opt/opt.h"
#include "opt/script.h"
#include "opt/words.h"
#include "run.h"

bool
naming_is(const struct elfsym_func *f, const char *name, bool plain)
{
	struct buf b = BUF_INIT;
	bool is;

	if (!plain)
		return strcmp(f->name, name) == 0;
	is = *f->name == '_' && demangle_plain(f->name, f->len, &b) &&
	     strcmp(buf_str(&b), name) == 0;
	buf_done(&b);
	return is;
}

/* By its name of the linker, or else by that which is shown. */
static bool
find_function(
    struct elfsym *s, const char *option, const char *name, uint64_t *addr)
{
	struct elfsym_func f;
	const char *first = NULL;

	for (int plain = 0; plain < 2 && first == NULL; plain++)
		for (size_t i = 0; s && elfsym_nth(s, i, &f); i++) {
			if (!naming_is(&f, name, plain))
				continue;
			if (plain && first && f.start != *addr)
				opt_wrong("--%s: several functions are called "
					  "%s: give one as the linker names "
					  "it, such as %s",
				    option, msg_str(name), msg_str(first));
			if (first == NULL)
				*addr = f.start;
			first = first ? first : f.name;
			if (!plain)
				return true;
		}
	return first != NULL;
}

bool
naming_is_module(const char *name)
{
	const char *space = name ? strchr(name, ' ') : NULL;

	return space && space[1] == '[' && name[strlen(name) - 1] == ']';
}

uint64_t
naming_address(struct elfsym *const *files, size_t n,
    const struct program *program, bool modules, const char *option,
    const char *name)
{
	uint64_t addr;
	char *end;

	if (modules && naming_is_module(name))
		return REQUEST_LATER;
	addr = strtoull(name, &end, 0);
	if (*name >= '0' && *name <= '9' && *end == 0)
		return addr;
	for (size_t i = 0; i < n; i++)
		if (find_function(files[i], option, name, &addr))
			return i > 0 && i <= PROGRAMS_MAX && program[i - 1].size
				   ? programs_apart((unsigned)i, addr)
				   : addr;
	if (n == 0)
		opt_wrong("--%s: where the function '%s' is, is told by the "
			  "kernel's file: give it with -e",
		    option, msg_str(name));
	opt_wrong("--%s: no function '%s' in the ELF files" NAMING_INLINED,
	    option, msg_str(name));
}

bool
naming_is_line(const char *place)
{
	return place && strncmp(place, "line:", 5) == 0;
}

struct place
naming_place(
    const char *option, const char *name, const char *serial, uint64_t addr)
{
	struct place p = {.given = name != NULL, .addr = addr};

	if (name == NULL || !naming_is_line(name))
		return p;
	if (name[5] == 0 || strlen(name + 5) >= sizeof p.line)
		opt_wrong("--%s: no text of 1 to %zu bytes after line:", option,
		    sizeof p.line - 1);
	else if (serial == NULL)
		opt_wrong("--%s: a line needs --serial, the file to which QEMU "
			  "writes the guest's log, or a command with "
			  "-nographic or -serial stdio",
		    option);
	else
		strcpy(p.line, name + 5);
	return p;
}

int
naming_console(struct options *o)
{
	static char path[64];
	int fd;

	if (o->serial ||
	    !(naming_is_line(o->from) || naming_is_line(o->until)) ||
	    !(script_is_builder(o->command[0]) || script_is(o->command) ||
		script_names(o->command, "-nographic") ||
		script_names(o->command, "stdio")) ||
	    script_names(o->command, "file:") || /* the log is there */
	    (fd = naming_file()) < 0)
		return -1;
	naming_path(path, fd);
	o->serial = path;
	return fd;
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
naming_check(const char *path, const char *mark, bool force, bool device)
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
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		if (device && !S_ISDIR(st.st_mode))
			return EXIT_OK;
		msg("%s: is %s", msg_str(path),
		    S_ISDIR(st.st_mode) ? "a folder" : "not a regular file");
		return msg_status(EXIT_FAILED);
	}
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

void
naming_spec(const struct options *o, size_t i, struct buf *spec)
{
	buf_adds(spec, o->elf.use[i].arg);
	if (i > 0 && i <= PROGRAMS_MAX && (o->told >> (i - 1) & 1))
		buf_printf(spec, "@+%" PRIx64, programs_apart((unsigned)i, 0));
}

/* Writes a frame, whose address may be one that a program has for itself. */
static void
put_frame(const char *p, size_t n, FILE *f)
{
	char *end;
	uint64_t addr;

	if (n > 2 && p[0] == '0' && p[1] == 'x') {
		addr = strtoull(p, &end, 16);
		if (programs_back(addr) != addr) {
			fprintf(f, "0x%" PRIx64, programs_back(addr));
			n -= (size_t)(end - p);
			p = end;
		}
	}
	fwrite(p, 1, n, f);
}

/*
 * Writes the addresses in a file of folded text as programs have them. *in
 * becomes another file. Returns 0, or -1 after a message.
 */
static int
put_back(int *in)
{
	const int out = naming_file();
	FILE *from = fdopen(*in, "r"), *to = fdopen(dup(out), "w");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	bool good = from && to;

	if (good)
		rewind(from);
	while (good && (n = getline(&line, &cap, from)) > 0) {
		const char *p = line, *end = line + n, *stop;

		while ((stop = memchr(p, ';', (size_t)(end - p)))) {
			put_frame(p, (size_t)(stop + 1 - p), to);
			p = stop + 1;
		}
		put_frame(p, (size_t)(end - p), to);
	}
	good = good && !ferror(from);
	good = to && fclose(to) == 0 && good;
	if (!good)
		msg_errno("a temporary file");
	if (from)
		fclose(from);
	free(line);
	*in = out;
	return good ? 0 : -1;
}

int
naming_run(const struct options *o, int *in, const char *const *more)
{
	const int out = o->elf.n > 0 ? naming_file() : -1;
	struct words w = {0};
	char modules[64];
	int status;

	if (o->elf.n == 0)
		return EXIT_OK;
	words_add(&w, "kst-sym");
	for (size_t i = 0; i < o->elf.n; i++) {
		struct buf spec = BUF_INIT;

		naming_spec(o, i, &spec);
		words_add(&w, "-e");
		words_add(&w, buf_str(&spec));
		buf_done(&spec);
	}
	if (o->modules > 0) {
		naming_path(modules, o->modules);
		words_add(&w, "-e");
		words_add(&w, modules);
	}
	if (!o->mangled)
		words_add(&w, "--plain");
	for (; *more; more++)
		words_add(&w, *more);
	status = naming_filter(&w, *in, out);
	words_done(&w);
	close(*in);
	*in = out;
	if ((o->told || o->moved || o->request.modules) &&
	    status <= EXIT_FAILED && put_back(in) != 0)
		return EXIT_SYSTEM;
	return status;
}

int
naming_also(void *field, const char *arg, struct buf *err)
{
	struct also *also = field;
	const char *eq = strchr(arg, '=');
	const int what =
	    eq ? opt_word(COUNT_UNITS, arg, (size_t)(eq - arg)) : -1;

	if (what >= 0 && eq[1] && also[what].arg == NULL) {
		also[what] = (struct also){.arg = arg, .path = eq + 1};
		return 0;
	}
	buf_adds(err, what >= 0 && eq[1]
			  ? "is given twice"
			  : "is not WHAT=FILE, such as calls=calls.folded");
	return -1;
}
