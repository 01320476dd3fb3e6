/* SPDX-License-Identifier: ISC */
/* What bcc's tools print, see bcc.c. */
#ifndef BCC_H
#define BCC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gather;

enum bcc_form {
	BCC_PROFILE,
	BCC_COUNT,
	BCC_WAKE,
	BCC_LEAK,
	BCC_TRACE,
	BCC_LOCK
};

/* A stack of bcc's output, see bcc.c. */
struct bcc {
	enum bcc_form form;
	uint64_t weight; /* if it stands before the stack, else 0 */
	size_t comm_at;	 /* column of trace's process */
	bool kernel;	 /* `--` came */
	bool ended;	 /* the process was read, its weight is next */
	bool holds;	 /* klockstat's second table: how long locks are held */
	bool row;	 /* the frame is from a row, and may come again */
};

/* Whether the line is the heading that bcc's output begins with. */
bool formats_bcc_heading(struct gather *g, const char *line, size_t len);

/* A line after it, and the end. */
void formats_bcc(struct gather *g, const char *line, size_t len);
void formats_bcc_end(struct gather *g);

#endif
