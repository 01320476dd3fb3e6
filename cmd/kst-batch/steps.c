/* SPDX-License-Identifier: ISC */
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
#include "base/share.h"
#include "base/xalloc.h"

enum { PROBE_MAX = 1 << 20 };

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
words_done(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
	w->v = NULL;
	w->n = 0;
}

/* One word at *p, without its quotes. */
static int
word(const char **p, struct buf *b)
{
	const char *s = *p;
	char quote = 0;

	for (; *s && (quote || !strchr(" \t\n", *s)); s++) {
		if (quote == 0 && (*s == '\'' || *s == '"')) {
			quote = *s;
		} else if (*s == quote) {
			quote = 0;
		} else if (*s == '\\' && quote != '\'' && s[1] &&
			   (!quote || strchr("\"\\$`", s[1]))) {
			buf_addc(b, *++s);
		} else {
			buf_addc(b, *s);
		}
	}
	*p = s;
	return quote ? -1 : 0;
}

static int
split(struct words *w, const char *text)
{
	struct buf b = BUF_INIT;
	int status = 0;

	for (;;) {
		text += strspn(text, " \t\n");
		if (*text == 0)
			break;
		b.len = 0;
		if (word(&text, &b) != 0) {
			status = -1;
			break;
		}
		words_add(w, buf_str(&b));
	}
	buf_done(&b);
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
steps_done(struct steps *s)
{
	for (int i = 0; i < STEPS; i++)
		words_done(&s->step[i]);
}

/* The stack that kst-svg is tried with: large counts suit any --minwidth. */
#define PROBE "kst-batch-probe"
static const char probe[] = PROBE " 1000000000000000 1000000000000000\n";

/* A file in memory with this text, open at its start. */
static int
memory(const char *text, size_t len)
{
	int fd = memfd_create("kst-batch", MFD_CLOEXEC);

	if (fd >= 0 && len && pwrite(fd, text, len, 0) != (ssize_t)len) {
		close(fd);
		fd = -1;
	}
	return fd;
}

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
		for (s++; *s && !strchr("tcw", *s);
		     s++) /* these take the rest */
			if (*s == 'o')
				return true;
	}
	return false;
}

/* Runs the command; its status as of waitpid(), or -1 with errno. */
static int
run(const struct words *w, int in, int out)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		dup2(in, STDIN_FILENO);
		dup2(out, STDOUT_FILENO);
		execvp(w->v[0], w->v);
		msg_errno("%s cannot be run", w->v[0]);
		_exit(EXIT_SYSTEM);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* Ends the command if the step rejects its options or does not filter. */
static void
check_step(const struct words *w, int step)
{
	bool draws = step == STEP_SVG;
	int in = memory(probe, draws ? sizeof probe - 1 : 0),
	    out = memory("", 0);
	char *text = xcalloc(1, PROBE_MAX);
	int status;
	ssize_t n;

	if (draws && has_output(w))
		msg_die(EXIT_USAGE, "%s: the output has its name", w->v[0]);
	status = in < 0 || out < 0 ? -1 : run(w, in, out);
	if (status == -1)
		msg_die(EXIT_SYSTEM, "%s cannot be run: %s", w->v[0],
		    strerror(errno));
	if (!WIFEXITED(status))
		msg_die(EXIT_SYSTEM, "%s was killed", w->v[0]);
	if (WEXITSTATUS(status) != EXIT_OK)
		msg_die(WEXITSTATUS(status), "%s does not take these options",
		    w->v[0]);
	n = pread(out, text, PROBE_MAX, 0);
	if (draws ? n <= 0 || !memmem(text, (size_t)n, PROBE, sizeof PROBE - 1)
		  : n != 0)
		msg_die(EXIT_USAGE, "with these options %s does not filter",
		    w->v[0]);
	free(text);
	close(in);
	close(out);
}

void
steps_check(const struct steps *s)
{
	for (int i = 0; i < STEPS; i++)
		if (s->step[i].n > 0)
			check_step(&s->step[i], i);
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

/* Hashes the names, sizes and times of the files in a folder. */
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
