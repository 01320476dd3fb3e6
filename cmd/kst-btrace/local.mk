# SPDX-License-Identifier: ISC
$(B)/fuzz/btrace: $(patsubst %,$(B)/cmd/kst-btrace/%.o,bcc formats gather \
	json key lines own stacks)
