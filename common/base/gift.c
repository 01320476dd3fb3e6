/* SPDX-License-Identifier: ISC */
/*
 * Two huge pages in turn. A page is let go when the other is full: by then all
 * of it has left the pipe, which holds less, so that it is freed here, and the
 * page that comes instead is mostly the same one, still in the processor's
 * cache. Let go at once, it would be freed where the reader runs.
 */
#include "base/gift.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>

/*
 * A huge page is one page fault; FAULTS_MAX leaves room for those of the rest
 * of the process, and is well below the 512 of small pages. In a pipe of the
 * usual 64 KiB reader and writer wait for each other at each step.
 */
enum { PAGE = 1 << 21, PAGES = 2, FAULTS_MAX = 256, PIPE_SIZE = 1 << 20 };

static const size_t MAP_SIZE = (size_t)(PAGES + 1) * PAGE;

static long
faults_so_far(void)
{
	struct rusage u;

	return getrusage(RUSAGE_SELF, &u) == 0 ? u.ru_minflt : 0;
}

char *
gift_begin(struct gift *g, int fd)
{
	char *map;

	if (fcntl(fd, F_GETPIPE_SZ) < PIPE_SIZE &&
	    fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE) < PIPE_SIZE)
		return NULL;
	map = mmap(NULL, MAP_SIZE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return NULL;
	g->map = map;
	g->pages = map + (PAGE - (uintptr_t)map % PAGE);
	g->at = 0;
	g->faults = faults_so_far();
	if (madvise(g->pages, (size_t)PAGES * PAGE, MADV_HUGEPAGE) != 0)
		gift_end(g);
	return g->pages;
}

size_t
gift_send(const struct gift *g, int fd, size_t n)
{
	size_t sent = 0;

	while (sent < n) {
		struct iovec v = {g->pages + g->at + sent, n - sent};
		ssize_t k = vmsplice(fd, &v, 1, 0);

		if (k > 0)
			sent += (size_t)k;
		else if (k == 0 || errno != EINTR)
			break;
	}
	return sent;
}

char *
gift_next(struct gift *g)
{
	long faults;

	g->at = (g->at + GIFT_SIZE) % ((size_t)PAGES * PAGE);
	if (g->at % PAGE)
		return g->pages + g->at;
	faults = faults_so_far();
	if (faults - g->faults > FAULTS_MAX ||
	    madvise(g->pages + g->at, PAGE, MADV_DONTNEED) != 0)
		gift_end(g);
	else
		g->faults = faults;
	return g->pages ? g->pages + g->at : NULL;
}

void
gift_end(struct gift *g)
{
	if (g->map)
		munmap(g->map, MAP_SIZE);
	*g = (struct gift){0};
}
