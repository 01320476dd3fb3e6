/* SPDX-License-Identifier: ISC */
/* The steps that a capture goes through, and what their result depends on. */
#include <errno.h>
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
#include "base/xalloc.h"
#include "batch.h"

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

int
steps_add(struct steps *s, const char *name, const char *text)
{
	struct buf *words, command = BUF_INIT;
	int step = 0;

	while (strcmp(names[step] + strlen("kst-"), name) != 0)
		step++;
	words = &s->step[step];
	if (words->len == 0)
		buf_add(words, names[step], strlen(names[step]) + 1);
	buf_adds(&command, "printf '%s\\n' ");
	buf_quote(&command, text);
	buf_adds(&command, "| xargs -r printf '%s\\0' 2>/dev/null");
	return read_command(&command, "xargs", 1, words) ? -1 : 0;
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

/*
 * Whether a step may have an option: one whose long name begins so, as
 * getopt_long() takes abbreviations, or with the first of these letters, before
 * one of the others, which take the rest of their word.
 */
static bool
has_option(
    const struct steps *s, int step, const char *name, const char *letters)
{
	for (const char *w = NULL; (w = steps_next(s, step, w));)
		if (strncmp(w, name, strlen(name)) == 0 ||
		    (*letters && w[0] == '-' && w[1] != '-' &&
			w[strcspn(w, letters)] == *letters))
			return true;
	return false;
}

void
steps_check(const struct steps *s, int step)
{
	const char *name = names[step];
	struct buf command = BUF_INIT, text = BUF_INIT;
	bool draws = step == STEP_SVG;
	int status;

	if (s->step[step].len == 0)
		return;
	/* trying it would write there */
	if (draws && has_option(s, step, "--o", "otcw"))
		msg_die(EXIT_USAGE,
		    "%s: no -o here: the capture names the picture", name);
	buf_adds(&command, draws ? "echo " PROBE " 1000000000000000 "
				   "1000000000000000 | "
				 : "</dev/null ");
	steps_command(s, step, "", &command);
	status = read_command(&command, name, 125, &text);
	if (status != 0)
		msg_die(status, "%s does not take these options", name);
	if (draws ? strstr(text.p, PROBE) == NULL : text.len > 0)
		msg_die(
		    EXIT_USAGE, "with these options %s does not filter", name);
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

bool
steps_plain(const struct steps *s)
{
	return has_option(s, STEP_FOLD, "--p", "");
}

bool
steps_can_split(const struct steps *s, enum shape shape)
{
	/* --from and --to count captures; only all lines of folded text tell
	 * whether they have two counts */
	if (shape == SHAPE_AUTO || has_option(s, STEP_FOLD, "--f", "") ||
	    has_option(s, STEP_FOLD, "--t", "") ||
	    (shape == SHAPE_FOLDED && has_option(s, STEP_FOLD, "--l", "l")))
		return false;
	for (int i = STEP_SYM; i <= STEP_FOLD; i++)
		if (has_option(s, i, "--sh", ""))
			return false;
	return true;
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
