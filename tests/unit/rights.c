/* SPDX-License-Identifier: ISC */
/*
 * What each right leaves, and what none does: calls whose arguments make them
 * fail in another way than by a refusal, in a process for each set of rights.
 */
#include "rights_process.h"

#ifdef RIGHTS_HERE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <termios.h>

static pid_t child;
static unsigned char page[4096] __attribute__((aligned(4096)));

/* Who may: one of these, or all. */
enum {
	ALL = 1 << 10,
	OPENS = 1 << 11,
	REMOVES = 1 << 12,
	CHILD = 1 << 13,
	AWAITED = 1 << 14
};

#define A(x) ((long)(x))
#define FS AT_FDCWD

struct call {
	const char *name;
	unsigned who;
	long nr;
	long a[6];
};

#define CALL(who, name, ...)            \
	{                               \
#name, who, SYS_##name, \
		{                       \
			__VA_ARGS__     \
		}                       \
	}

/* For an argument: the number of such a process. */
enum { ITS_CHILD = -101, ITS_PARENT = -102, ITSELF = -103 };

static const struct call calls[] = {CALL(ALL, read, -1), CALL(ALL, write, -1),
    CALL(ALL, readv, -1), CALL(ALL, writev, -1), CALL(ALL, pread64, -1),
    CALL(ALL, lseek, -1), CALL(ALL, close, -1), CALL(ALL, fsync, -1),
    CALL(ALL, fstat, -1), CALL(ALL, fcntl, -1, F_GETFD),
    CALL(ALL, fcntl, -1, F_GETFL), CALL(0, fcntl, -1, F_SETFL),
    CALL(0, fcntl, -1, F_SETFD), CALL(ALL, ioctl, -1, TCGETS),
    CALL(ALL, ioctl, -1, TIOCGWINSZ), CALL(RIGHTS_SCREEN, ioctl, -1, TCSETSW),
    CALL(RIGHTS_SCREEN, ioctl, -1, 0x402c542c), /* glibc 2.42 */
    CALL(ALL, ioctl, -1, 0x802c542a), CALL(0, ioctl, -1, TCSETS),
    CALL(0, ioctl, -1, TCSETSF), CALL(0, ioctl, -1, TIOCSTI),
    CALL(0, ioctl, -1, TIOCSCTTY), CALL(RIGHTS_SCREEN, dup3, -1, -1, 0),
    CALL(ALL, munmap, 1), CALL(ALL, mremap, 1), CALL(ALL, madvise, 1),
    CALL(ALL, brk, 0), CALL(ALL, mprotect, 1, 4096, PROT_READ),
    CALL(0, mprotect, 1, 4096, PROT_EXEC), CALL(ALL, futex, 0, -1),
    CALL(ALL, rt_sigaction, -1), CALL(ALL, rt_sigprocmask, -1, -1, 0, 8),
    CALL(ALL, clock_gettime, -1), CALL(ALL, getrandom, 0, 0, -1),
    CALL(ALL, sysinfo, -1), CALL(ALL, getpid), CALL(ALL, gettid),
    CALL(ALL, setitimer, ITIMER_VIRTUAL, -1),
    CALL(RIGHTS_GUARD, setitimer, ITIMER_REAL, -1),
    CALL(OPENS, openat, FS, A("/none"), O_RDONLY),
    CALL(0, openat, FS, A("/none"), O_WRONLY),
    CALL(0, openat, FS, A("/none"), O_RDWR),
    CALL(0, openat, FS, A("/none/a"), O_CREAT),
    CALL(0, openat, FS, A("/none"), O_TRUNC),
    CALL(0, openat, FS, A("/none"), O_APPEND),
    CALL(OPENS, faccessat, FS, A("/none"), R_OK),
#ifdef SYS_open
    CALL(OPENS, open, A("/none"), O_RDONLY), CALL(0, open, A("/none"), O_RDWR),
    CALL(0, open, A("/none"), O_WRONLY), CALL(0, open, A("/none"), O_TRUNC),
    CALL(0, open, A("/none/a"), O_CREAT), CALL(0, open, A("/none"), O_APPEND),
    CALL(OPENS, stat, A("/none")), CALL(OPENS, access, A("/none")),
    CALL(RIGHTS_NAMES, lstat, A("/none")),
    CALL(RIGHTS_NAMES, readlink, A("/none"), A(page), 1),
    CALL(REMOVES, unlink, A("/none")), CALL(REMOVES, rmdir, A("/none")),
    CALL(RIGHTS_SCREEN, dup2, -1, -1), CALL(ALL, poll, 0, -1),
    CALL(RIGHTS_GUARD, alarm, 0), CALL(0, rename, A("/none"), A("/none")),
    CALL(0, creat, A("/none/a")),
#endif
    CALL(RIGHTS_NAMES, getdents64, -1),
    CALL(RIGHTS_NAMES, readlinkat, FS, A("/none"), A(page), 1),
    CALL(RIGHTS_NAMES, getcwd, 0, 0), CALL(RIGHTS_MEMORY, memfd_create, -1),
    CALL(RIGHTS_MEMORY, ftruncate, -1), CALL(RIGHTS_MEMORY, pwrite64, -1),
    CALL(RIGHTS_RECEIVE, recvmsg, -1), CALL(0, socket, -1),
    CALL(0, connect, -1), CALL(0, sendto, -1), CALL(0, sendmsg, -1),
    CALL(0, recvfrom, -1), CALL(RIGHTS_PEER, recvfrom, -1, 0, 0, MSG_PEEK),
    CALL(0, getsockopt, -1), CALL(0, setsockopt, -1), CALL(0, getsockname, -1),
    CALL(RIGHTS_PEER, getpeername, -1), CALL(RIGHTS_PEER, getpgid, -2),
    CALL(RIGHTS_GUARD, shutdown, -1), CALL(0, bind, -1), CALL(0, listen, -1),
    CALL(REMOVES, unlinkat, FS, A("/none")), CALL(0, waitid, -1),
    CALL(RIGHTS_GUARD, setsid), CALL(0, socketpair, -1),
    CALL(RIGHTS_GUARD, socketpair, AF_UNIX, -1), CALL(0, clone, CLONE_SIGHAND),
    CALL(0, clone3, 0, 0), CALL(RIGHTS_GUARD, set_robust_list, 0, 1),
    CALL(RIGHTS_GUARD | CHILD, wait4, -2, 0, WNOHANG),
    {"wait4 of a child", RIGHTS_GUARD | CHILD | AWAITED, SYS_wait4,
	{ITS_CHILD, 0, WNOHANG}},
    {"kill a child", CHILD, SYS_kill, {ITS_CHILD, 0}},
    {"kill another", 0, SYS_kill, {ITS_PARENT, 0}},
    {"SIGINT to nobody", RIGHTS_PEER, SYS_kill, {0x7ffffff0, SIGINT}},
    {"tgkill", ALL, SYS_tgkill, {ITSELF, -1}},
    {"tgkill another", 0, SYS_tgkill, {ITS_PARENT, ITS_PARENT}},
    {"tkill", ALL, SYS_tkill, {ITSELF, -1}},
    {"tkill another", 0, SYS_tkill, {ITS_PARENT}},
    CALL(0, ptrace, PTRACE_PEEKDATA, -1), CALL(0, execve),
    CALL(0, prlimit64, 0, -1), CALL(0, getrusage, -1),
    CALL(0, truncate, A("/none")), CALL(0, renameat2, -1), CALL(0, linkat, -1),
    CALL(0, symlinkat, 0, -1), CALL(0, mkdirat, -1), CALL(0, fchmod, -1),
    CALL(0, fchown, -1), CALL(0, utimensat, -1), CALL(0, chdir, A("/none")),
    CALL(0, mount), CALL(0, unshare, -1), CALL(0, setns, -1),
    CALL(0, prctl, -1), CALL(0, setuid, -1), CALL(0, pidfd_open, -1),
    CALL(0, io_uring_setup), CALL(0, bpf, -1), CALL(0, keyctl, -1),
    CALL(0, process_vm_readv, -1, 0, 0, 0, 0, 1), CALL(0, perf_event_open),
    CALL(0, userfaultfd, -1)};

