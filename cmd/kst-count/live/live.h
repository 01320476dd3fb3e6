/* SPDX-License-Identifier: ISC */
/*
 * What the plugin reports while it counts: a file that both processes have
 * mapped. Only the plugin writes to it, but for `answered`.
 */
#ifndef LIVE_H
#define LIVE_H

#include <limits.h>
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
	char dir[PATH_MAX];   /* QEMU's current folder, or "" */
	bool card;	      /* it has added a network card by itself */
	uint32_t answered;    /* the command has read both */
};

/* Maps the file, which gets this size; NULL with errno. It stays mapped. */
struct live *live_map(int fd);

/*
 * Opens the file in the plugin, and puts the command line of this process into
 * it. If there is no file at the path, the struct is memory of this process
 * only.
 */
struct live *live_open(const char *path);

/*
 * In the plugin, which has reported its command line: waits until the command
 * has answered, and reads n bytes from its file at `path`. Nothing is read if
 * the path is "", or after a minute.
 */
void live_answer(struct live *v, const char *path, void *p, size_t n);

/* Maps a file of code, and sets its size. NULL: there is no such file. */
const uint8_t *live_code(const char *path, uint64_t *size);

/*
 * Whether a text, of at most 1023 bytes, is in what the guest has written to
 * its log at `path` since the last call.
 */
bool live_log_has(const char *path, const char *text);

/*
 * An option of QEMU's command line, and what it connects the guest with.
 * Without an option (NULL) it is what QEMU has added.
 */
struct outside {
	const char *option, *what;
};

/*
 * What makes another run count differently, because its work ends by the host's
 * clock: in a command line of n bytes, or else the network card that QEMU has
 * added, if `card`. *what NULL: nothing. A replay of a recorded run has none.
 */
struct outside live_outside(const char *args, size_t n, bool card);

/*
 * Whether a command line leaves it to QEMU to add a network card. Sets the name
 * of its machine, or "" for QEMU's default.
 */
bool live_default_devices(
    const char *args, size_t n, char *machine, size_t size);

/*
 * In the plugin: whether the machine of this process's command line has a
 * network card that no option asks for. A second QEMU of the same program says
 * so, which ends at once; one that does not answer has none.
 */
bool live_has_card(const char *args, size_t n);

/* Whether one of the words of a command line says that KVM runs the guest. */
bool live_is_kvm(const char *args, size_t n);

/* Whether QEMU replays a run that it has recorded. */
bool live_replays(const char *args, size_t n);

/* How QEMU's clock is set, unless a later option says otherwise. */
#define LIVE_RTC "clock=vm,base=2020-01-01"

#endif
