# SPDX-License-Identifier: ISC
$(B)/fuzz/osv: $(patsubst %,$(B)/cmd/kst-osv/%.o,args emit errname pairing \
	record select stacks tps tracefile tracks)
