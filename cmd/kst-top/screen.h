/* SPDX-License-Identifier: ISC */
/*
 * A terminal (VT100) that is redrawn each second and after a key, while the
 * command waits for input or for a key. Whatever ends the command restores the
 * terminal.
 */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCREEN_UP = 256, SCREEN_DOWN, SCREEN_OTHER };

struct screen {
	/* Writes at most `lines` lines to the output, each with SCREEN_EOL. */
	void (*draw)(void *arg, size_t columns, size_t lines);
	/* A byte or one of the above; false ends the command. */
	bool (*key)(void *arg, int key);
	void *arg;
};

#define SCREEN_EOL "\033[K\r\n"

/* False, and nothing done, where there is no terminal to draw on. */
bool screen_begin(void);
/* Also writes the messages that came meanwhile. */
void screen_end(void);

/*
 * For struct in's wait. Returns true when fd can be read; false when the user
 * has ended the command, or nothing can be written. A negative fd can never be
 * read.
 */
bool screen_wait(void *screen, int fd);

int64_t screen_ms(void); /* of a clock that only goes forward */

#endif
