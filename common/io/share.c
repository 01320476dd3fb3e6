/* SPDX-License-Identifier: ISC */
#include "io/share.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"

static int
try(struct buf *path, const char *base, const char *dir, const char *name,
    const char *suffix)
{
	path->len = 0;
	buf_printf(path, "%s/%s/%s", base, dir, name);
	if (access(buf_str(path), R_OK) == 0)
		return 0;
	if (msg_is_system(errno))
		return -1;
	buf_adds(path, suffix);
	return access(buf_str(path), R_OK);
}

/* Looks in the folders of data files, in their order. */
static int
find_installed(
    const char *dir, const char *name, const char *suffix, struct buf *path)
{
	static const char *const beside[] = {
	    "../share", "../../share", "../share/kst"};
	const char *env = getenv("KST_SHARE");
	char exe[PATH_MAX];
	ssize_t n;

	if (env && *env) {
		if (try(path, env, dir, name, suffix) == 0)
			return 0;
		if (msg_is_system(errno))
			return -1;
	}
	n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	if (n > 0) {
		exe[n] = 0;
		*strrchr(exe, '/') = 0;
		for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
			struct buf base = BUF_INIT;
			int found;

			buf_printf(&base, "%s/%s", exe, beside[i]);
			found = try(path, buf_str(&base), dir, name, suffix);
			buf_done(&base);
			if (found == 0 || msg_is_system(errno))
				return found;
		}
	}
	return try(path, KST_DATADIR, dir, name, suffix);
}

static int
find_file(const char *name, struct buf *path)
{
	path->len = 0;
	buf_adds(path, name);
	return access(buf_str(path), R_OK);
}

int
share_find(
    const char *dir, const char *name, const char *suffix, struct buf *path)
{
	bool is_file =
	    strchr(name, '/') || bytes_ends(name, strlen(name), suffix);

	if (is_file && find_file(name, path) == 0)
		return 0;
	if (is_file && msg_is_system(errno))
		return -1;
	if (strchr(name, '/') == NULL) {
		if (find_installed(dir, name, suffix, path) == 0)
			return 0;
		if (msg_is_system(errno))
			return -1;
	}
	return find_file(name, path);
}

int
share_read(const char *path, size_t max, struct buf *text)
{
	const size_t had = text->len;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : 1;

	while (n > 0 && text->len - had <= max) {
		buf_room(text, 1 << 14);
		n = read(fd, text->p + text->len, 1 << 14);
		if (n > 0)
			text->len += (size_t)n;
		else if (n < 0 && errno == EINTR)
			n = 1;
	}
	if (n < 0)
		msg_errno("%s", msg_str(path));
	else if (n > 0)
		msg("%s: larger than %zu bytes", msg_str(path), max);
	if (fd >= 0)
		close(fd);
	buf_str(text);
	return n == 0 ? 0 : -1;
}
