/* SPDX-License-Identifier: ISC */
/*
 * What the plugin tells while it counts: a file of both processes' memory. Only
 * the plugin writes to it.
 */
#ifndef LIVE_H
#define LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LIVE_ARGS = 1 << 16 };

struct live {
	uint64_t counted;     /* instructions in the range */
	uint64_t begun;	      /* blocks of code that were executed */
	uint64_t stacks;      /* different ones, so far */
	uint64_t n_args;      /* bytes; set when the rest is */
	char args[LIVE_ARGS]; /* of QEMU's command line, a NUL after each */
};

/* Maps the file, which gets this size; NULL with errno. It stays mapped. */
struct live *live_map(int fd);

/*
 * Opens it in the plugin, with the command line of this process. Without a file
 * at the path nobody is told: it is memory of this process then.
 */
struct live *live_open(const char *path);

/* Maps a file of code, and sets its size; NULL: there is none. */
const uint8_t *live_code(const char *path, uint64_t *size);

/*
 * Whether what the guest has written to the file of its log at `path` since the
 * last call has a text, of at most 1023 bytes.
 */
bool live_log_has(const char *path, const char *text);

/* An option of QEMU's command line, and what it lets into the guest. */
struct outside {
	const char *option, *what;
};

/*
 * What in a command line of n bytes makes another run count differently, since
 * its work ends by the host's clock; *what NULL: nothing. A replay of a
 * recorded run has nothing of that.
 */
struct outside live_outside(const char *args, size_t n);

/* Whether QEMU replays a run that it has recorded. */
bool live_replays(const char *args, size_t n);

/* How QEMU's clock is set, unless an option after this one says otherwise. */
#define LIVE_RTC "clock=vm,base=2020-01-01"

#endif
