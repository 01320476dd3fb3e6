# SPDX-License-Identifier: ISC
# pprof's messages: protobuf-c makes C of them.

PPROF = $(B)/gen/pprof.pb-c

$(PPROF).c: common/text/pprof.proto
	@mkdir -p $(@D)
	$(Q)protoc-c --c_out=$(@D) -I$(<D) $<

$(PPROF).h: $(PPROF).c ;

$(PPROF).o: $(PPROF).c
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -w $(EXTRA_CFLAGS) -c -o $@ $<

$(B)/cmd/kst-export/pprof.o $(B)/cmd/kst-import/pprof.o: | $(PPROF).h
$(B)/kst-export $(B)/kst-import $(B)/fuzz/export $(B)/fuzz/import: $(PPROF).o
