/* SPDX-License-Identifier: ISC */
/* Signals that end a capture: what comes within a second of the first one is
 * the same wish; a second one comes by itself, a third does not. */
#include "wire/clock.h"

#include <signal.h>
#include <unistd.h>

#include "unit.h"

static void
take(int sig)
{
	sigset_t none;

	sigemptyset(&none);
	raise(sig);
	sigsuspend(&none);
}

int
main(void)
{
	signals_init();
	take(SIGINT);
	CHECK(signals_caught == 1);
	CHECK(alarm(60) > 0);
	take(SIGTERM);
	CHECK(signals_caught == 1);
	sleep(2);
	take(SIGTERM);
	CHECK(signals_caught == 2);
	CHECK(alarm(0) == 0);
	take(SIGALRM);
	CHECK(signals_caught == 3);
	CHECK(alarm(0) == 0);
	return unit_end();
}
