/* SPDX-License-Identifier: ISC */
#include "opt/script.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/port.h"
#include "base/xalloc.h"
#include "opt/opt.h"

static bool
is_shell(const char *program, size_t n)
{
	return opt_word("sh bash dash ash ksh zsh", program, n) >= 0;
}

/* Of python3.11, too. */
static bool
is_interpreter(const char *program)
{
	return opt_word("python perl ruby node lua", program,
		   strcspn(program, ".0123456789")) >= 0;
}

/*
 * Whether the first line, `#!/usr/bin/env bash`, names a shell. What has none
 * is started as a shell's script if it is text.
 */
static bool
is_for_shell(const char *text, size_t len)
{
	const char *const end = text + strcspn(text, "\n");

	if (strncmp(text, "#!", 2) != 0)
		return memchr(text, 0, len) == NULL;
	for (const char *p = text + 2; p < end; p++) {
		const size_t n = strcspn(p, " \t/\n");

		if (is_shell(p, n))
			return true;
		p += n;
	}
	return false;
}

void
script_load(struct script *s, char *const *argv)
{
	const char *first = port_basename(argv[0]);
	const bool shell = is_shell(first, strlen(first));
	const char *path = shell || is_interpreter(first) ? argv[1] : argv[0];
	const int fd = path && *path != '-'
			   ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
			   : -1;
	const ssize_t n = fd >= 0 ? read(fd, s->text, sizeof s->text - 1) : -1;

	if (fd >= 0)
		close(fd);
	s->shell = shell;
	if (shell && path && strcmp(path, "-c") == 0 && argv[2]) {
		snprintf(s->text, sizeof s->text, "%s", argv[2]);
		s->name = "-c";
		return;
	}
	s->text[n > 0 ? n : 0] = 0;
	if (n > 0 && path == argv[0])
		s->shell = is_for_shell(s->text, (size_t)n);
	s->name = n > 0 && (s->shell || path != argv[0] ||
			       strncmp(s->text, "#!", 2) == 0)
		      ? path
		      : NULL;
}

bool
script_is_deaf(const struct script *s)
{
	return s->name && s->shell && strcasestr(s->text, "qemu") &&
	       !strstr(s->text, "$@") && !strstr(s->text, "$*") &&
	       !strstr(s->text, "${@") && !strstr(s->text, "${*");
}

bool
script_names(char *const *argv, const char *text)
{
	struct script *s = xcalloc(1, sizeof *s);
	bool has;

	script_load(s, argv);
	has = s->name && strstr(s->text, text);
	for (; *argv && !has; argv++)
		has = strstr(*argv, text) != NULL;
	free(s);
	return has;
}

bool
script_is(char *const *argv)
{
	struct script *s = xcalloc(1, sizeof *s);
	bool is;

	script_load(s, argv);
	is = s->name != NULL;
	free(s);
	return is;
}

bool
script_is_builder(const char *program)
{
	const char *name = port_basename(program);

	return opt_word("make gmake bmake ninja cargo just meson cmake bazel "
			"task",
		   name, strlen(name)) >= 0;
}

/*
 * Whether it does anything with all of its words, which may reach QEMU by
 * others. A `$1` hands on one.
 */
static bool
uses_words(const struct script *s)
{
	const char *text = s->text;

	/* Another language's parser of options refuses those of QEMU. */
	if (!s->shell)
		return strcasestr(text, "argv") ||
		       strstr(text, "parse_known_args") ||
		       strstr(text, "REMAINDER");
	if (strstr(text, "for ") || strstr(text, "shift"))
		return true;
	for (const char *p = text; (p = strchr(p, '$')) != NULL;) {
		p += p[1] == '{' ? 2 : 1;
		if (strchr("@*#", *p)) /* or at the text's end */
			return true;
	}
	return false;
}

bool
script_keeps(char *const *argv, const char *other)
{
	struct script *s = xcalloc(1, sizeof *s);
	bool keeps;

	script_load(s, argv);
	keeps = script_is_deaf(s) || (s->name && !uses_words(s));
	keeps = keeps && !(other && strstr(s->text, other));
	free(s);
	return keeps || script_is_builder(argv[0]);
}

void
script_warn(char *const *argv, const char *other)
{
	struct script *s = xcalloc(1, sizeof *s);

	script_load(s, argv);
	if (script_is_deaf(s) && !(other && strstr(s->text, other)))
		msg("%s has no \"$@\": unless its line for QEMU ends in "
		    "\"$@\", kst's options do not reach QEMU",
		    msg_str(s->name));
	free(s);
}
