/* SPDX-License-Identifier: ISC */
/*
 * What the command asks the plugin to do: the first bytes of the file that the
 * plugin then fills. Both are built and installed together.
 */
#ifndef REQUEST_H
#define REQUEST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/programs.h"
#include "trace/record.h"

/* In the order of COUNT_UNITS, the units. */
enum count_what {
	COUNT_INSNS,
	COUNT_CALLS,
	COUNT_READS,
	COUNT_WRITES,
	COUNT_BLOCKS,
	COUNT_INTERRUPTS,
	COUNT_WAITING,
	COUNT_WHATS
};

#define COUNT_UNITS                                          \
	"instructions calls reads writes blocks interrupts " \
	"waiting"

/*
 * Where the count begins or ends: a block of code, as programs_apart(), or a
 * line with a text in it.
 */
struct place {
	bool given;
	uint64_t addr;
	char line[1024]; /* "": an address */
};

/*
 * The last lines of the result, except the very last, say how it ended.
 *
 * The first of them is END_MARK, then numbers: an enum end_why; whether the
 * range began (0 or 1); the instructions in it; of what was written, how many
 * different stacks, their sum, and that of [lost] stacks; whether the file's
 * code was seen, by how much it has moved, and whether it then went on where it
 * is linked; the sum of [lost] stacks with callers; with `judge`, how many
 * instructions of the range it has counted, and how many of them otherwise.
 *
 * Then comes a line for each CPU, first the one that ran last: END_MARK and the
 * innermost frames of its stack. Then the same for the END_LEFT stacks that
 * were left last and have not gone on, below a frame `[left N TOTAL]`: how many
 * instructions before the end, and how many stacks that are.
 */
#define END_MARK "#kst-end:"

enum end_why { END_UNTIL, END_LIMIT, END_EXIT };

enum { END_CPUS = 64, END_FRAMES = 64, END_LEFT = 8, END_BYTES = 1 << 18 };

/* The frame above waits that have not ended. */
#define END_WAITS "[to the end]"

/* An address that is set once its module is there. */
#define REQUEST_LATER UINT64_MAX

struct request {
	uint64_t size; /* of this struct: of another one, it is refused */
	enum count_what what;
	char unit[16];		    /* its word */
	uint32_t whats;		    /* a bit for it and each further one */
	char also[COUNT_WHATS][64]; /* the files of further ones, or "" */
	struct place from, until;
	/* Only below this function, as programs_apart(); 0: everywhere. */
	uint64_t in;
	uint64_t low, high;    /* a CPU is followed from this code on */
	uint64_t top;	       /* of all functions of the kernel's file */
	uint64_t limit, every; /* instructions; 0: none */
	char serial[PATH_MAX]; /* the log of the guest, or "" */
	char live[64];	       /* the file of struct live, or "" */
	/* The file of the code from `low` on, of that size, and then of the
	 * programs' code; or "". */
	char code[64];
	/* A file that has all of this once the command knows QEMU's kernel,
	 * which live_answer() waits for; or "": it does not change. */
	char later[64];
	/* Linux' modules are found, by the pipes at these paths. */
	bool modules;
	char modules_to[64], modules_from[64];
	uint64_t code_size;
	struct program program[PROGRAMS_MAX];
	struct trace_ask trace;
	char cover[64]; /* the file of --coverage, or "" */
	bool judge;	/* each instruction is counted by itself, too */
	bool apart;	/* instructions of one function stay apart */
};

/*
 * All that is asked for is instructions, or calls, in a range that no block
 * which goes on can begin: a call does not, and the log is looked at by blocks.
 */
static inline bool
request_is_simple(const struct request *o)
{
	return o->whats == 1U << COUNT_INSNS && !o->in && !o->every &&
	       !*o->from.line && !*o->until.line;
}

#endif
