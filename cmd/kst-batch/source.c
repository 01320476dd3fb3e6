/* SPDX-License-Identifier: ISC */
/*
 * The only file that unpacks. The first bytes of the unpacked text are looked
 * at with tee(2), so that a packed file is unpacked once and copied never.
 */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/in.h"

enum { HEAD = 4096, PIPE_SIZE = 1 << 20, STRETCH = 16 << 20 };

enum pack
source_pack(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;

	if (n >= 2 && u[0] == 0x1f && u[1] == 0x8b)
		return PACK_GZIP;
	if (n >= 6 && memcmp(p,
			  "\xfd"
			  "7zXZ",
			  6) == 0)
		return PACK_XZ;
	if (n >= 4 && memcmp(p, "\x28\xb5\x2f\xfd", 4) == 0)
		return PACK_ZSTD;
	if (n >= 4 && u[0] >= 0x50 && u[0] <= 0x5f &&
	    memcmp(p + 1, "\x2a\x4d\x18", 3) == 0)
		return PACK_ZSTD; /* begins with a frame to be skipped */
	return PACK_NONE;
}

const char *
source_foreign(const char *p, size_t n)
{
	static const struct {
		const char *begin;
		size_t len;
		const char *why;
	} known[] = {
	    {"BZh", 3, "packed by bzip2, which is not read"},
	    {"\x04\x22\x4d\x18", 4, "packed by lz4, which is not read"},
	    {"LZIP", 4, "packed by lzip, which is not read"},
	    {"PK\x03\x04", 4, "packed by zip, which is not read"},
	    {"7z\xbc\xaf\x27\x1c", 6, "packed by 7-Zip, which is not read"},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (n >= known[i].len &&
		    memcmp(p, known[i].begin, known[i].len) == 0)
			return known[i].why;
	return NULL;
}

/* An object: trace text and folded text do not begin like one. */
static bool
is_json(const char *p, size_t n)
{
	size_t i = n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	while (i < n && memchr(" \t\r\n", p[i], 4))
		i++;
	if (i == n || p[i] != '{')
		return false;
	for (i++; i < n && memchr(" \t\r\n", p[i], 4); i++)
		;
	return i == n || p[i] == '"' || p[i] == '}';
}

static pid_t
unpack(enum pack pack, int in, int out, int err)
{
	static char *const argv[][4] = {
	    [PACK_GZIP] = {(char *)"gzip", (char *)"-dc"},
	    [PACK_ZSTD] = {(char *)"zstd", (char *)"-dcq"},
	    [PACK_XZ] = {(char *)"xz", (char *)"-dc"},
	};
	extern char **environ;
	posix_spawn_file_actions_t fa;
	pid_t pid;
	int e;

	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, in, 0);
	posix_spawn_file_actions_adddup2(&fa, out, 1);
	posix_spawn_file_actions_adddup2(&fa, err, 2);
	e = posix_spawnp(&pid, argv[pack][0], &fa, NULL, argv[pack], environ);
	posix_spawn_file_actions_destroy(&fa);
	errno = e;
	return e ? -1 : pid;
}

/* Looks at what comes out of the pipe, without taking it. */
static size_t
peek(int pipe_fd, char *head)
{
	int copy[2];
	ssize_t n;

	if (pipe2(copy, O_CLOEXEC) != 0)
		return 0;
	do
		n = tee(pipe_fd, copy[1], HEAD, 0);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		n = read(copy[0], head, HEAD);
	close(copy[0]);
	close(copy[1]);
	return n > 0 ? (size_t)n : 0;
}

static int
open_packed(struct source *s, int file)
{
	int out[2] = {-1, -1}, err[2] = {-1, -1}, e;
	char head[HEAD];
	size_t n;

	if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
		goto fail;
	(void)fcntl(out[1], F_SETPIPE_SZ, PIPE_SIZE);
	s->unpack_pid = unpack(s->pack, file, out[1], err[1]);
	if (s->unpack_pid < 0)
		goto fail;
	close(file);
	close(out[1]);
	close(err[1]);
	s->fd = out[0];
	s->err_fd = err[0];
	n = peek(s->fd, head);
	s->json = is_json(head, n);
	s->foreign = source_pack(head, n) == PACK_NONE ? source_foreign(head, n)
						       : "packed twice";
	return 0;
fail:
	e = errno;
	for (int i = 0; i < 2; i++) {
		if (out[i] >= 0)
			close(out[i]);
		if (err[i] >= 0)
			close(err[i]);
	}
	close(file);
	errno = e;
	return -1;
}

/* A process that sends a part of the file into a pipe. */
static int
open_part(struct source *s, int file, uint64_t off, uint64_t len)
{
	int out[2];

	if (pipe2(out, O_CLOEXEC) != 0) {
		close(file);
		return -1;
	}
	(void)fcntl(out[1], F_SETPIPE_SZ, PIPE_SIZE);
	s->pump_pid = fork();
	if (s->pump_pid == 0) {
		loff_t at = (loff_t)off;

		signal(SIGPIPE, SIG_DFL);
		close(out[0]);
		while (len > 0) {
			size_t want = len < PIPE_SIZE ? (size_t)len : PIPE_SIZE;
			ssize_t n = splice(file, &at, out[1], NULL, want, 0);

			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				_exit(n == 0 ? 0 : 1);
			len -= (uint64_t)n;
		}
		_exit(0);
	}
	close(out[1]);
	close(file);
	s->fd = out[0];
	if (s->pump_pid < 0) {
		close(out[0]);
		return -1;
	}
	return 0;
}

