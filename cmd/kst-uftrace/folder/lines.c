/* SPDX-License-Identifier: ISC */
#include "folder/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "io/fault.h"
#include "io/in.h"
#include "base/msg.h"

char *
lines_path(const char *dir, const char *name)
{
	struct buf path = BUF_INIT;

	buf_printf(&path, "%s/%s", dir, name);
	return buf_str(&path);
}

bool
lines_read(const char *dir, const char *name, lines_take *take, void *arg,
    struct fault *bad, const char *wrong)
{
	char *path = lines_path(dir, name);
	struct buf text = BUF_INIT;
	const char *line;
	struct in in;
	size_t len;
	bool failed;

	in_init_folder(&in, &path, 1, 1 << 14);
	while (in_next(&in, &line, &len)) {
		if (len > 0 && line[len - 1] == '\r')
			len--;
		text.len = 0;
		buf_add(&text, line, len);
		if (len && line[0] != '#' && !take(arg, buf_str(&text)) && bad)
			fault_say(
			    bad, &in, "%s: '%s'", wrong, msg_text(line, len));
	}
	buf_done(&text);
	failed = in_failed(&in);
	in_done(&in);
	free(path);
	return !failed;
}

bool
lines_has(const char *dir, const char *name)
{
	char *path = lines_path(dir, name);
	bool has = access(path, F_OK) == 0;

	if (!has && msg_is_system(errno))
		msg_errno("%s", msg_str(path));
	free(path);
	return has;
}
