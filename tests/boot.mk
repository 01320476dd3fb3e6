# SPDX-License-Identifier: ISC
#
# Guests that boot in two phases of known length, by their own clock, and power
# off: $(B)/guest/boot.elf, which is the test guest, and ARCH-boot.elf.

BOOT_OBJ := $(B)/guest/boot/main.o $(filter-out %/main.c.o, \
	$(GUEST_SRC:$(GUEST_DIR)/%=$(B)/guest/cfi/%.o))

$(B)/guest/boot/main.o: $(GUEST_DIR)/main.c tests/boot.mk
	@mkdir -p $(@D)
	$(Q)$(GUEST_CC) $(GUEST_CFLAGS) $(GUEST_FLAGS_cfi) -DBOOT_PHASES -c -o $@ $<

$(B)/guest/boot.elf: $(BOOT_OBJ) $(GUEST_DIR)/guest.ld
	$(Q)$(GUEST_CC) $(GUEST_FLAGS_cfi) $(GUEST_LDFLAGS) -o $@.tmp \
		$(filter %.o,$^)
	@mv $@.tmp $@

guest: $(B)/guest/boot.elf
tiny: $(B)/guest/aarch64-boot.elf $(B)/guest/riscv64-boot.elf

$(B)/guest/%-boot.elf: tests/guest/tiny/boot.c tests/guest/tiny/start.h tests/boot.mk
	@mkdir -p $(@D)
	$(Q)$*-linux-gnu-gcc $(TINY_CFLAGS) $(TINY_cfi) $(TINY_$*) -o $@.tmp $<
	@mv $@.tmp $@
