/* SPDX-License-Identifier: ISC */
/*
 * A server that talks too much: flood SOCKET FIRST MORE listens on the Unix
 * socket, says FIRST to each client that comes, then MORE again and again for
 * as long as it stays. printf's escapes for line ends are known. It ends after
 * 60 seconds.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/msg.h"

/* `\n` becomes a line end. */
static size_t
plain(char *s)
{
	char *to = s;

	for (const char *p = s; *p; p++) {
		if (p[0] == '\\' && p[1] == 'n') {
			*to++ = '\n';
			p++;
		} else {
			*to++ = *p;
		}
	}
	*to = 0;
	return (size_t)(to - s);
}

int
main(int argc, char **argv)
{
	struct sockaddr_un sun = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), c;
	static char more[1 << 16];
	size_t n, len = 0;

	msg_init(argv[0]);
	if (argc != 4 || strlen(argv[1]) + 1 >= sizeof sun.sun_path)
		msg_die(2, "usage: flood SOCKET FIRST MORE");
	/* who sees it can connect */
	snprintf(sun.sun_path, sizeof sun.sun_path, "%s~", argv[1]);
	if (bind(fd, (struct sockaddr *)&sun, sizeof sun) != 0 ||
	    listen(fd, 4) != 0 || rename(sun.sun_path, argv[1]) != 0)
		msg_die(1, "%s: cannot listen", argv[1]);
	n = plain(argv[3]);
	for (; n > 0 && len + n <= sizeof more; len += n)
		memcpy(more + len, argv[3], n);
	n = plain(argv[2]);
	signal(SIGPIPE, SIG_IGN);
	alarm(600);
	while ((c = accept(fd, NULL, NULL)) >= 0) {
		if (send(c, argv[2], n, 0) == (ssize_t)n)
			while (send(c, more, len, 0) > 0)
				;
		close(c);
	}
	return 1;
}
