/* SPDX-License-Identifier: ISC */
/* Any bytes as instructions of each processor; a target needs its bits. */
#include "fuzz.h"
#include "decode/insn.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t n = 0; n <= 16 && n <= size; n++)
		for (int arch = INSN_X86; arch <= INSN_RISCV; arch++) {
			uint8_t *copy = xmalloc(n + 1);
			uint8_t *end = memcpy(copy + 1, data, n);
			struct insn x = insn_decode(
			    (enum insn_arch)arch, UINT64_MAX - n, end, n);

			if (x.direct && (x.bits == 0 || x.bits > 64))
				abort();
			free(copy);
		}
	return 0;
}
