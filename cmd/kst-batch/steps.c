/* SPDX-License-Identifier: ISC */
/* The steps that a capture goes through, and what their result depends on. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "set/hash.h"
#include "base/msg.h"
#include "base/port.h"
#include "io/share.h"
#include "batch.h"

static const char *const names[STEPS] = {
    "kst-sym", "kst-clean", "kst-fold", "kst-svg"};

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

/* Reads a command's output. Returns its status; above `highest` it ends ours.
 */
static int
read_command(
    struct buf *command, const char *name, int highest, struct buf *text)
{
	FILE *f = popen(buf_str(command), "re");
	int status;

	if (f == NULL || share_fill(fileno(f), SIZE_MAX, text) != 0 ||
	    !WIFEXITED(status = pclose(f)) || WEXITSTATUS(status) > highest)
		msg_die(EXIT_SYSTEM, "%s cannot be run", name);
	buf_done(command);
	return WEXITSTATUS(status);
}

/* The next word of text, as xargs takes it, or NULL; -1: an open quote. */
static int
next_word(const char **text, struct buf *word)
{
	const char *p = *text + strspn(*text, " \t\n");

	word->len = 0;
	*text = p;
	if (*p == 0)
		return 0;
	while (*p && !strchr(" \t\n", *p)) {
		const char *end;

		if (*p == '\\' && p[1]) {
			buf_addc(word, p[1]);
			p += 2;
		} else if (*p == '"' || *p == '\'') {
			end = strchr(p + 1, *p);
			if (end == NULL || memchr(p, '\n', (size_t)(end - p)))
				return -1;
			buf_add(word, p + 1, (size_t)(end - p - 1));
			p = end + 1;
		} else {
			buf_addc(word, *p++);
		}
	}
	*text = p;
	return 1;
}

int
steps_add(struct words *steps, const char *name, const char *text)
{
	struct buf word = BUF_INIT;
	struct words *step = steps;
	int more;

	while (strcmp(names[step - steps] + strlen("kst-"), name) != 0)
		step++;
	if (step->n == 0)
		words_add(step, names[step - steps]);
	while ((more = next_word(&text, &word)) > 0)
		words_add(step, buf_str(&word));
	buf_done(&word);
	return more;
}

/* The stack that kst-svg is tried with: large counts suit any --minwidth. */
#define PROBE "kst-batch-probe"

/*
 * Whether a step may have an option: one whose long name begins so, as
 * getopt_long() takes abbreviations, or with the first of these letters, before
 * one of the others, which take the rest of their word.
 */
static bool
has_option(const struct words *step, const char *name, const char *letters)
{
	for (size_t i = 1; i < step->n; i++) {
		const char *w = step->v[i];

		if (strncmp(w, name, strlen(name)) == 0 ||
		    (*letters && w[0] == '-' && w[1] != '-' &&
			w[strcspn(w, letters)] == *letters))
			return true;
	}
	return false;
}

void
steps_check(const struct words *step)
{
	const char *name = step->n ? step->v[0] : NULL;
	struct buf command = BUF_INIT, text = BUF_INIT;
	bool draws = name && strcmp(name, names[STEP_SVG]) == 0;
	int status;

	if (name == NULL)
		return;
	/* trying it would write there */
	if (draws && has_option(step, "--o", "otcw"))
		msg_die(EXIT_USAGE,
		    "%s cannot have -o: the picture is named after the "
		    "capture",
		    name);
	buf_adds(&command, draws ? "echo " PROBE " 1000000000000000 "
				   "1000000000000000 | "
				 : "</dev/null ");
	for (size_t i = 0; i < step->n; i++)
		buf_quote(&command, step->v[i]);
	status = read_command(&command, name, 125, &text);
	if (status != 0)
		msg_die(status, "%s does not take these options", name);
	if (draws ? strstr(text.p, PROBE) == NULL : text.len > 0)
		msg_die(EXIT_USAGE,
		    "with these options %s does not convert its input", name);
	buf_done(&text);
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

/* A hash of the contents of a regular file. */
static uint64_t
key_of_file(const char *path)
{
	size_t size = (size_t)file_size(path);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	uint64_t key = 0;

	if (p != MAP_FAILED) {
		key = hash_bytes(p, size);
		munmap(p, size);
	}
	if (fd >= 0)
		close(fd);
	return key;
}

uint64_t
steps_key(const struct words *steps, int n)
{
	struct buf text = BUF_INIT, path = BUF_INIT;
	uint64_t key;

	buf_adds(&text, KST_VERSION);
	for (int i = 0; i < n; i++) {
		const struct words *step = &steps[i];

		buf_addc(&text, '\n');
		for (size_t k = 0; k < step->n; k++)
			buf_add(&text, step->v[k], strlen(step->v[k]) + 1);
		for (size_t k = 1; k < step->n; k++) {
			if (!steps_file(i, step->v[k], true, &path))
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

bool
steps_plain(const struct words *steps)
{
	return has_option(&steps[STEP_FOLD], "--p", "");
}

/* The length of pieces of time may depend on the whole. */
static bool
by_time(const struct words *fold)
{
	for (size_t i = 1; i < fold->n; i++)
		if (strstr(fold->v[i], "time"))
			return true;
	return false;
}

bool
steps_can_split(const struct words *steps, enum shape shape)
{
	const struct words *fold = &steps[STEP_FOLD];

	/* --from and --to count captures; only all lines of folded text tell
	 * whether they have two counts */
	return shape != SHAPE_AUTO && !has_option(fold, "--f", "") &&
	       !has_option(fold, "--t", "") && !by_time(fold) &&
	       !(shape == SHAPE_FOLDED && has_option(fold, "--l", "l")) &&
	       !has_option(&steps[STEP_SYM], "--sh", "") &&
	       !has_option(&steps[STEP_CLEAN], "--sh", "") &&
	       !has_option(fold, "--sh", "");
}

void
steps_path(void)
{
	const char *path = getenv("PATH");
	struct buf b = BUF_INIT;
	const char *own = port_own_folder();

	if (own == NULL)
		return;
	buf_printf(&b, "%s:%s", own, path ? path : "");
	setenv("PATH", buf_str(&b), 1);
	buf_done(&b);
}