int
source_open(struct source *s, const char *path, uint64_t off, uint64_t len)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char head[HEAD];
	struct stat st;
	ssize_t n;

	memset(s, 0, sizeof *s);
	s->fd = s->err_fd = -1;
	if (file < 0)
		return -1;
	if (fstat(file, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(file);
		errno = EINVAL;
		return -1;
	}
	s->size = (uint64_t)st.st_size;
	s->mtime = (uint64_t)st.st_mtim.tv_sec * 1000000000u +
		   (uint64_t)st.st_mtim.tv_nsec;
	if (len > 0)
		return open_part(s, file, off, len);
	n = pread(file, head, sizeof head, 0);
	if (n < 0) {
		int e = errno;

		close(file);
		errno = e;
		return -1;
	}
	s->pack = source_pack(head, (size_t)n);
	if (s->pack != PACK_NONE)
		return open_packed(s, file);
	s->json = is_json(head, (size_t)n);
	s->foreign = source_foreign(head, (size_t)n);
	s->fd = file;
	return 0;
}

/*
 * The first line of what the unpacker says, without the name that it gives
 * its input: `gzip: stdin: `, zstd's between slashes.
 */
static void
unpack_said(int fd, char *why, size_t max)
{
	size_t len = 0;
	static const char *const names[] = {
	    "stdin: ", "/*stdin*\\ : ", "(stdin): "};
	char rest[512];
	ssize_t n;
	char *p, *in;

	while (len + 1 < max && (n = read(fd, why + len, max - 1 - len)) > 0)
		len += (size_t)n;
	while (read(fd, rest, sizeof rest) > 0)
		;
	why[len] = 0;
	for (p = why; *p == '\n'; p++)
		;
	p[strcspn(p, "\n")] = 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if ((in = strstr(p, names[i])))
			p = in + strlen(names[i]);
	memmove(why, p, strlen(p) + 1);
}

int
source_close(struct source *s, char *why, size_t max)
{
	int status = 0;

	why[0] = 0;
	if (s->pump_pid > 0) {
		waitpid(s->pump_pid, &status, 0);
		if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
			snprintf(why, max, "cannot be read");
			return -1;
		}
	}
	if (s->unpack_pid > 0) {
		unpack_said(s->err_fd, why, max);
		close(s->err_fd);
		waitpid(s->unpack_pid, &status, 0);
		/* ended early because its reader ended: the reader's fault */
		if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE)
			return 0;
		if (status != 0 && why[0] == 0)
			snprintf(why, max, "cannot be unpacked");
		if (status != 0)
			return WIFSIGNALED(status) ? -1 : 1;
	}
	return 0;
}

enum shape
source_shape(const char *path)
{
	enum shape shape = SHAPE_AUTO;
	char name[32], *operand = name, why[8];
	struct source s;
	struct in in;

	if (source_open(&s, path, 0, 0) != 0)
		return SHAPE_AUTO;
	if (!s.json) {
		snprintf(name, sizeof name, "/dev/fd/%d", s.fd);
		in_init(&in, &operand, 1);
		shape = shape_detect(&in);
		in_done(&in);
	}
	close(s.fd);
	source_close(&s, why, sizeof why);
	return shape;
}

uint64_t
source_count(int fd, uint64_t left)
{
	char text[1 << 14];
	uint64_t lines = 0;

	while (left > 0) {
		size_t want = left < sizeof text ? (size_t)left : sizeof text;
		ssize_t n = read(fd, text, want);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		left -= (uint64_t)n;
		for (const char *p = text;
		     (p = memchr(p, '\n', (size_t)(text + n - p))); p++)
			lines++;
	}
	return lines;
}

uint64_t
source_lines(const char *path)
{
	struct source s;
	char why[8];
	uint64_t lines;

	if (source_open(&s, path, 0, 0) != 0)
		return 0;
	lines = source_count(s.fd, UINT64_MAX);
	close(s.fd);
	source_close(&s, why, sizeof why);
	return lines;
}

uint64_t
source_lines_before(const char *path, uint64_t end, const char *cache)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC),
	    kept = open(cache, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	uint64_t lines = 0, at = 0;

	/* for each stretch the cache has a number, 0: not counted yet */
	for (uint64_t k = 0; fd >= 0 && at + STRETCH <= end; k++) {
		uint64_t n = 0;
		off_t place = (off_t)(k * sizeof n);

		if (pread(kept, &n, sizeof n, place) != sizeof n || n == 0) {
			(void)lseek(fd, (off_t)at, SEEK_SET);
			n = source_count(fd, STRETCH) + 1;
			if (pwrite(kept, &n, sizeof n, place) != sizeof n)
				errno = 0; /* it is counted again */
		}
		lines += n - 1;
		at += STRETCH;
	}
	if (fd >= 0) {
		(void)lseek(fd, (off_t)at, SEEK_SET);
		lines += source_count(fd, end - at);
		close(fd);
	}
	if (kept >= 0)
		close(kept);
	return lines;
}
