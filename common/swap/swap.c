/* SPDX-License-Identifier: ISC */
#include "swap/swap.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/port.h"
#include "base/xalloc.h"
#include "kimage/kimage.h"
#include "opt/opt.h"
#include "opt/script.h"

/* Whether both are one file. */
static bool
is_same(const char *path, const char *other)
{
	struct stat a, b;

	return stat(path, &a) == 0 && stat(other, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* A word of the command, or its parts `KEY=FILE,...`, with this kernel. */
static char *
replace(struct swap *s, const char *word, const char *kernel)
{
	char *to = words_addf(&s->texts, "%s", ""), *part;

	for (size_t n; *word; word += n) {
		n = strcspn(word, "=,");
		part = words_addf(&s->texts, "%.*s", (int)n, word);
		if (n > 0 && is_same(part, s->own)) {
			part = (char *)(uintptr_t)kernel;
			s->named++;
		}
		n += word[n] != 0;
		to = words_addf(&s->texts, "%s%s%s", to, part,
		    word[n - 1] == '='	 ? "="
		    : word[n - 1] == ',' ? ","
					 : "");
	}
	return to;
}

static bool
is_kernel(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const bool is = fd >= 0 && kimage_knows(fd);

	if (fd >= 0)
		close(fd);
	return is;
}

/* The only word after the first one that is a kernel's file; or NULL. */
static const char *
only_kernel(char *const *argv)
{
	const char *found = NULL;

	for (char *const *a = argv + 1; *a; a++) {
		if (!is_kernel(*a))
			continue;
		if (found)
			return NULL;
		found = *a;
	}
	return found;
}

/* What -kernel names, if that is a kernel's file. */
static const char *
named_kernel(char *const *argv)
{
	for (char *const *a = argv; a[0] && a[1]; a++)
		if (opt_word("-kernel --kernel", *a, strlen(*a)) >= 0)
			return is_kernel(a[1]) ? a[1] : NULL;
	return NULL;
}

/* Whether a shell leaves the word as it is. */
static bool
is_plain(const char *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)word[i]) &&
		    strchr("_./+-,@:%", word[i]) == NULL)
			return false;
	return n > 0;
}

/*
 * What a script has after each -kernel, if that is one plain word and a
 * kernel's file; NULL also where the script changes its folder.
 */
static const char *
script_kernel(struct swap *s, const struct script *script)
{
	const char *p = script->text, *found = NULL;
	bool plain = true, after = false;

	for (size_t n; script->name && plain && *p; p += n) {
		p += strspn(p, " \t\n\\;(&|");
		n = strcspn(p, *p == '#' ? "\n" : " \t\n;(&|");
		if (after) {
			plain = is_plain(p, n);
			if (found && (strncmp(found, p, n) != 0 || found[n]))
				plain = false;
			found = words_addf(&s->texts, "%.*s", (int)n, p);
		}
		after = opt_word("-kernel --kernel", p, n) >= 0;
		if (opt_word("cd pushd", p, n) >= 0)
			plain = false;
	}
	return found && plain && is_kernel(found) ? found : NULL;
}

/* Whether the command starts QEMU by other means than its own words. */
static bool
is_indirect(const struct swap *s, const struct script *script)
{
	return script->name || script_is_builder(s->argv[0]);
}

/*
 * The command names its kernel nowhere. A script may take it from $KST_KERNEL,
 * which each run sets; other scripts, and tools that build, are to start QEMU
 * by its name with this kernel.
 */
static void
check_script(struct swap *s, const struct script *script)
{
	s->in_image = !is_indirect(s, script);
	s->by_path = !s->in_image && strstr(script->text, "KST_KERNEL") == NULL;
}

/* Whether QEMU is named by paths only, which no folder of $PATH changes. */
static bool
has_path_only(const char *text)
{
	bool path = false;

	for (const char *p = text; (p = strstr(p, "qemu-system-")); p++) {
		if (p == text || p[-1] != '/')
			return false;
		path = true;
	}
	return path;
}

/* Only QEMU's -kernel will tell. */
static void
find_later(struct swap *s, const struct script *script)
{
	if (!is_indirect(s, script))
		opt_wrong("--base: which is the command's kernel? give it "
			  "with -e");
	if (has_path_only(script->text))
		opt_wrong("--base: %s starts QEMU by a path, so another kernel "
			  "cannot take its kernel's place: let it start QEMU "
			  "by its name, or take -kernel \"$KST_KERNEL\", and "
			  "give its kernel with -e",
		    msg_str(script->name));
	s->later = true;
}