/* Whether it is refused, in this process. */
static bool
is_refused(const struct call *c)
{
	long a[6];

	for (int i = 0; i < 6; i++)
		a[i] = c->a[i] == ITS_CHILD    ? child
		       : c->a[i] == ITS_PARENT ? parent
		       : c->a[i] == ITSELF     ? getpid()
					       : c->a[i];
	errno = 0;
	return syscall(c->nr, a[0], a[1], a[2], a[3], a[4], a[5]) < 0 &&
	       (errno == EPERM || errno == EACCES);
}

static bool
forks(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid > 0 && waitpid(pid, NULL, 0) == pid;
}

static void
try_calls(const struct rights *r)
{
	const unsigned who =
	    ALL | r->also | (r->n_reads > 0 ? OPENS : 0) |
	    (r->removes ? REMOVES : 0) | (r->child > 0 ? CHILD : 0) |
	    (rights_awaited > 0 || r->awaits > 0 ? AWAITED : 0);

	CHECK(calls_keep(r) == 0);
	CHECK(forks() == ((r->also & RIGHTS_GUARD) != 0));
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		const struct call *c = &calls[i];
		const bool refused = is_refused(c);

		if (refused == ((c->who & who) != 0))
			printf("%s, call %zu, rights %#x\n", c->name, i, who);
		CHECK(refused != ((c->who & who) != 0));
	}
	/* code in memory, but not of a file */
	CHECK(mmap(NULL, 4096, PROT_READ | PROT_EXEC,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
	errno = 0;
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, -1, 0);
	CHECK(errno == EPERM);
	errno = 0;
	mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, -1, 0);
	CHECK(errno == EBADF);
}

