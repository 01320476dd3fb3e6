/* SPDX-License-Identifier: ISC */
#include "base/port.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"

#if defined __GLIBC__ && !defined KST_PORTABLE
#include <malloc.h>
#endif

#ifdef KST_PORTABLE
#include <signal.h>
#include <sys/mman.h>
#define PLAIN 1
#define FD_FOLDER "/dev/fd"
#else
#define PLAIN 0
#define FD_FOLDER "/proc/self/fd"
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

void
port_keep_memory(void)
{
#if defined __GLIBC__ && !defined KST_PORTABLE
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

const char *
port_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *
port_own_folder(void)
{
	static char path[PATH_MAX];
	ssize_t n =
	    PLAIN ? 0 : readlink("/proc/self/exe", path, sizeof path - 1);

	if (n <= 0)
		return NULL;
	path[n] = 0;
	*strrchr(path, '/') = 0;
	return path;
}

void
port_exec(char *const *argv)
{
	const char *folder = port_own_folder();
	char path[PATH_MAX];

	if (folder && snprintf(path, sizeof path, "%s/%s", folder, argv[0]) <
			  (int)sizeof path)
		execv(path, argv);
	execvp(argv[0], argv);
}

int
port_temp_file(void)
{
#ifdef KST_PORTABLE
	FILE *f = tmpfile();
	int fd = f ? fcntl(fileno(f), F_DUPFD_CLOEXEC, 3) : -1;

	if (f)
		fclose(f);
	return fd;
#else
	return memfd_create("kst", MFD_CLOEXEC);
#endif
}

char *
port_run_name(const char *command)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
	const char *tmp = getenv("TMPDIR");
	const size_t size = strlen(command) + 128;
	struct timespec t;
	char *name;

	if (tmp == NULL || tmp[0] != '/' || strlen(tmp) > 60 ||
	    strspn(tmp, safe) != strlen(tmp))
		tmp = "/tmp";
	clock_gettime(CLOCK_MONOTONIC, &t);
	name = xmalloc(size);
	snprintf(name, size, "%s/%s.%ld-%" PRIx64, tmp, command, (long)getpid(),
	    (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000);
	return name;
}

void
port_fd_path(int fd, char path[PORT_FD_PATH])
{
	snprintf(path, PORT_FD_PATH, FD_FOLDER "/%d", fd);
}

void
port_close_fds(unsigned first, unsigned last)
{
#ifdef KST_PORTABLE
	for (long n = sysconf(_SC_OPEN_MAX); first <= last && first < n;)
		close((int)first++);
#else
	/* musl 1.2.3 has no close_range() */
	syscall(SYS_close_range, first, last, 0);
#endif
}

void
port_end_with_parent(int sig)
{
#ifdef KST_PORTABLE
	(void)sig;
#else
	prctl(PR_SET_PDEATHSIG, sig);
#endif
}

void
port_set_name(const char *name)
{
#ifdef KST_PORTABLE
	(void)name;
#else
	prctl(PR_SET_NAME, name);
#endif
}

#ifdef KST_PORTABLE
enum { GROUPS_MAX = 64 };
static struct {
	int n;
	pid_t v[GROUPS_MAX];
} * groups; /* shared with the processes that are forked */

/* The number of an empty group may be somebody else's soon. */
static void
forget_empty(void)
{
	int n = 0;

	for (int i = 0; groups && i < groups->n; i++)
		if (kill(-groups->v[i], 0) == 0)
			groups->v[n++] = groups->v[i];
	if (groups)
		groups->n = n;
}
#endif

void
port_adopt(void)
{
#ifdef KST_PORTABLE
	void *p = groups ? groups
			 : mmap(NULL, sizeof *groups, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANON, -1, 0);

	groups = p == MAP_FAILED ? NULL : p;
#else
	prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
}

void
port_started(pid_t group)
{
#ifdef KST_PORTABLE
	forget_empty();
	if (groups && groups->n < GROUPS_MAX)
		groups->v[groups->n++] = group;
#else
	(void)group;
#endif
}

void
port_groups(void (*group)(void *arg, pid_t pid), void *arg)
{
#ifdef KST_PORTABLE
	forget_empty();
	for (int i = 0; groups && i < groups->n; i++)
		group(arg, -groups->v[i]);
#else
	(void)group;
	(void)arg;
#endif
}

void
port_children(pid_t parent, void (*child)(void *arg, pid_t pid), void *arg)
{
	long above = (long)parent, pid;
#ifdef KST_PORTABLE
	FILE *f = popen("ps -A -o ppid= -o pid=", "r");

	while (f && fscanf(f, "%ld %ld", &above, &pid) == 2)
		if (above == (long)parent)
			child(arg, (pid_t)pid);
	if (f)
		pclose(f);
#else
	char path[64];
	FILE *f;

	snprintf(
	    path, sizeof path, "/proc/%ld/task/%ld/children", above, above);
	f = fopen(path, "re");
	while (f && fscanf(f, "%ld", &pid) == 1)
		child(arg, (pid_t)pid);
	if (f)
		fclose(f);
#endif
}

unsigned
port_processors(void)
{
#ifdef KST_PORTABLE
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (unsigned)n : 1;
#else
	cpu_set_t set;

	return sched_getaffinity(0, sizeof set, &set) == 0
		   ? (unsigned)CPU_COUNT(&set)
		   : 1;
#endif
}

#ifdef KST_PORTABLE
static int (*sort_compare)(const void *, const void *, void *);
static void *sort_arg;

static int
compare_by_arg(const void *a, const void *b)
{
	return sort_compare(a, b, sort_arg);
}
#endif

void
port_sort(void *v, size_t n, size_t size,
    int (*compare)(const void *, const void *, void *), void *arg)
{
	if (n == 0)
		return;
#ifdef KST_PORTABLE
	sort_compare = compare;
	sort_arg = arg;
	qsort(v, n, size, compare_by_arg);
#else
	qsort_r(v, n, size, compare, arg);
#endif
}
