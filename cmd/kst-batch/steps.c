/* SPDX-License-Identifier: ISC */
#include "steps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/msg.h"
#include "base/share.h"
#include "base/xalloc.h"
#include "record.h"

static const char *const names[STEPS] = {
    "kst-sym", "kst-clean", "kst-fold", "kst-svg"};

void
words_add(struct words *w, const char *s)
{
	w->v = xreallocn(w->v, w->n + 2, sizeof *w->v);
	w->v[w->n++] = xstrdup(s);
	w->v[w->n] = NULL;
}

void
words_addf(struct words *w, const char *fmt, ...)
{
	char *s;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		msg_die(EXIT_SYSTEM, "out of memory");
	va_end(ap);
	words_add(w, s);
	free(s);
}

void
words_done(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
	w->v = NULL;
	w->n = 0;
}

void
buf_quote(struct buf *b, const char *s)
{
	buf_addc(b, '\'');
	for (; *s; s++)
		if (*s == '\'')
			buf_adds(b, "'\\''");
		else
			buf_addc(b, *s);
	buf_adds(b, "' ");
}

/* xargs splits the text. */
static int
split(struct words *w, const char *text)
{
	struct buf command = BUF_INIT, words = BUF_INIT;
	int status;
	FILE *f;

	buf_adds(&command, "printf '%s\\n' ");
	buf_quote(&command, text);
	buf_adds(&command, "| xargs -r printf '%s\\0' 2>/dev/null");
	f = popen(buf_str(&command), "re");
	if (f == NULL || fd_read(fileno(f), &words) != 0 ||
	    !WIFEXITED(status = pclose(f)) || WEXITSTATUS(status) > 1)
		msg_die(EXIT_SYSTEM, "xargs cannot be run");
	for (size_t at = 0; at < words.len; at += strlen(words.p + at) + 1)
		words_add(w, words.p + at);
	buf_done(&command);
	buf_done(&words);
	return status;
}

int
steps_add(struct steps *s, int step, const char *text)
{
	struct words *w = &s->step[step];

	if (w->n == 0)
		words_add(w, names[step]);
	return split(w, text);
}

void
steps_command(
    const struct steps *s, int step, const char *options, struct buf *b)
{
	const struct words *w = &s->step[step];

	buf_printf(b, "%s %s ", w->v[0], options);
	for (size_t i = 1; i < w->n; i++)
		buf_quote(b, w->v[i]);
}

void
steps_done(struct steps *s)
{
	for (int i = 0; i < STEPS; i++)
		words_done(&s->step[i]);
}

/* The stack that kst-svg is tried with: large counts suit any --minwidth. */
#define PROBE "kst-batch-probe"

/* Whether kst-svg is told to write to a file: trying it would write there. */
static bool
has_output(const struct words *w)
{
	for (size_t k = 1; k < w->n; k++) {
		const char *s = w->v[k];

		if (strncmp(s, "--o", 3) == 0)
			return true;
		if (s[0] != '-' || s[1] == '-')
			continue;
		/* t, c and w take the rest */
		if (s[1 + strcspn(s + 1, "tcwo")] == 'o')
			return true;
	}
	return false;
}

/* Ends the command if the step rejects its options or does not filter. */
static void
check_step(const struct steps *s, int step)
{
	const char *name = names[step];
	struct buf command = BUF_INIT, text = BUF_INIT;
	bool draws = step == STEP_SVG;
	FILE *f;
	int status;

	if (draws && has_output(&s->step[step]))
		msg_die(EXIT_USAGE, "%s: the output has its name", name);
	buf_adds(&command, draws ? "echo " PROBE " 1000000000000000 "
				   "1000000000000000 | "
				 : "</dev/null ");
	steps_command(s, step, "", &command);
	f = popen(buf_str(&command), "re");
	if (f == NULL)
		msg_die(EXIT_SYSTEM, "%s: %s", name, strerror(errno));
	fd_read(fileno(f), &text);
	status = pclose(f);
	if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) > 125)
		msg_die(EXIT_SYSTEM, "%s cannot be run", name);
	if (status != 0)
		msg_die(WEXITSTATUS(status), "%s does not take these options",
		    name);
	if (draws ? strstr(text.p, PROBE) == NULL : text.len > 0)
		msg_die(
		    EXIT_USAGE, "with these options %s does not filter", name);
	buf_done(&command);
	buf_done(&text);
}

