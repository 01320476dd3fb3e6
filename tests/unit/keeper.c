/* SPDX-License-Identifier: ISC */
/* Files that one process opens and names for a program without rights. */
#include "io/out.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "rights/rights.h"
#include "unit.h"

static const char *const names[] = {"one", "two", "pipe"};

static bool
nth(void *arg, uint64_t k, struct out_file *f)
{
	*f = (struct out_file){.path = names[k % 3], .mark = arg};
	return k < 3;
}

static void
put(uint64_t k, const char *text, int status)
{
	const struct out_file f = {.path = names[k % 3]};

	CHECK(out_open_nth(k, &f) == EXIT_OK);
	out_puts(text);
	CHECK(out_end(status) == status);
}

static void
content(const char *name, char *text, size_t size)
{
	int fd = open(name, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	text[n > 0 ? n : 0] = 0;
	if (fd >= 0)
		close(fd);
}

/* In a process of its own, which gave up its rights. */
static _Noreturn void
write_all_files(bool is_killed)
{
	static char mark[] = "mark";
	struct out_file f = {.path = "pipe"};

	if (out_begin(nth, mark) != EXIT_OK)
		_exit(100);
	rights_keep(&(struct rights){.also = RIGHTS_RECEIVE});
	put(0, "1 mark", EXIT_OK);
	put(1, "2 mark", EXIT_OK);
	put(0, "3 mark", EXIT_OK);     /* replaces it */
	put(1, "4 mark", EXIT_FAILED); /* does not */
	CHECK(out_open_nth(2, &f) == EXIT_USAGE);
	CHECK(out_open_nth(3, &f) == EXIT_SYSTEM);
	f.path = "one";
	CHECK(out_open_nth(0, &f) == EXIT_OK);
	out_puts("5");
	out_flush();
	if (is_killed)
		raise(SIGKILL);
	exit(unit_failed ? 1 : 0);
}

static void
check_run(bool is_killed)
{
	char text[64];
	int status = 0, left;
	pid_t pid = fork();

	if (pid == 0)
		write_all_files(is_killed);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(status == (is_killed ? SIGKILL : 0));
	for (int i = 0; i < 500; i++) { /* the other process ends after it */
		left = system("ls .kst-* >/dev/null 2>&1");
		if (left != 0)
			break;
		usleep(10000);
	}
	CHECK(left != 0);
	content("one", text, sizeof text);
	CHECK(strcmp(text, "3 mark") == 0);
	content("two", text, sizeof text);
	CHECK(strcmp(text, "2 mark") == 0);
}

int
main(void)
{
	char folder[] = "/tmp/kst-unit-XXXXXX";

	msg_init("keeper");
	if (mkdtemp(folder) == NULL || chdir(folder) != 0 ||
	    mkfifo("pipe", 0600) != 0)
		return 1;
	check_run(false);
	check_run(true);
	for (int i = 0; i < 3; i++)
		unlink(names[i]);
	CHECK(rmdir(folder) == 0);
	return unit_end();
}
