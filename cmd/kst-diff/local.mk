# SPDX-License-Identifier: ISC
$(B)/fuzz/diff: $(patsubst %,$(B)/cmd/kst-diff/%.o,boot data gate measure show \
	side)