void
steps_check(const struct steps *s)
{
	for (int i = 0; i < STEPS; i++)
		if (s->step[i].n > 0)
			check_step(s, i);
}

bool
steps_file(
    const struct steps *s, int step, size_t word, bool shared, struct buf *path)
{
	const char *value = s->step[step].v[word], *at;
	struct stat st;

	if (strncmp(value, "--", 2) == 0)
		value += strcspn(value, "=") + (strchr(value, '=') != NULL);
	else if (*value == '-' && value[1])
		value += 2;
	path->len = 0;
	buf_adds(path, value);
	if (stat(buf_str(path), &st) == 0)
		return true;
	at = strrchr(value, '@');
	path->len = at ? (size_t)(at - value) : 0;
	if (stat(buf_str(path), &st) == 0)
		return true;
	return shared && step == STEP_CLEAN && *value && !strchr(value, '/') &&
	       share_find("rules", value, ".rules", path) == 0;
}

/* A hash of the file's contents. */
static uint64_t
key_of_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint64_t key = 0;
	struct stat st;
	void *p;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		p = mmap(
		    NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p != MAP_FAILED) {
			key = hash_bytes(p, (size_t)st.st_size);
			munmap(p, (size_t)st.st_size);
		}
	}
	close(fd);
	return key;
}

uint64_t
steps_key(const struct steps *s, bool with_svg)
{
	struct buf text = BUF_INIT, path = BUF_INIT;
	uint64_t key;

	buf_adds(&text, KST_VERSION);
	for (int i = 0; i < (with_svg ? STEPS : STEP_SVG); i++) {
		buf_addc(&text, '\n');
		for (size_t k = 0; k < s->step[i].n; k++) {
			const char *w = s->step[i].v[k];

			buf_add(&text, w, strlen(w) + 1);
			if (k == 0 || !steps_file(s, i, k, true, &path))
				continue;
			key = key_of_file(buf_str(&path));
			buf_add(&text, (const char *)&key, sizeof key);
		}
	}
	key = hash_bytes(text.p, text.len);
	buf_done(&text);
	buf_done(&path);
	return key;
}

/* Prefixes count, as getopt_long() takes abbreviations. */
static bool
has_option(const struct words *w, const char *prefix)
{
	for (size_t k = 1; k < w->n; k++)
		if (strncmp(w->v[k], prefix, strlen(prefix)) == 0)
			return true;
	return false;
}

bool
steps_plain(const struct steps *s)
{
	return has_option(&s->step[STEP_FOLD], "--p");
}

/* Whether -l may be among the short options, or --leaf-first is given. */
static bool
may_have_leaf_first(const struct words *fold)
{
	for (size_t k = 1; k < fold->n; k++)
		if (fold->v[k][0] == '-' && fold->v[k][1] != '-' &&
		    strchr(fold->v[k], 'l'))
			return true;
	return has_option(fold, "--l");
}

bool
steps_can_split(const struct steps *s, enum shape shape)
{
	const struct words *fold = &s->step[STEP_FOLD];

	if (shape == SHAPE_AUTO)
		return false;
	/* only all lines together tell whether they have two counts */
	if (shape == SHAPE_FOLDED && may_have_leaf_first(fold))
		return false;
	/* --from and --to count captures */
	if (has_option(fold, "--f") || has_option(fold, "--t"))
		return false;
	for (int i = STEP_SYM; i <= STEP_FOLD; i++)
		if (has_option(&s->step[i], "--sh"))
			return false;
	return true;
}

void
steps_path(void)
{
	const char *path = getenv("PATH");
	struct buf b = BUF_INIT;
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	if (n <= 0)
		return;
	exe[n] = 0;
	*strrchr(exe, '/') = 0;
	buf_printf(&b, "%s:%s", exe, path ? path : "");
	setenv("PATH", buf_str(&b), 1);
	buf_done(&b);
}
