/* SPDX-License-Identifier: ISC */
#include "guest/sample.h"

#include <elf.h>
#include <inttypes.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/msg.h"

void
sample_clear(struct sample *s)
{
	*s = (struct sample){.text = s->text};
	s->text.len = 0;
}

/* PCs begin, and their firmware runs, in the lowest MiB or the last 16 MiB
 * below 4 GiB. */
static bool
pc_firmware(uint64_t pc)
{
	return pc < 0x100000 || (pc >= 0xff000000 && pc <= 0xffffffff);
}

/* The flash memory of QEMU's virt; its first ROM, and OpenSBI in memory. */
enum { AARCH64_FLASH = 0x8000000 };
#define RISCV64_SBI UINT64_C(0x80200000)
enum { LOONGARCH64_FLASH = 0x1c000000, LOONGARCH64_FLASH_SIZE = 0x2000000 };

bool
sample_firmware(unsigned machine, uint64_t pc)
{
	switch (machine) {
	case EM_AARCH64:
	case EM_ARM:
		return pc < AARCH64_FLASH;
	case EM_RISCV:
		return pc < RISCV64_SBI;
	case UNWIND_EM_LOONGARCH:
		return pc - LOONGARCH64_FLASH < LOONGARCH64_FLASH_SIZE;
	default:
		return pc_firmware(pc);
	}
}

void
sample_stack(struct sample *s, uint64_t pc, bool early)
{
	s->n[COUNT_STACKS]++;
	s->n[COUNT_BOOTING] += early || (pc && pc_firmware(pc));
}

bool
sample_is_boot(const struct sample *s)
{
	return s->n[COUNT_STACKS] > 0 &&
	       s->n[COUNT_BOOTING] == s->n[COUNT_STACKS];
}

/* The words of gdb, and of the backends without it. */
static const char mark[] = "Backtrace stopped: ";

/* By enum unwind_end, from UNWIND_LOOP on. */
static const struct {
	const char *key, *words;
	const char *line;  /* after the mark, */
	const char *after; /* and after an address that follows; or NULL */
} kinds[] = {
    {"loop", "a frame that is its own caller",
	"previous frame identical to this frame (corrupt stack?)", NULL},
    {"inner", "a stack that goes backwards",
	"previous frame inner to this frame (corrupt stack?)", NULL},
    {"memory", "memory that cannot be read", "Cannot access memory at address ",
	""},
    {"window", "stack deeper than what was read", "the stack goes on at ",
	", beyond what was read of it"},
    {"unsaved", "unknown caller", "frame did not save the PC", NULL},
    {"firmware", "firmware with an unknown caller",
	"in firmware, caller unknown", NULL},
    {"differs", "frame pointers with other callers",
	"frame pointers lead to other callers", NULL},
    {"rule", "invalid unwind tables",
	"call frame information that makes no sense", NULL},
    {"program", "no file for the program (add it with -e)",
	"program code that is in none of the files", NULL},
    {"other", "other reasons", "more than 1024 frames", NULL},
};
enum { ENDS_KINDS = sizeof kinds / sizeof *kinds };
_Static_assert(ENDS_KINDS == COUNT_FRAMES - COUNT_END, "one for each");
_Static_assert(UNWIND_DEPTH == 1024, "the line of the last kind");

void
ends_line(struct sample *s, const struct unwind_stack *st)
{
	const int k = (int)st->end - UNWIND_LOOP;

	buf_printf(&s->text, "%s%s", mark, kinds[k].line);
	if (kinds[k].after != NULL)
		buf_printf(
		    &s->text, "0x%" PRIx64 "%s", st->bad, kinds[k].after);
	buf_addc(&s->text, '\n');
	s->n[COUNT_END + k]++;
	s->n[COUNT_TRUNCATED]++;
}

void
ends_note(uint64_t *n, const char *line, size_t len)
{
	size_t skip = bytes_starts(line, len, mark) ? sizeof mark - 1 : 0;
	int k = 0;

	while (k + 1 < ENDS_KINDS &&
	       !bytes_starts(line + skip, len - skip, kinds[k].line))
		k++;
	n[COUNT_END + k]++;
	n[COUNT_TRUNCATED]++;
}

void
ends_put(const uint64_t *n, struct buf *b)
{
	if (n[COUNT_PANICKED] > 0)
		buf_printf(b, " panicked=%" PRIu64, n[COUNT_PANICKED]);
	if (n[COUNT_REBOOTS] > 0)
		buf_printf(b, " reboots=%" PRIu64, n[COUNT_REBOOTS]);
	buf_printf(b, " truncated=%" PRIu64, n[COUNT_TRUNCATED]);
	for (int k = 0; k < ENDS_KINDS; k++)
		if (n[COUNT_END + k] > 0)
			buf_printf(b, " truncated-%s=%" PRIu64, kinds[k].key,
			    n[COUNT_END + k]);
}

void
ends_words(const uint64_t *n, struct buf *b)
{
	for (int k = 0; k < ENDS_KINDS; k++)
		if (n[COUNT_END + k] > 0)
			buf_printf(b, "%s%s (%" PRIu64 ")", b->len ? ", " : "",
			    kinds[k].words, n[COUNT_END + k]);
}

void
ends_say(const uint64_t *n, uint64_t samples)
{
	if (n[COUNT_PANICKED] > 0)
		msg("the guest's kernel has panicked: in %" PRIu64
		    " of %" PRIu64 " samples a CPU is in panic()",
		    n[COUNT_PANICKED], samples);
	if (n[COUNT_REBOOTS] > 0)
		msg("the guest has rebooted meanwhile, %" PRIu64
		    " time%s: its kernel was looked for again",
		    n[COUNT_REBOOTS], &"s"[n[COUNT_REBOOTS] == 1]);
}
