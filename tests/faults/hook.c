/* SPDX-License-Identifier: ISC */
/*
 * A library to preload: what hostile input might make of a filter. Once some of
 * the input has been read, it tries what a filter has no right to, and prints a
 * line `hook: CALL: refused`, or `done` if the system did anything else than to
 * refuse it: arguments are such that it does nothing. HOOK_UID=N: as that user.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char page[4096] __attribute__((aligned(4096)));
static char *none[] = {NULL};
static struct sockaddr_un abstract = {AF_UNIX, "\0kst-hook"};

struct attempt {
	const char *name;
	long nr;
	long a[6];
};

#define A(x) ((long)(x))
#define T(name, ...)                \
	{                           \
#name, SYS_##name,  \
		{                   \
			__VA_ARGS__ \
		}                   \
	}
#define AS(what, name, ...)         \
	{                           \
		what, SYS_##name,   \
		{                   \
			__VA_ARGS__ \
		}                   \
	}

static struct attempt attempts[] = {
    /* files */
    AS("open to read", openat, AT_FDCWD, A("/etc/passwd"), O_RDONLY),
    AS("open to write", openat, AT_FDCWD, A("own"), O_WRONLY),
    AS("open to make", openat, AT_FDCWD, A("hook.made"), O_WRONLY | O_CREAT,
	0600),
    T(openat2, -1, 0, 0, 0),
    T(unlinkat, AT_FDCWD, A("none"), 0),
    AS("rmdir", unlinkat, AT_FDCWD, A("none"), AT_REMOVEDIR),
    T(mkdirat, AT_FDCWD, A("own"), 0700),
    T(mknodat, AT_FDCWD, A("own"), S_IFREG | 0600, 0),
    T(linkat, AT_FDCWD, A("none"), AT_FDCWD, A("own"), 0),
    T(symlinkat, A("none"), AT_FDCWD, A("own")),
    T(renameat2, AT_FDCWD, A("none"), AT_FDCWD, A("own"), 0),
    T(truncate, A("own"), 0),
    T(ftruncate, -1, 0),
    T(fallocate, -1, 0, 0, 0),
    T(fchmod, -1, 0600),
    T(fchmodat, AT_FDCWD, A("own"), 0600),
    T(fchown, -1, -1, -1),
    T(fchownat, AT_FDCWD, A("own"), -1, -1, 0),
    T(utimensat, AT_FDCWD, A("own"), 0, 0),
    T(setxattr, A("own"), A("user.a"), A(""), 0, 0),
    T(fsetxattr, -1, A("user.a"), A(""), 0, 0),
    T(removexattr, A("none"), A("user.a")),
    T(chdir, A("none")),
    T(chroot, A("none")),
    T(getdents64, -1, 0, 0),
    T(readlinkat, AT_FDCWD, A("own"), A(page), 1),
    T(inotify_init1, 0),
    T(fanotify_init, 0, 0),
    T(name_to_handle_at, -1, 0, 0, 0, 0),
    T(open_by_handle_at, -1, 0, 0),
    T(mount, 0, 0, 0, 0, 0),
    T(umount2, A("none"), 0),
    T(pivot_root, A("none"), A("none")),
    T(fsopen, 0, 0),
    T(swapon, 0, 0),
#ifdef SYS_open
    AS("open", open, A("/etc/passwd"), O_RDONLY),
    AS("creat", creat, A("hook.made"), 0600),
    T(unlink, A("none")),
    T(rename, A("none"), A("own")),
    T(link, A("none"), A("own")),
    T(symlink, A("none"), A("own")),
    T(mknod, A("own"), S_IFREG | 0600, 0),
    T(chmod, A("own"), 0600),
    T(chown, A("own"), -1, -1),
    T(utime, A("own"), 0),
