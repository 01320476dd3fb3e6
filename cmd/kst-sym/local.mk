# SPDX-License-Identifier: ISC
$(B)/fuzz/sym: $(patsubst %,$(B)/cmd/kst-sym/%.o,folded_sym sym trace_sym)
