/* SPDX-License-Identifier: ISC */
#include "guest/sample.h"

#include "base/bytes.h"
#include "unit.h"

int
main(void)
{
	static const char *const lines[] = {
	    "Backtrace stopped: frame did not save the PC\n",
	    "Backtrace stopped: Cannot access memory at address 0x8\n",
	    "Backtrace stopped: Cannot access memory at address 0x8",
	    "Backtrace stopped: previous frame inner to this frame (corrupt "
	    "stack?)",
	    "Backtrace stopped: ", ""};
	struct buf b = BUF_INIT;
	uint64_t once[COUNTS] = {0}, twice[COUNTS] = {0};

	ends_put(once, &b);
	CHECK_TEXT(b.p, b.len, " truncated=0");
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		ends_note(once, lines[i], strlen(lines[i]));
	for (size_t i = 0; i < COUNTS; i++)
		twice[i] = 2 * once[i];
	b.len = 0;
	ends_put(twice, &b);
	CHECK_TEXT(b.p, b.len,
	    " truncated=12 truncated-inner=2"
	    " truncated-memory=4 truncated-unsaved=2"
	    " truncated-other=4");
	b.len = 0;
	twice[COUNT_PANICKED] = 3;
	twice[COUNT_REBOOTS] = 1;
	ends_put(twice, &b);
	CHECK(bytes_starts(b.p, b.len,
	    " panicked=3 reboots=1 truncated=12 truncated-inner=2 "));
	b.len = 0;
	ends_words(once, &b);
	CHECK_TEXT(b.p, b.len,
	    "a stack that goes backwards (1), memory that "
	    "cannot be read (2), unknown caller (1), "
	    "other reasons (2)");
	buf_done(&b);
	return unit_end();
}
