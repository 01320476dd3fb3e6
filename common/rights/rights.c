/* SPDX-License-Identifier: ISC */
#include "rights/rights.h"

#include "base/msg.h"
#include "base/port.h" /* KST_PORTABLE */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

char *const rights_all[] = {(char *)"/", NULL};

#if (defined __linux__ && !defined KST_PORTABLE) || defined __OpenBSD__
/* Ends the command: hostile input must not be read with all rights. */
__attribute__((unused)) static _Noreturn void
die(const char *what)
{
	msg_die(EXIT_SYSTEM,
	    "%s: %s: rights cannot be given up (KST_NO_SANDBOX=1 keeps them)",
	    msg_str(what), strerror(errno));
}
#endif

#if !defined KST_PORTABLE && defined __has_include
#if __has_include(<linux/landlock.h>)
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the rules are about; see landlock(7), later than some headers. */
struct ruleset {
	uint64_t files, net, scoped;
};

enum {
	FILES_1 = (1 << 13) - 1, /* of landlock's version 1 */
	REFER_2 = 1 << 13,
	TRUNCATE_3 = 1 << 14,
	DEVICES_5 = 1 << 15,
	TCP_4 = 3,
	SOCKETS_6 = 1,
	SIGNALS_6 = 2
};

enum {
	READ = LANDLOCK_ACCESS_FS_READ_FILE,
	LIST = LANDLOCK_ACCESS_FS_READ_DIR,
	RUN = LANDLOCK_ACCESS_FS_EXECUTE,
	REMOVE = LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR
};

static bool
is_missing(int err)
{
	return err == ENOSYS || err == EOPNOTSUPP || err == EPERM;
}

static void
allow(int rules, const char *path, uint64_t access)
{
	struct landlock_path_beneath_attr below = {
	    .allowed_access = access, .parent_fd = -1};
	struct stat st;

	if (path == NULL || strcmp(path, "-") == 0)
		return;
	below.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (below.parent_fd < 0 && msg_is_system(errno))
		die(path);
	if (below.parent_fd < 0) /* to open it will fail, too */
		return;
	if (fstat(below.parent_fd, &st) == 0 && !S_ISDIR(st.st_mode))
		below.allowed_access &= READ | RUN;
	/* EBADFD: a file that has no path, such as a pipe's */
	if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH,
		&below, 0) != 0 &&
	    errno != EBADFD)
		die("landlock_add_rule");
	close(below.parent_fd);
}

static void
keep_files(const struct rights *r)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
	    LANDLOCK_CREATE_RULESET_VERSION);
	uint64_t access = READ;
	struct ruleset all = {.files = FILES_1 | (abi > 1 ? REFER_2 : 0) |
				       (abi > 2 ? TRUNCATE_3 : 0) |
				       (abi > 4 ? DEVICES_5 : 0),
	    .net = TCP_4,
	    .scoped = SOCKETS_6 |
		      (r->child > 0 || r->also & RIGHTS_PEER ? 0 : SIGNALS_6)};
	size_t size = abi > 5 ? 24 : abi > 3 ? 16 : 8;
	int rules;

	if (abi < 0 && !is_missing(errno))
		die("landlock_create_ruleset");
	if (abi < 1)
		return;
	if (r->also & (RIGHTS_NAMES | RIGHTS_RUN))
		access |= LIST;
	if (r->also & RIGHTS_RUN)
		access |= RUN;
	rules = (int)syscall(SYS_landlock_create_ruleset, &all, size, 0);
	if (rules < 0)
		die("landlock_create_ruleset");
	for (int i = 0; i < r->n_reads; i++)
		allow(rules, r->reads[i], access);
	allow(rules, r->removes, REMOVE);
	if (syscall(SYS_landlock_restrict_self, rules, 0) != 0 &&
	    !is_missing(errno))
		die("landlock_restrict_self");
	close(rules);
}

static void
keep(const struct rights *r)
{
	/* Linux before 3.5 and some containers cannot */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return;
	keep_files(r);
	if (!(r->also & RIGHTS_RUN) && calls_keep(r) != 0)
		die("seccomp");
}
#define KEEPS
#endif
#elif defined __OpenBSD__
#include <stdbool.h>
#include <unistd.h>

static void
keep(const struct rights *r)
{
	char promises[80] = "stdio tty";
	static bool veiled; /* pledge() has taken that right */

	for (int i = 0; i < r->n_reads && !veiled; i++)
		if (r->reads[i])
			unveil(r->reads[i], r->also & RIGHTS_RUN ? "rx" : "r");
	if (r->removes && !veiled)
		unveil(r->removes, "rc");
	veiled = true;
	/* without a path that was unveiled, rpath would allow them all */
	if (r->n_reads)
		strcat(promises, " rpath");
	if (r->removes)
		strcat(promises, " cpath");
	if (r->also & RIGHTS_RECEIVE)
		strcat(promises, " recvfd");
	if (r->child || r->also & (RIGHTS_RUN | RIGHTS_GUARD | RIGHTS_PEER))
		strcat(promises, " proc");
	if (r->also & RIGHTS_RUN)
		strcat(promises, " exec sendfd");
	if (pledge(promises, NULL) != 0)
		die("pledge");
}
#define KEEPS
#endif

void
rights_keep(const struct rights *r)
{
	const char *off = getenv("KST_NO_SANDBOX");

	(void)r;
	if (off && strcmp(off, "1") == 0)
		return;
#ifdef KEEPS
	keep(r);
#endif
}

void
rights_files(char *const *operands, int n)
{
	rights_keep(&(struct rights){.reads = operands, .n_reads = n});
}
