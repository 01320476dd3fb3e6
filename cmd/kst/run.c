/* SPDX-License-Identifier: ISC */
#include "run.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"
#include "opt/opt.h"

/* The folder of this command's own file; empty: not known. */
static void
own_folder(struct buf *b)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	if (n <= 0)
		return;
	exe[n] = 0;
	buf_add(b, exe, (size_t)(strrchr(exe, '/') + 1 - exe));
}

/* Names the commands of this folder that it may be. */
static _Noreturn void
unknown(const char *name, const char *folder)
{
	struct buf near = BUF_INIT;
	struct dirent **all;
	int n = scandir(folder, &all, NULL, alphasort);

	for (int i = 0; i < n; i++)
		if (strncmp(all[i]->d_name, "kst-", 4) == 0 &&
		    opt_near(name, strlen(name), all[i]->d_name + 4))
			buf_printf(&near, "%s%s",
			    near.len ? ", " : "; did you mean ",
			    all[i]->d_name + 4);
	opt_wrong("unknown command '%s'%s%s", msg_str(name), buf_str(&near),
	    near.len ? "?" : "");
}

int
run(const char *name, char **argv)
{
	struct buf path = BUF_INIT;
	size_t dir;

	own_folder(&path);
	dir = path.len;
	buf_printf(&path, "kst-%s", name);
	argv[0] = buf_str(&path) + dir;
	if (dir > 0)
		execv(path.p, argv);
	execvp(argv[0], argv);
	if (errno != ENOENT) {
		msg_errno("%s", argv[0]);
		return EXIT_SYSTEM;
	}
	buf_str(&path)[dir] = 0;
	path.len = dir;
	unknown(name, dir > 0 ? path.p : ".");
}
