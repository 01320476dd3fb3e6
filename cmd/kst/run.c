/* SPDX-License-Identifier: ISC */
#include "run.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/port.h"
#include "opt/opt.h"

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
	const char *folder = port_own_folder();
	struct buf command = BUF_INIT;

	buf_printf(&command, "kst-%s", name);
	argv[0] = buf_str(&command);
	port_exec(argv);
	if (errno == ENOENT)
		unknown(name, folder ? folder : ".");
	msg_errno("%s", argv[0]);
	return EXIT_SYSTEM;
}
