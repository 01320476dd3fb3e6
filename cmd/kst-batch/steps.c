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

#include "hash.h"
#include "msg.h"
#include "pipeline.h"
#include "share.h"

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

/* Output of a step that was given nothing to do. */
struct check {
	size_t bytes;
};

static int
count_bytes(void *arg, const char *p, size_t n)
{
	struct check *c = arg;

	(void)p;
	c->bytes += n;
	return 0;
}

void
steps_check(const struct steps *s)
{
	for (int i = 0; i < STEPS; i++) {
		struct pipeline p = {.n = 0};
		struct check c = {0};
		int null;

		if (s->step[i].n == 0)
			continue;
		null = open("/dev/null", O_RDONLY | O_CLOEXEC);
		pipeline_add(&p, &s->step[i], NULL);
		if (pipeline_run(&p, null, count_bytes, &c) != 0)
			msg_die(
			    EXIT_FAILED, "%s: %s", names[i], strerror(errno));
		if (p.stage[0].err.len)
			fwrite(p.stage[0].err.p, 1, p.stage[0].err.len, stderr);
		if (!WIFEXITED(p.stage[0].status) ||
		    WEXITSTATUS(p.stage[0].status) == 127)
			msg_die(EXIT_FAILED, "%s cannot be run", names[i]);
		if (WEXITSTATUS(p.stage[0].status) == EXIT_USAGE)
			msg_die(EXIT_USAGE, "%s does not take these options",
			    names[i]);
		if (c.bytes && i != STEP_SVG)
			msg_die(EXIT_USAGE,
			    "with these options %s does not filter", names[i]);
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

bool
steps_can_split(const struct steps *s)
{
	const struct words *f = &s->step[STEP_FOLD];

	/* --from and --to count captures; any abbreviation counts too. */
	for (size_t k = 1; k < f->n; k++)
		if (strncmp(f->v[k], "--f", 3) == 0 ||
		    strncmp(f->v[k], "--t", 3) == 0)
			return false;
	for (int i = STEP_SYM; i <= STEP_FOLD; i++)
		for (size_t k = 1; k < s->step[i].n; k++)
			if (strncmp(s->step[i].v[k], "--sh", 4) == 0)
				return false;
	return true;
}
