# SPDX-License-Identifier: ISC
$(B)/fuzz/json: $(patsubst %,$(B)/cmd/kst-json/%.o,capture collect json osdk)
