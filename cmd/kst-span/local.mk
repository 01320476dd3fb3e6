# SPDX-License-Identifier: ISC
$(B)/fuzz/span: $(patsubst %,$(B)/cmd/kst-span/%.o,fast fold hist list pair \
	summary tree)
