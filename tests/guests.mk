# SPDX-License-Identifier: ISC
#
# The test guest as cfi.elf with another number on CPU 0: $(B)/guest/cycleN.elf
# repeats its work each N milliseconds, shareN.elf is N % of its time in work_a,
# napN.elf sleeps N % of its time in work_c.

CYCLES := 1 4 10 100 1000
SHARES := 60 66

# guest_of NAME,MACRO
define guest_of
$(B)/guest/$(1)/%.o: $(GUEST_DIR)/work.c tests/guests.mk
	@mkdir -p $$(@D)
	$$(Q)$$(GUEST_CC) $$(GUEST_CFLAGS) $$(GUEST_FLAGS_cfi) -D$(2)=$$* -c -o $$@ $$<

$(B)/guest/$(1)%.elf: $(B)/guest/$(1)/%.o $(filter-out %/work.c.o, \
		$(GUEST_SRC:$(GUEST_DIR)/%=$(B)/guest/cfi/%.o)) \
		$(GUEST_DIR)/guest.ld
	$$(Q)$$(GUEST_CC) $$(GUEST_FLAGS_cfi) $$(GUEST_LDFLAGS) -o $$@.tmp \
		$$(filter %.o,$$^)
	@mv $$@.tmp $$@
endef
$(eval $(call guest_of,cycle,CYCLE_BUSY))
$(eval $(call guest_of,share,PERCENT_A))
$(eval $(call guest_of,nap,PERCENT_NAP))

.PHONY: bench-clock bench-verdict
guest: $(B)/guest/nap0.elf $(B)/guest/nap3.elf $(B)/guest/cycle100.elf $(B)/guest/cycle2000.elf
bench-clock: all guest tools $(CYCLES:%=$(B)/guest/cycle%.elf)
	B=$(B) sh tests/bench/clock
bench-verdict: all tools $(SHARES:%=$(B)/guest/share%.elf)
	B=$(B) sh tests/bench/verdict
