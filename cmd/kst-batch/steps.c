/* SPDX-License-Identifier: ISC */
/* Which words of the steps' options name files, and what they contain. */
#include "steps.h"

#include <dirent.h>
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
#include "pipeline.h"
#include "base/share.h"

enum { PROBE_MAX = 1 << 20 };

static const char *const names[STEPS] = {
    "kst-sym", "kst-clean", "kst-fold", "kst-svg"};

int
steps_add(struct steps *s, int step, const char *text)
{
	struct words *w = &s->step[step];

	if (w->n == 0)
		words_add(w, names[step]);
	return words_split(w, text);
}

void
steps_done(struct steps *s)
{
	for (int i = 0; i < STEPS; i++)
		words_done(&s->step[i]);
}

/* What a picture is tried with: one stack, whatever is asked of its counts. */
#define PROBE "kst-batch-probe"
static const char probe[] = PROBE " 1000000000000000 1000000000000000\n";

/* Keeps the beginning, in which a picture of one stack has its name. */
static int
keep_output(void *arg, const char *p, size_t n)
{
	struct buf *b = arg;
	size_t room = b->len < PROBE_MAX ? PROBE_MAX - b->len : 0;

	buf_add(b, p, n < room ? n : room);
	return 0;
}

/* What the step is given: nothing, or a stack. */
static int
open_probe(int step)
{
	int in[2];

	if (step != STEP_SVG)
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (pipe2(in, O_CLOEXEC) != 0)
		return -1;
	if (write(in[1], probe, sizeof probe - 1) < 0) {
		close(in[0]);
		in[0] = -1;
	}
	close(in[1]);
	return in[0];
}

/* Ends the command when the step, which has run, is none that filters. */
static void
check_step(int step, const struct stage *s, const struct buf *output)
{
	bool drawn = output->len &&
		     memmem(output->p, output->len, PROBE, sizeof PROBE - 1);

	if (s->err.len)
		fwrite(s->err.p, 1, s->err.len, stderr);
	if (!WIFEXITED(s->status) || WEXITSTATUS(s->status) == 127)
		msg_die(EXIT_FAILED, "%s cannot be run", names[step]);
	if (WEXITSTATUS(s->status) != EXIT_OK)
		msg_die(WEXITSTATUS(s->status),
		    "%s does not take these options", names[step]);
	if (step == STEP_SVG ? !drawn : output->len > 0)
		msg_die(EXIT_USAGE, "with these options %s does not filter",
		    names[step]);
}

void
steps_check(const struct steps *s)
{
	for (int i = 0; i < STEPS; i++) {
		struct pipeline p = {.n = 0};
		struct buf output = BUF_INIT;

		if (s->step[i].n == 0)
			continue;
		pipeline_add(&p, &s->step[i], NULL);
		if (pipeline_run(&p, open_probe(i), keep_output, &output) != 0)
			msg_die(
			    EXIT_FAILED, "%s: %s", names[i], strerror(errno));
		check_step(i, &p.stage[0], &output);
		buf_done(&output);
		pipeline_done(&p);
	}
}

/* A file, or NAME of kst-sym's NAME@BASE. */
static const char *
existing(const char *s, struct buf *path)
{
	struct stat st;
	const char *at = strrchr(s, '@');

	if (*s == 0)
		return NULL;
	path->len = 0;
	buf_adds(path, s);
	if (stat(buf_str(path), &st) == 0)
		return s;
	if (at == NULL || at == s)
		return NULL;
	path->len = (size_t)(at - s);
	return stat(buf_str(path), &st) == 0 ? s : NULL;
}

const char *
steps_file(const struct steps *s, int step, size_t word, struct buf *path)
{
	static const char *const dir[STEPS] = {"sym", "rules", "fold", "svg"};
	const char *w = s->step[step].v[word], *eq, *value = w;

	if (w[0] == '-' && w[1] == '-') {
		eq = strchr(w, '=');
		if (eq == NULL)
			return NULL;
		value = eq + 1;
	} else if (w[0] == '-' && w[1]) {
		value = w + 2;
	}
	if (existing(value, path))
		return value;
	if (*value && strchr(value, '/') == NULL &&
	    share_find(dir[step], value, dir[step][0] == 'r' ? ".rules" : "",
		path) == 0)
		return value;
	return NULL;
}

static uint64_t
mix(uint64_t key, const void *p, size_t n)
{
	uint64_t both[2] = {key, hash_bytes(p, n)};

	return hash_bytes(both, sizeof both);
}

/* What a folder has in it: names, sizes and times, in any order. */
static uint64_t
key_of_dir(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	uint64_t sum = 0;

	while (d && (e = readdir(d))) {
		struct stat st;
		uint64_t v[3];

		if (fstatat(dirfd(d), e->d_name, &st, 0) != 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		v[0] = hash_bytes(e->d_name, strlen(e->d_name));
		v[1] = (uint64_t)st.st_size;
		v[2] = (uint64_t)st.st_mtim.tv_sec * 1000000000u +
		       (uint64_t)st.st_mtim.tv_nsec;
		sum += hash_bytes(v, sizeof v);
	}
	if (d)
		closedir(d);
	return sum;
}

static uint64_t
key_of_file(uint64_t key, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *p;

	if (fd < 0 || fstat(fd, &st) != 0) {
		if (fd >= 0)
			close(fd);
		return mix(key, "", 0);
	}
	if (S_ISDIR(st.st_mode)) {
		uint64_t sum = key_of_dir(path);

		key = mix(key, &sum, sizeof sum);
	} else if (S_ISREG(st.st_mode) && st.st_size > 0) {
		p = mmap(
		    NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p != MAP_FAILED) {
			key = mix(key, p, (size_t)st.st_size);
			munmap(p, (size_t)st.st_size);
		}
	}
	close(fd);
	return key;
}

uint64_t
steps_key(const struct steps *s, bool with_svg)
{
	uint64_t key = hash_bytes(KST_VERSION, strlen(KST_VERSION));
	struct buf path = BUF_INIT;

	for (int i = 0; i < STEPS; i++) {
		if (i == STEP_SVG && !with_svg)
			continue;
		key = mix(key, &i, sizeof i);
		for (size_t k = 0; k < s->step[i].n; k++) {
			const char *w = s->step[i].v[k];

			key = mix(key, w, strlen(w));
			if (k > 0 && steps_file(s, i, k, &path))
				key = key_of_file(key, buf_str(&path));
		}
	}
	buf_done(&path);
	return key;
}

/* getopt_long() takes any abbreviation of a long option. */
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

/* -l among short options, whatever else they are; or the long one. */
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
	/* the first of two counts is the leaf's until all lines are seen */
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
