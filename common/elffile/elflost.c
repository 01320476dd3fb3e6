/* SPDX-License-Identifier: ISC */
/*
 * One handler of SIGBUS for all mapped files: it puts zeros in the place of the
 * page. Another one is for libdw, which does not look at all of its
 * allocations.
 */
#include "elffile/elffile.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"

static struct elflost *all;
static volatile sig_atomic_t was_cut, was_unread;
static uintptr_t page_size;
static struct sigaction segv, abrt; /* as they were before */

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

/* libdw uses a NULL pointer, or asserts that it has none. */
static void
on_crash(int sig)
{
	static const char text[] = ": out of memory\n";

	if (errno == ENOMEM &&
	    write(STDERR_FILENO, msg_prog, strlen(msg_prog)) >= 0 &&
	    write(STDERR_FILENO, text, sizeof text - 1) >= 0)
		_exit(EXIT_SYSTEM);
	/* so the fault comes again */
	sigaction(sig, sig == SIGSEGV ? &segv : &abrt, NULL);
}

void
elflost_watch(struct elflost *w, int fd, size_t len)
{
	const struct sigaction act = {
	    .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO};
	const struct sigaction crash = {.sa_handler = on_crash};

	if (all == NULL) {
		sigaction(SIGSEGV, &crash, &segv);
		sigaction(SIGABRT, &crash, &abrt);
	}
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
	if (*at == NULL)
		return;
	*at = w->next;
	if (all == NULL) {
		sigaction(SIGSEGV, &segv, NULL);
		sigaction(SIGABRT, &abrt, NULL);
	}
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
