/* SPDX-License-Identifier: ISC */
#include "base/share.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"

static int
try(struct buf *path, const char *base, const char *dir, const char *name,
    const char *suffix)
{
	path->len = 0;
	buf_printf(path, "%s/%s/%s", base, dir, name);
	if (access(buf_str(path), R_OK) == 0)
		return 0;
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

	if (env && *env && try(path, env, dir, name, suffix) == 0)
		return 0;
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
			if (found == 0)
				return 0;
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
	if (strchr(name, '/') == NULL &&
	    find_installed(dir, name, suffix, path) == 0)
		return 0;
	return find_file(name, path);
}