#endif
    /* descriptors */
    AS("TIOCSTI", ioctl, 2, TIOCSTI, A("x")),
    AS("TIOCLINUX", ioctl, 2, TIOCLINUX, A("\2")),
    AS("TIOCSCTTY", ioctl, 2, TIOCSCTTY, 0),
    AS("FIOASYNC", ioctl, -1, FIOASYNC, 0),
    AS("F_SETOWN", fcntl, -1, F_SETOWN, 1),
    AS("F_SETSIG", fcntl, -1, F_SETSIG, SIGKILL),
    AS("F_SETFL", fcntl, -1, F_SETFL, O_ASYNC),
    AS("F_SETLEASE", fcntl, -1, F_SETLEASE, F_WRLCK),
    AS("F_SETPIPE_SZ", fcntl, -1, F_SETPIPE_SZ, 0),
    T(dup3, -1, -1, 0),
    T(splice, -1, 0, -1, 0, 0, 0),
    T(vmsplice, -1, 0, 0, 0),
    T(sendfile, -1, -1, 0, 0),
    /* connections */
    AS("socket AF_UNIX", socket, AF_UNIX, SOCK_STREAM, 0),
    AS("socket AF_INET", socket, AF_INET, SOCK_STREAM, 0),
    AS("socket AF_INET6", socket, AF_INET6, SOCK_DGRAM, 0),
    AS("socket AF_NETLINK", socket, AF_NETLINK, SOCK_RAW, 0),
    AS("socket AF_PACKET", socket, AF_PACKET, SOCK_RAW, 0),
    T(socketpair, AF_UNIX, SOCK_STREAM, 0, 0),
    AS("connect to an abstract socket", connect, -1, A(&abstract),
	sizeof abstract),
    T(bind, -1, A(&abstract), sizeof abstract),
    T(listen, -1, 1),
    T(accept4, -1, 0, 0, 0),
    T(sendto, -1, 0, 0, 0, 0, 0),
    T(sendmsg, -1, 0, 0),
    T(recvfrom, -1, 0, 0, 0, 0, 0),
    T(recvmsg, -1, 0, 0),
    T(pipe2, 0, 0),
    /* processes */
    AS("kill", kill, 0, 0), /* of the parent: see below */
    T(tkill, 0, 0),
    T(tgkill, 0, 0, 0),
    T(rt_sigqueueinfo, 0, 0, 0),
    T(pidfd_open, 0, 0),
    T(pidfd_send_signal, -1, 0, 0, 0),
    T(pidfd_getfd, -1, 0, 0),
    T(ptrace, PTRACE_PEEKDATA, 0, 0, 0),
    T(process_vm_readv, 0, 0, 0, 0, 0, 0),
    T(process_vm_writev, 0, 0, 0, 0, 0, 0),
    T(process_madvise, -1, 0, 0, 0, 0),
    T(kcmp, 0, 0, -1, 0, 0),
    T(execve, A("/none"), A(none), A(none)),
    T(execveat, AT_FDCWD, A("/none"), A(none), A(none), 0),
    T(clone, SIGCHLD, 0, 0, 0, 0),
    T(clone3, 0, 0),
    T(wait4, -1, 0, WNOHANG, 0),
    T(unshare, 0),
    T(setns, -1, 0),
    T(setpgid, 0, -1),
    T(setsid),
    T(prctl, 0, 0, 0, 0, 0),
    T(prlimit64, 0, RLIMIT_CORE, 0, 0),
    T(setpriority, PRIO_PROCESS, 0, 0),
    T(sched_setaffinity, 0, 0, 0),
    T(sched_setscheduler, 0, -1, 0),
    T(setuid, -1),
    T(setresgid, -1, -1, -1),
    T(setgroups, -1, 0),
    T(capset, 0, 0),
    T(personality, 0xffffffff),
    /* memory and the kernel */
    AS("mmap of a program", mmap, 0, 4096, PROT_EXEC, MAP_PRIVATE, -1, 0),
    AS("mprotect of code", mprotect, A(page), 4096,
	PROT_READ | PROT_WRITE | PROT_EXEC),
    T(memfd_create, A("kst-hook"), 0),
    T(userfaultfd, 0),
    T(shmget, 1, 0, 0),
    T(shmat, -1, 0, 0),
    T(semget, 1, 0, 0),
    T(msgget, 1, 0),
    T(mq_open, A("none"), O_RDONLY, 0, 0),
    T(io_uring_setup, 0, 0),
    T(io_setup, 0, 0),
    T(bpf, -1, 0, 0),
    T(perf_event_open, 0, 0, 0, 0, 0),
    T(keyctl, -1, 0, 0, 0, 0),
    T(add_key, 0, 0, 0, 0, 0),
    T(request_key, 0, 0, 0, 0),
    T(seccomp, -1, 0, 0),
    T(init_module, 0, 0, 0),
    T(reboot, 0, 0, 0, 0),
    T(sethostname, 0, -1),
    T(clock_settime, -1, 0),
    T(timer_create, -1, 0, 0),
};

static void
try(struct attempt *t)
{
	long *a = t->a, got;
	int refused;

	if (strstr(t->name, "kill") || strncmp(t->name, "rt_", 3) == 0 ||
	    strcmp(t->name, "pidfd_open") == 0 ||
	    strncmp(t->name, "process_vm", 10) == 0)
		a[0] = getppid();
	if (strcmp(t->name, "tgkill") == 0)
		a[1] = a[0];
	errno = 0;
	got = syscall(t->nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (got == 0 && strcmp(t->name, "clone") == 0)
		_exit(0);
	refused = got < 0 && (errno == EPERM || errno == EACCES);
	dprintf(2, "hook: %s: %s\n", t->name, refused ? "refused" : "done");
}

__attribute__((constructor)) static void
begin(void)
{
	const char *uid = getenv("HOOK_UID");

	if (uid && (setgid((gid_t)atoi(uid)) || setuid((uid_t)atoi(uid))))
		abort();
}

ssize_t
read(int fd, void *to, size_t n)
{
	ssize_t (*next)(int, void *, size_t) =
	    (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	ssize_t got = next(fd, to, n);
	static int tried;

	if (got < 12 || tried || !memmem(to, (size_t)got, "hook;hostile", 12))
		return got;
	tried = 1;
	for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++)
		try(&attempts[i]);
	return got;
}
