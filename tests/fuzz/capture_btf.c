/* SPDX-License-Identifier: ISC */
/* Types of a kernel's file. */
#include "linux/btf.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct btf b;

	fuzz_quiet();
	if (btf_open(&b, data, size) != 0)
		return 0;
	btf_member(&b, "mm_struct.mm_mt+maple_tree.ma_root");
	btf_member(&b, "task_struct.self_exec_id");
	btf_close(&b);
	return 0;
}