static void
test_calls(void)
{
	char *some[] = {file, NULL};

	for (unsigned also = RIGHTS_NAMES; also <= RIGHTS_PEER; also *= 2)
		in_process(try_calls, &(struct rights){.also = also});
	in_process(try_calls, &(struct rights){0});
	in_process(try_calls, &(struct rights){.reads = some, .n_reads = 1});
	in_process(try_calls, &(struct rights){.removes = dir});
	in_process(try_calls, &(struct rights){.child = child});
	in_process(
	    try_calls, &(struct rights){.child = child, .also = RIGHTS_GUARD});
	in_process(try_calls, &(struct rights){.awaits = child});
	rights_awaited = parent;
	in_process(try_calls, &(struct rights){.awaits = child});
	rights_awaited = child;
	in_process(try_calls, &(struct rights){0});
	in_process(try_calls, &(struct rights){.awaits = parent});
	in_process(
	    try_calls, &(struct rights){.child = child, .also = RIGHTS_GUARD});
	rights_awaited = 0;
}

/* Calls of another processor, or with its numbers, are none of these. */
static void
try_others(const struct rights *r)
{
	CHECK(calls_keep(r) == 0);
#ifdef __x86_64__
	errno = 0;
	CHECK(syscall(0x40000000 + SYS_getpid) == -1 && errno == EPERM);
	__asm__ volatile("int $0x80" : : "a"(20) : "memory");
	CHECK(false);
#else
	raise(SIGSYS);
#endif
}

static void
test_others(void)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	if ((pid = fork()) == 0) {
		try_others(&(struct rights){0});
		fflush(stdout);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	CHECK(WTERMSIG(status) == SIGSYS || WTERMSIG(status) == SIGSEGV);
}

static void
test_limited(void)
{
	test_calls();
	test_others();
}

/* Who keeps all rights may do what test_limited() looks for. */
static void
test_free(void)
{
	CHECK(kill(child, SIGCONT) == 0);
	CHECK(rights_awaited == 0);
}

int
main(void)
{
	int status;

	if ((child = fork()) == 0)
		return pause();
	status = with_files(test_limited, test_free);
	kill(child, SIGKILL);
	return status;
}
#endif
