/* SPDX-License-Identifier: ISC */
/* Which files, connections and processes rights leave, and files that are
 * passed on. */
#include "rights_process.h"

#include "rights/pass.h"

#ifdef RIGHTS_HERE
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>

static struct sockaddr_un abstract = {AF_UNIX, "\0kst-unit"};

/* A file goes to another process, with some bytes. */
static void
test_pass(void)
{
	char got[8] = "";
	int pair[2], fd, none;

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	fd = open(file, O_RDONLY);
	CHECK(pass_send(pair[0], "text", 4, fd));
	CHECK(pass_send(pair[0], "more", 4, -1));
	none = fd;
	CHECK(pass_receive(pair[1], got, 4, &fd) && fd >= 0 && fd != none);
	CHECK(strcmp(got, "text") == 0 && close(fd) == 0);
	CHECK(pass_receive(pair[1], got, 4, &fd) && fd == -1);
	CHECK(strcmp(got, "more") == 0);
	CHECK(pass_send(pair[0], "abc", 3, -1));
	CHECK(!pass_receive(pair[1], got, 4, &fd));
	close(pair[0]);
	errno = EINTR; /* of something before */
	CHECK(!pass_receive(pair[1], got, 4, &fd) && fd == -1);
	CHECK(!pass_send(-1, "text", 4, -1));
	close(pair[1]);
	close(none);
}

/* What landlock leaves: with RIGHTS_RUN all calls are there. */
static bool
opens(const char *path, int flags)
{
	const int fd = open(path, flags, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || (errno != EACCES && errno != EPERM);
}

static bool
sends(int type, int family, uint16_t port)
{
	const int fd = socket(family, type, 0);
	struct sockaddr_storage to = {.ss_family = (sa_family_t)family};
	int got;

	memcpy(to.__ss_padding, &port, sizeof port);
	errno = 0;
	got = family == AF_UNIX
		  ? connect(fd, (void *)&abstract, 2 + 9)
		  : connect(fd, (void *)&to, sizeof(struct sockaddr));
	close(fd);
	return got == 0 || (errno != EACCES && errno != EPERM);
}

static bool
binds(void)
{
	const int fd = socket(AF_INET, SOCK_STREAM, 0);
	const struct sockaddr_in any = {.sin_family = AF_INET};
	const int got = bind(fd, (const void *)&any, sizeof any);

	close(fd);
	return got == 0;
}

static void
try_files(const struct rights *r)
{
	char more[80];

	snprintf(more, sizeof more, "%s/more", dir);
	rights_keep(r);
	CHECK(opens(file, O_RDONLY) == (r->n_reads > 0));
	CHECK(!opens(other, O_RDONLY));
	CHECK(!opens("/etc/passwd", O_RDONLY));
	CHECK(!opens(file, O_WRONLY) && !opens(more, O_CREAT | O_WRONLY));
	if (abi >= 3)
		CHECK(truncate(file, 0) != 0 && errno == EACCES);
	CHECK(mkdir(more, 0700) != 0 && errno == EACCES);
	CHECK(symlink("a", more) != 0 && errno == EACCES);
	CHECK(mkfifo(more, 0600) != 0 && errno == EACCES);
	CHECK(link(file, more) != 0 && errno != ENOENT);
	CHECK(rename(file, more) != 0 && errno != ENOENT);
	CHECK(opens(dir, O_RDONLY | O_DIRECTORY) == false);
	if (abi >= 4)
		CHECK(!sends(SOCK_STREAM, AF_INET, 1));
	if (abi >= 4)
		CHECK(!binds());
	if (abi >= 6)
		CHECK(!sends(SOCK_STREAM, AF_UNIX, 0));
	if (abi >= 6)
		CHECK((kill(parent, 0) == 0) ==
		      (r->child > 0 || r->also & RIGHTS_PEER));
	CHECK((unlink(other) == 0) == (r->removes != NULL));
}

static void
try_all(const struct rights *r)
{
	pid_t group;
	int fd;

	rights_keep(r);
	CHECK(opens(file, O_RDONLY) && opens("/etc/passwd", O_RDONLY));
	CHECK(opens("/", O_RDONLY | O_DIRECTORY) ==
	      ((r->also & (RIGHTS_NAMES | RIGHTS_RUN)) != 0));
	CHECK(access("/bin/sh", X_OK) == 0);
	fd = open("/dev/zero", O_RDONLY);
	if (abi >= 5)
		CHECK(ioctl(fd, TIOCGSID, &group) != 0 &&
		      errno == (r->also & RIGHTS_RUN ? EACCES : EPERM));
	close(fd);
	if (r->also & RIGHTS_RUN)
		execl("/bin/sh", "sh", "-c", unit_failed ? "exit 1" : "exit 0",
		    (char *)NULL);
	CHECK(!(r->also & RIGHTS_RUN));
}

static void
test_files(void)
{
	char *some[] = {file, (char *)(uintptr_t) "-",
	    (char *)(uintptr_t) "/none/at/all", NULL};
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	CHECK(bind(fd, (void *)&abstract, 2 + 9) == 0 && listen(fd, 9) == 0);
	in_process(try_files, &(struct rights){.also = RIGHTS_RUN});
	in_process(try_files,
	    &(struct rights){.reads = some, .n_reads = 3, .also = RIGHTS_RUN});
	in_process(
	    try_files, &(struct rights){.also = RIGHTS_RUN | RIGHTS_PEER});
	in_process(
	    try_files, &(struct rights){.also = RIGHTS_RUN, .child = parent});
	in_process(
	    try_files, &(struct rights){.also = RIGHTS_RUN, .removes = dir});
	make_files();
	in_process(
	    try_all, &(struct rights){.reads = rights_all, .n_reads = 1});
	in_process(try_all,
	    &(struct rights){
		.reads = rights_all, .n_reads = 1, .also = RIGHTS_NAMES});
	in_process(try_all,
	    &(struct rights){
		.reads = rights_all, .n_reads = 1, .also = RIGHTS_RUN});
	close(fd);
}

static void
try_off(const struct rights *r)
{
	rights_keep(r);
	CHECK(opens(other, O_WRONLY) && kill(parent, 0) == 0);
}

static void
test_always(void)
{
	test_pass();
	setenv("KST_NO_SANDBOX", "1", 1);
	in_process(try_off, &(struct rights){0});
}

int
main(void)
{
	return with_files(test_files, test_always);
}
#endif
