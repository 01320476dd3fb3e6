/* SPDX-License-Identifier: ISC */
/*
 * One handler of SIGBUS for all mapped files: it puts zeros in the place of the
 * page.
 */
#include "elffile/elffile.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"

static struct elflost *all;
static volatile sig_atomic_t was_cut, was_unread;
static uintptr_t page_size;

static bool
any_is_cut(void)
{
	struct stat st;

	for (const struct elflost *w = all; w != NULL; w = w->next)
		if (fstat(w->fd, &st) == 0 && (size_t)st.st_size < w->len)
			return true;
	return false;
}

static void
on_sigbus(int sig, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)info->si_addr & ~(page_size - 1);
	int err = errno;

	(void)context;
	if (any_is_cut())
		was_cut = 1;
	else
		was_unread = 1;
	if (info->si_code != BUS_ADRERR ||
	    mmap((void *)page, page_size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		signal(sig, SIG_DFL); /* so the fault comes again */
	errno = err;
}

void
elflost_watch(struct elflost *w, int fd, size_t len)
{
	const struct sigaction act = {
	    .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO};

	*w = (struct elflost){all, fd, len};
	all = w;
	page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &act, NULL);
}

void
elflost_unwatch(struct elflost *w)
{
	struct elflost **at = &all;

	while (*at != NULL && *at != w)
		at = &(*at)->next;
	if (*at != NULL)
		*at = w->next;
}

const char *
elflost_what(void)
{
	if (was_unread) {
		msg_system();
		return "a page of a file cannot be read: Input/output error";
	}
	return was_cut ? "a file was cut short while it was read" : NULL;
}