void
swap_find(struct swap *s, const char *elf)
{
	const char *at =
	    elf && access(elf, F_OK) != 0 ? strrchr(elf, '@') : NULL;
	struct script *script = xcalloc(1, sizeof *script);

	if (s->lines)
		opt_wrong("--base compares whole functions: for their lines, "
			  "give --lines instead of --base, once with each "
			  "kernel, and look at each with 'kst top --lines "
			  "FUNCTION'");
	s->own = at ? words_addf(&s->texts, "%.*s", (int)(at - elf), elf) : elf;
	if (s->own == NULL)
		s->own = named_kernel(s->argv);
	script_load(script, s->argv);
	if (s->own == NULL)
		s->own = script_kernel(s, script);
	if (s->own == NULL)
		s->own = getenv("KST_KERNEL");
	if (s->own == NULL)
		s->own = only_kernel(s->argv);
	s->seen = -1;
	if (s->with) {
		if (s->own == NULL)
			opt_wrong("--base-command needs the kernel of the "
				  "command after --: -e FILE");
	} else if (s->own == NULL) {
		find_later(s, script);
	} else {
		for (char *const *a = s->argv; *a; a++)
			replace(s, *a, s->other);
		if (s->named == 0 && getenv("KST_KERNEL") == NULL)
			check_script(s, script);
	}
	if (s->later || s->by_path) {
		s->seen = port_temp_file();
		s->pid = getpid();
	}
	free(script);
}

int
swap_learn(struct swap *s)
{
	char b[2 * PATH_MAX], dir[PATH_MAX], *rest = b, *line, *found = NULL;
	size_t len;
	const ssize_t n = pread(s->seen, b, sizeof b - 1, 0);
	bool one = true;

	b[n > 0 ? n : 0] = 0;
	while ((line = strsep(&rest, "\n")) && *line) {
		one = one && (!found || strcmp(found, line) == 0);
		found = line;
	}
	if (found && one) {
		/* as short as the user would say it */
		if (getcwd(dir, sizeof dir) && (len = strlen(dir)) > 1 &&
		    strncmp(found, dir, len) == 0 && found[len] == '/')
			found += len + 1;
		s->own = words_addf(&s->texts, "%s", found);
		return 0;
	}
	msg(found ? "--base: QEMU was started with several kernels: give the "
		    "one to be replaced with -e"
		  : "--base: the command did not start QEMU by its name with "
		    "-kernel: let it take -kernel \"$KST_KERNEL\", and give "
		    "its kernel with -e");
	return EXIT_FAILED;
}

void
swap_done(struct swap *s)
{
	words_done(&s->texts);
	if (s->seen >= 0)
		close(s->seen);
}

const char *
swap_kernel(const struct swap *s, int side)
{
	return side == SWAP_OLD ? s->other : s->own;
}

/* The environment of a run where QEMU's kernel is replaced; `own`, or later. */
static void
set_later(const struct swap *s, int side, const char *own)
{
	const long pid = (long)s->pid;
	char path[64];

	setenv("KST_QEMU_KERNEL", s->later ? "-kernel" : own, 1);
	snprintf(path, sizeof path, "/proc/%ld/fd/%d", pid, s->seen);
	setenv("KST_QEMU_SEEN", path, 1);
	if (side == SWAP_OLD)
		unsetenv("KST_QEMU_SEEN");
}

/* A command of plain words is started as it is; a shell takes others. */
static void
add_with(struct swap *s, struct words *w)
{
	const size_t blanks = strspn(s->with, " ");
	char *rest = words_addf(&s->texts, "%s", s->with + blanks), *word;

	for (const char *p = rest; *p; p++)
		if (*p != ' ' && !is_plain(p, 1)) {
			words_add(w, "sh");
			words_add(w, "-c");
			words_add(w, s->with);
			words_add(w, "sh"); /* words after it are its "$@" */
			return;
		}
	while ((word = strsep(&rest, " ")) != NULL)
		if (*word)
			words_add(w, word);
}

void
swap_words(struct swap *s, int side, struct words *w)
{
	const char *kernel = swap_kernel(s, side);
	char *path = kernel ? realpath(kernel, NULL) : NULL,
	     *own = s->own ? realpath(s->own, NULL) : NULL;

	if (kernel)
		setenv("KST_KERNEL", path ? path : kernel, 1);
	if (s->later || s->by_path)
		set_later(s, side, own ? own : s->own);
	free(path);
	free(own);
	if (s->with && side == SWAP_OLD) {
		add_with(s, w);
		return;
	}
	for (char *const *a = s->argv; *a; a++)
		words_add(w,
		    side == SWAP_NEW || s->later ? *a : replace(s, *a, kernel));
}
