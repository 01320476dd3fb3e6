/* SPDX-License-Identifier: ISC */
/* Other machines, which GNU parallel works on. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "base/xalloc.h"
#include "batch.h"

void
hosts_read(struct batch *b)
{
	struct buf text = BUF_INIT;
	char *p, *line;

	if (file_read(b->o->hosts, &text) != 0)
		msg_die(EXIT_USAGE, "%s: %s", msg_str(b->o->hosts),
		    strerror(errno));
	p = text.p;
	while ((line = strsep(&p, "\n"))) {
		line += strspn(line, " \t\r");
		b->n_hosts += *line && *line != '#';
		line += strspn(line, "0123456789/");
		if (*line == ':' && b->o->send)
			msg_die(EXIT_USAGE,
			    "--send needs ssh: take ':' out of %s",
			    msg_str(b->o->hosts));
	}
	if (b->n_hosts == 0)
		msg_die(EXIT_USAGE, "%s has no login", msg_str(b->o->hosts));
	buf_done(&text);
}

void
hosts_files(const struct batch *b, struct buf *words)
{
	struct buf name = BUF_INIT;

	for (int i = 0; i < STEPS; i++)
		for (const char *w = NULL;
		     (w = steps_next(&b->o->steps, i, w));) {
			char *path, *dot;

			if (!steps_file(i, w, false, &name))
				continue;
			path = xstrdup(path_absolute(b, buf_str(&name)));
			/* or it would lie below the jobs' folder */
			while ((dot = strstr(path, "/./")))
				memmove(dot, dot + 2, strlen(dot + 2) + 1);
			buf_adds(words, "--basefile ");
			buf_quote(words, path);
			free(path);
		}
	buf_done(&name);
}
