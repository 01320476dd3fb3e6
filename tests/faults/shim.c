/* SPDX-License-Identifier: ISC */
/*
 * A library to preload, by which the machine fails where the test says:
 *
 *	FAULT_ALLOC=N     the N-th allocation of a kst command fails
 *	FAULT_COUNT=FILE  how many allocations there were, appended at the end
 *	FAULT_KILL=P.W    the P-th process to start is killed: W 0, at once;
 *	                  else before its W-th write or rename
 *	FAULT_TICKETS=F   file that counts the processes
 *	FAULT_PAGE=N      the N-th page of each mapped file raises SIGBUS, as
 *	                  when its disk fails
 *	FAULT_SEND=N      the N-th message to a socket is sent by half, and the
 *	                  process killed
 *	FAULT_NOBUFS=N    the N-th message of each process to a socket fails
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t),
    *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

void *aligned_alloc(size_t align, size_t n);

static long fail_at, n_allocs, kill_at = -1, n_steps;
static long half_at, nobufs_at, n_sent;
static pid_t self;
/* Opened at the beginning: a filter may open nothing later. */
static int count_fd = -1, empty_fd = -1;

static void
append(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);

	if (fd >= 0 && write(fd, text, strlen(text)) < 0)
		abort();
	close(fd);
}

static int
is_ours(void)
{
	return strncmp(program_invocation_short_name, "kst-", 4) == 0;
}

__attribute__((constructor)) static void
begin(void)
{
	const char *alloc = getenv("FAULT_ALLOC"), *p = getenv("FAULT_KILL");
	const char *tickets = getenv("FAULT_TICKETS");
	const char *half = getenv("FAULT_SEND");
	const char *nobufs = getenv("FAULT_NOBUFS");
	long process = 0, step = 0;
	struct stat st;

	half_at = half ? atol(half) : 0;
	nobufs_at = nobufs ? atol(nobufs) : 0;
	self = getpid();

	if (p && tickets && sscanf(p, "%ld.%ld", &process, &step) == 2) {
		append(tickets, ".");
		if (stat(tickets, &st) == 0 && st.st_size == process)
			kill_at = step;
		if (kill_at == 0)
			raise(SIGKILL);
	}
	if (getenv("FAULT_PAGE"))
		empty_fd = memfd_create("empty", MFD_CLOEXEC);
	if (getenv("FAULT_COUNT") && is_ours())
		count_fd = open(getenv("FAULT_COUNT"),
		    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (alloc && is_ours())
		fail_at = atol(alloc);
	n_allocs = 0;
}

__attribute__((destructor)) static void
end(void)
{
	char text[32];

	fail_at = 0;
	snprintf(text, sizeof text, "%ld\n", n_allocs);
	if (count_fd >= 0 && write(count_fd, text, strlen(text)) < 0)
		abort();
}

static int
fails(void)
{
	if (++n_allocs != fail_at)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *
malloc(size_t n)
{
	return fails() ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
	return fails() ? NULL : __libc_realloc(p, n);
}

void *
reallocarray(void *p, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, n * size);
}

void *
aligned_alloc(size_t align, size_t n)
{
	return fails() ? NULL : __libc_memalign(align, n);
}

static void
step(void)
{
	if (kill_at > 0 && ++n_steps == kill_at)
		raise(SIGKILL);
}

/* A byte is what kst-capture tells its watchdog. */
static int
is_message(int fd, size_t n)
{
	struct stat st;

	return (half_at || nobufs_at) && n > 1 && fstat(fd, &st) == 0 &&
	       S_ISSOCK(st.st_mode);
}

ssize_t
write(int fd, const void *p, size_t n)
{
	step();
	if (is_message(fd, n)) {
		n_sent++;
		if (n_sent == half_at && getpid() == self) {
			syscall(SYS_write, fd, p, n / 2);
			raise(SIGKILL);
		}
		if (n_sent == nobufs_at) {
			errno = ENOBUFS;
			return -1;
		}
	}
	return syscall(SYS_write, fd, p, n);
}

int
rename(const char *from, const char *to)
{
	step();
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* Behind that page there is an empty file then: the kernel raises the same. */
static void *
map(void *at, size_t n, int prot, int flags, int fd, off_t from)
{
	char *p = (char *)syscall(SYS_mmap, at, n, prot, flags, fd, from);
	const char *page = getenv("FAULT_PAGE");
	size_t i = page ? strtoul(page, NULL, 10) * 4096 : 0;

	if (fd >= 0 && empty_fd >= 0 && i > 0 && i <= n && p != MAP_FAILED)
		syscall(SYS_mmap, p + i - 4096, 4096UL, prot, flags | MAP_FIXED,
		    empty_fd, 0L);
	return p;
}

void *
mmap(void *at, size_t n, int prot, int flags, int fd, off_t from)
{
	return map(at, n, prot, flags, fd, from);
}

void *
mmap64(void *at, size_t n, int prot, int flags, int fd, off_t from)
{
	return map(at, n, prot, flags, fd, from);
}
