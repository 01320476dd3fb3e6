/* SPDX-License-Identifier: ISC */
/*
 * What the units of common/rights share: files, processes that give rights up,
 * and a main() for systems where that is not possible, without RIGHTS_HERE.
 */
#ifndef RIGHTS_PROCESS_H
#define RIGHTS_PROCESS_H

#include "rights/rights.h"

#include <stdbool.h>
#include <stdlib.h>

#include "unit.h"

#if defined __linux__ && !defined KST_PORTABLE && \
    __has_include(<linux/landlock.h>) && __has_include(<linux/seccomp.h>)
#define RIGHTS_HERE
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/kst-unit.XXXXXX";
static char file[64], other[64];
static pid_t parent;
static long abi; /* of landlock, after has_both() */

/* Runs f(arg) in a process, whose checks are ours. */
static inline void
in_process(void (*f)(const struct rights *), const struct rights *r)
{
	int status;
	pid_t pid;

	fflush(stdout);
	if ((pid = fork()) == 0) {
		unit_failed = 0;
		f(r);
		fflush(stdout);
		_exit(unit_failed != 0);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static inline void
make_files(void)
{
	snprintf(file, sizeof file, "%s/file", dir);
	snprintf(other, sizeof other, "%s/other", dir);
	close(open(file, O_CREAT | O_WRONLY, 0600));
	close(open(other, O_CREAT | O_WRONLY, 0600));
}

/* Whether this system and this build can give up rights. */
static inline bool
has_both(void)
{
	unsigned action = SECCOMP_RET_ALLOW;

	abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
	return abi > 0 && getenv("SANITIZED") == NULL &&
	       syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

/*
 * Makes the files, calls `limited` if rights can be given up here, and then
 * `always`. Returns the status of the unit.
 */
static inline int
with_files(void (*limited)(void), void (*always)(void))
{
	if (mkdtemp(dir) == NULL)
		return 1;
	make_files();
	parent = getpid();
	if (has_both()) {
		const char *off = getenv("KST_NO_SANDBOX");

		if (off != NULL)
			unsetenv("KST_NO_SANDBOX");
		limited();
	}
	always();
	unlink(file);
	unlink(other);
	rmdir(dir);
	return unit_end();
}
#else
int
main(void)
{
	CHECK(rights_awaited == 0);
	return unit_end();
}
#endif

#endif
