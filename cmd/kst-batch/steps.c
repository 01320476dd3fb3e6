/* SPDX-License-Identifier: ISC */
#include "steps.h"

#include <errno.h>
#include <fcntl.h>
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

const char *
steps_next(const struct steps *s, int step, const char *word)
{
	const struct buf *b = &s->step[step];

	if (b->len == 0)
		return NULL;
	word = word ? word : b->p;
	word += strlen(word) + 1;
	return word < b->p + b->len ? word : NULL;
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
split(struct buf *words, const char *text)
{
	struct buf command = BUF_INIT;
	int status;
	FILE *f;

	buf_adds(&command, "printf '%s\\n' ");
	buf_quote(&command, text);
	buf_adds(&command, "| xargs -r printf '%s\\0' 2>/dev/null");
	f = popen(buf_str(&command), "re");
	if (f == NULL || fd_read(fileno(f), words) != 0 ||
	    !WIFEXITED(status = pclose(f)) || WEXITSTATUS(status) > 1)
		msg_die(EXIT_SYSTEM, "xargs cannot be run");
	buf_done(&command);
	return status;
}

int
steps_add(struct steps *s, int step, const char *text)
{
	struct buf *words = &s->step[step];

	if (words->len == 0)
		buf_add(words, names[step], strlen(names[step]) + 1);
	return split(words, text);
}

void
steps_command(
    const struct steps *s, int step, const char *options, struct buf *b)
{
	buf_printf(b, "%s %s ", names[step], options);
	for (const char *w = NULL; (w = steps_next(s, step, w));)
		buf_quote(b, w);
}

void
steps_done(struct steps *s)
{
	for (int i = 0; i < STEPS; i++)
		buf_done(&s->step[i]);
}

/* The stack that kst-svg is tried with: large counts suit any --minwidth. */
#define PROBE "kst-batch-probe"

/* Whether kst-svg is told to write to a file: trying it would write there. */
static bool
has_output(const struct steps *s)
{
	for (const char *w = NULL; (w = steps_next(s, STEP_SVG, w));) {
		if (strncmp(w, "--o", 3) == 0)
			return true;
		/* t, c and w take the rest */
		if (w[0] == '-' && w[1] != '-' && w[strcspn(w, "tcwo")] == 'o')
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

	if (draws && has_output(s))
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
		if (s->step[i].len)
			check_step(s, i);
}

bool
steps_file(int step, const char *word, bool shared, struct buf *path)
{
	const char *value = word, *at;
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
		buf_add(&text, s->step[i].p, s->step[i].len);
		for (const char *w = NULL; (w = steps_next(s, i, w));) {
			if (!steps_file(i, w, true, &path))
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
has_option(const struct steps *s, int step, const char *prefix)
{
	for (const char *w = NULL; (w = steps_next(s, step, w));)
		if (strncmp(w, prefix, strlen(prefix)) == 0)
			return true;
	return false;
}

bool
steps_plain(const struct steps *s)
{
	return has_option(s, STEP_FOLD, "--p");
}

/* Whether -l may be among the short options, or --leaf-first is given. */
static bool
may_have_leaf_first(const struct steps *s)
{
	for (const char *w = NULL; (w = steps_next(s, STEP_FOLD, w));)
		if (w[0] == '-' && w[1] != '-' && strchr(w, 'l'))
			return true;
	return has_option(s, STEP_FOLD, "--l");
}

bool
steps_can_split(const struct steps *s, enum shape shape)
{
	if (shape == SHAPE_AUTO)
		return false;
	/* only all lines together tell whether they have two counts */
	if (shape == SHAPE_FOLDED && may_have_leaf_first(s))
		return false;
	/* --from and --to count captures */
	if (has_option(s, STEP_FOLD, "--f") || has_option(s, STEP_FOLD, "--t"))
		return false;
	for (int i = STEP_SYM; i <= STEP_FOLD; i++)
		if (has_option(s, i, "--sh"))
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
