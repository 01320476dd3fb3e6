# SPDX-License-Identifier: ISC
$(B)/fuzz/uftrace: $(patsubst %,$(B)/cmd/kst-uftrace/%.o,dat data elfs emit \
	merge module perf spec syms tasks value)
