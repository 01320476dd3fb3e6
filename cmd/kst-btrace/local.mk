# SPDX-License-Identifier: ISC
$(B)/fuzz/btrace: $(patsubst %,$(B)/cmd/kst-btrace/%.o,gather key lines own \
	stacks)
