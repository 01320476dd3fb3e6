/* SPDX-License-Identifier: ISC */
#include "screen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/port.h"
#include "io/out.h"

#define ENTER "\033[?1049h\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

enum { INTERVAL_MS = 1000 };

static const int signals[] = {
    SIGWINCH, SIGTSTP, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { N_SIGNALS = sizeof signals / sizeof *signals };

static volatile sig_atomic_t seen[N_SIGNALS];
static sigset_t before; /* the mask while waiting */
static int tty = -1, messages = -1, old_stderr = -1;
static off_t said; /* bytes of the messages that were printed */
static struct termios old_mode;
static int64_t next_ms;

static void
on_signal(int sig)
{
	for (int i = 0; i < N_SIGNALS; i++)
		if (signals[i] == sig)
			seen[i] = 1;
}

/* Signals come in while waiting only. */
static void
catch_signals(void)
{
	struct sigaction sa = {.sa_handler = on_signal}, old;
	sigset_t set;

	sigemptyset(&set);
	for (int i = 0; i < N_SIGNALS; i++) {
		sigaddset(&set, signals[i]);
		/* what whoever started us ignores stays so */
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
	}
	sigprocmask(SIG_BLOCK, &set, &before);
}

static void
enter(void)
{
	struct termios mode = old_mode;

	mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	mode.c_cc[VMIN] = 1;
	mode.c_cc[VTIME] = 0;
	tcsetattr(tty, TCSADRAIN, &mode);
	out_puts(ENTER);
	next_ms = 0;
}

static void
leave(void)
{
	out_flush();
	/* not by the output: a write there may have failed */
	dprintf(tty, LEAVE);
	tcsetattr(tty, TCSADRAIN, &old_mode);
}

bool
screen_begin(void)
{
	const char *term = getenv("TERM");

	if (!isatty(STDOUT_FILENO) || term == NULL || *term == 0 ||
	    strcmp(term, "dumb") == 0)
		return false;
	tty = open("/dev/tty", O_RDWR | O_CLOEXEC);
	if (tty < 0 || tcgetattr(tty, &old_mode) != 0)
		return false;
	/* messages wait: on the screen they would not be seen for long */
	messages = isatty(STDERR_FILENO) ? port_temp_file() : -1;
	if (messages >= 0) {
		old_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
		dup2(messages, STDERR_FILENO);
	}
	catch_signals();
	enter();
	atexit(screen_end);
	return true;
}

void
screen_end(void)
{
	char text[4096];
	ssize_t n;

	if (tty >= 0) {
		leave();
		close(tty);
		tty = -1;
		sigprocmask(SIG_SETMASK, &before, NULL);
		if (messages >= 0)
			dup2(old_stderr, STDERR_FILENO);
	}
	for (; (n = pread(messages, text, sizeof text, said)) > 0; said += n)
		if (write(STDERR_FILENO, text, (size_t)n) != n)
			break;
}

static void
draw(struct screen *s)
{
	struct winsize w;

	if (ioctl(tty, TIOCGWINSZ, &w) != 0 || w.ws_col == 0 || w.ws_row == 0)
		w = (struct winsize){.ws_col = 80, .ws_row = 24};
	out_puts("\033[H");
	s->draw(s->arg, w.ws_col, w.ws_row);
	out_puts("\033[J");
	out_flush();
}

/* Ends or stops the command as the signal asks, with the terminal as it was. */
static void
give_way(int sig)
{
	sigset_t set;

	leave();
	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	raise(sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	/* stopped, and now continued */
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(sig, on_signal);
	enter();
}

/* False when the command is to end. */
static bool
take_signals(void)
{
	for (int i = 0; i < N_SIGNALS; i++) {
		if (!seen[i])
			continue;
		seen[i] = 0;
		if (signals[i] == SIGINT)
			return false;
		if (signals[i] != SIGWINCH)
			give_way(signals[i]);
		next_ms = 0;
	}
	return true;
}

/* The key at p, whose bytes are taken: `\033[A` is one. */
static int
key_at(const char **p, const char *end)
{
	int c = (unsigned char)*(*p)++;

	if (c != '\033' || *p == end || (**p != '[' && **p != 'O'))
		return c;
	for (++*p; *p < end && **p >= '0' && **p <= ';';)
		++*p;
	c = *p < end ? *(*p)++ : 0;
	return c == 'A' ? SCREEN_UP : c == 'B' ? SCREEN_DOWN : SCREEN_OTHER;
}

static bool
take_keys(struct screen *s)
{
	char text[64];
	ssize_t n = read(tty, text, sizeof text);
	const char *p = text, *end = text + (n > 0 ? n : 0);

	if (n <= 0) /* the terminal is gone */
		return n < 0 && (errno == EINTR || errno == EAGAIN);
	while (p < end)
		if (!s->key(s->arg, key_at(&p, end)))
			return false;
	next_ms = 0;
	return true;
}

int64_t
screen_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

bool
screen_wait(void *screen, int fd)
{
	struct screen *s = screen;

	for (;;) {
		struct pollfd pfd[2] = {{tty, POLLIN, 0}, {fd, POLLIN, 0}};
		struct timespec ts;
		int64_t now = screen_ms();

		if (now >= next_ms) {
			draw(s);
			next_ms = screen_ms() + INTERVAL_MS;
		}
		if (out.err) /* out_end() says so */
			return false;
		now = next_ms - screen_ms();
		ts.tv_sec = now > 0 ? now / 1000 : 0;
		ts.tv_nsec = now > 0 ? now % 1000 * 1000000 : 0;
		if (ppoll(pfd, fd < 0 ? 1 : 2, &ts, &before) < 0)
			pfd[0].revents = pfd[1].revents = 0;
		if (!take_signals() || (pfd[0].revents && !take_keys(s)))
			return false;
		if (fd >= 0 && pfd[1].revents)
			return true;
	}
}
