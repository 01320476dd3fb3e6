/* SPDX-License-Identifier: ISC */
#include "io/share.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "base/port.h"

/* Looks in a folder of data files: 0, 1 if it is not there, -1 with errno. */
static int
look(struct buf *path, const char *base, const char *file, const char *suffix)
{
	for (int i = 0; i < 2; i++) {
		path->len = 0;
		buf_printf(path, "%s/%s%s", base, file, i ? suffix : "");
		if (access(buf_str(path), R_OK) == 0)
			return 0;
		if (msg_is_system(errno))
			return -1;
	}
	return 1;
}

/* Looks in the folders of data files, in their order. */
static int
find_installed(const char *file, const char *suffix, struct buf *path)
{
	static const char *const beside[] = {
	    "../share", "../../share", "../share/kst"};
	const char *env = getenv("KST_SHARE");
	int found = env && *env ? look(path, env, file, suffix) : 1;
	const char *own = port_own_folder();

	for (size_t i = 0; own && i < 3 && found > 0; i++) {
		struct buf base = BUF_INIT;

		buf_printf(&base, "%s/%s", own, beside[i]);
		found = look(path, buf_str(&base), file, suffix);
		buf_done(&base);
	}
	return found > 0 ? look(path, KST_DATADIR, file, suffix) : found;
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
		struct buf file = BUF_INIT;
		int found;

		buf_printf(&file, "%s/%s", dir, name);
		found = find_installed(buf_str(&file), suffix, path);
		buf_done(&file);
		if (found <= 0)
			return found;
	}
	return find_file(name, path);
}

int
share_each(const char *dir, const char *suffix,
    bool (*use)(void *of, const char *path), void *of)
{
	struct buf path = BUF_INIT;
	struct dirent **all = NULL;
	int n = find_installed(dir, "", &path) == 0
		    ? scandir(buf_str(&path), &all, NULL, alphasort)
		    : -1;
	const size_t len = path.len;
	bool more = true;

	for (int i = 0; i < n; i++) {
		const char *name = all[i]->d_name;

		if (more && bytes_ends(name, strlen(name), suffix)) {
			path.len = len;
			buf_printf(&path, "/%s", name);
			more = use(of, buf_str(&path));
		}
		free(all[i]);
	}
	if (n >= 0)
		free(all);
	buf_done(&path);
	return n < 0 ? -1 : 0;
}

/* Appends the name of a data file without its suffix. */
static bool
add_name(void *names, const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	struct buf *b = names;

	buf_printf(b, "%s%.*s", b->len ? ", " : "",
	    (int)(strrchr(name, '.') - name), name);
	return true;
}

void
share_missing(const char *dir, const char *name, const char *suffix)
{
	struct buf names = BUF_INIT;
	const int why = errno;

	if (why == ENOENT)
		share_each(dir, suffix, add_name, &names);
	errno = why;
	if (names.len)
		msg("%s '%s': %s; there are %s", dir, msg_str(name),
		    strerror(why), msg_str(buf_str(&names)));
	else
		msg_errno("%s '%s'", dir, msg_str(name));
	buf_done(&names);
}

int
share_fill(int fd, size_t max, struct buf *text)
{
	const size_t had = text->len;
	ssize_t n;

	do {
		buf_room(text, 1 << 16);
		n = read(fd, text->p + text->len, 1 << 16);
		text->len += n > 0 ? (size_t)n : 0;
	} while (
	    (n > 0 && text->len - had <= max) || (n < 0 && errno == EINTR));
	buf_str(text);
	return n > 0 ? 1 : (int)n;
}

int
share_read(const char *path, size_t max, struct buf *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC),
	    n = fd < 0 ? -1 : share_fill(fd, max, text);

	if (n < 0)
		msg_errno("%s", msg_str(path));
	else if (n > 0)
		msg("%s: larger than %zu bytes", msg_str(path), max);
	if (fd >= 0)
		close(fd);
	return n == 0 ? 0 : -1;
}
