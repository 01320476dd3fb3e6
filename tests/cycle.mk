# SPDX-License-Identifier: ISC
#
# $(B)/guest/cycleN.elf: the test guest as cfi.elf, with another cycle of N
# milliseconds on CPU 0, for tests of when samples are taken.

CYCLES := 1 4 10 100 1000

$(B)/guest/cycle/%.o: $(GUEST_DIR)/work.c tests/cycle.mk
	@mkdir -p $(@D)
	$(Q)$(GUEST_CC) $(GUEST_CFLAGS) $(GUEST_FLAGS_cfi) -DCYCLE_BUSY=$* -c -o $@ $<

$(B)/guest/cycle%.elf: $(B)/guest/cycle/%.o $(filter-out %/work.c.o, \
		$(GUEST_SRC:$(GUEST_DIR)/%=$(B)/guest/cfi/%.o)) \
		$(GUEST_DIR)/guest.ld
	$(Q)$(GUEST_CC) $(GUEST_FLAGS_cfi) $(GUEST_LDFLAGS) -o $@.tmp \
		$(filter %.o,$^)
	@mv $@.tmp $@

.PHONY: bench-clock
guest: $(B)/guest/cycle100.elf
bench-clock: all guest tools $(CYCLES:%=$(B)/guest/cycle%.elf)
	B=$(B) sh tests/bench/clock
