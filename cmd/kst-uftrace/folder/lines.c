/* SPDX-License-Identifier: ISC */
#include "folder/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "io/fault.h"
#include "io/in.h"
#include "base/msg.h"
#include "base/num.h"

char *
lines_path(const char *dir, const char *name)
{
	struct buf path = BUF_INIT;

	buf_printf(&path, "%s/%s", dir, name);
	return buf_str(&path);
}

bool
lines_read(char *path, lines_take *take, void *arg, struct fault *bad,
    const char *wrong)
{
	const char *line;
	struct in in;
	size_t len;
	bool failed;

	in_init_folder(&in, &path, 1, 1 << 14);
	while (in_next(&in, &line, &len)) {
		if (len > 0 && line[len - 1] == '\r')
			len--;
		if (len && line[0] != '#' && !take(arg, line, len) && bad)
			fault_say(
			    bad, &in, "%s: '%s'", wrong, msg_text(line, len));
	}
	failed = in_failed(&in);
	in_done(&in);
	return !failed;
}

bool
lines_has(const char *path)
{
	if (access(path, F_OK) == 0)
		return true;
	if (msg_is_system(errno))
		msg_errno("%s", msg_str(path));
	return false;
}

bool
word_next(const char **p, const char *end, const char **w, size_t *len)
{
	const char *a = *p;

	while (a < end && (*a == ' ' || *a == '\t'))
		a++;
	*w = a;
	while (a < end && *a != ' ' && *a != '\t')
		a++;
	*len = (size_t)(a - *w);
	*p = a;
	return *len > 0;
}

bool
word_hex(const char **p, const char *end, uint64_t *v)
{
	const char *w;
	size_t len;

	if (!word_next(p, end, &w, &len))
		return false;
	if (len > 2 && w[0] == '0' && w[1] == 'x') {
		w += 2;
		len -= 2;
	}
	return num_hex(w, len, v) == 0;
}
