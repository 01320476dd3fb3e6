# SPDX-License-Identifier: ISC
#
# Guests that boot in two phases of known length, by their own clock, and power
# off: $(B)/guest/boot.elf, which is the test guest, late.elf, which does not leave
# the second one before a sampler has come, ARCH-boot.elf, and riscv64-brief.elf, whose
# phases take a tenth of that.

BOOT_ELF := $(B)/guest/boot.elf $(B)/guest/late.elf
BOOT_boot := 100
BOOT_late := 200000

$(BOOT_ELF:%.elf=%/main.o): $(B)/guest/%/main.o: $(GUEST_DIR)/main.c tests/boot.mk
	@mkdir -p $(@D)
	$(Q)$(GUEST_CC) $(GUEST_CFLAGS) $(GUEST_FLAGS_cfi) \
		-DBOOT_PHASES=$(BOOT_$*) -c -o $@ $<

$(BOOT_ELF): %.elf: %/main.o $(filter-out %/main.c.o, \
		$(GUEST_SRC:$(GUEST_DIR)/%=$(B)/guest/cfi/%.o)) \
		$(GUEST_DIR)/guest.ld
	$(Q)$(GUEST_CC) $(GUEST_FLAGS_cfi) $(GUEST_LDFLAGS) -o $@.tmp \
		$(filter %.o,$^)
	@mv $@.tmp $@

guest: $(BOOT_ELF)
tiny: $(B)/guest/aarch64-boot.elf $(B)/guest/riscv64-boot.elf $(B)/guest/riscv64-brief.elf

BOOT_DEPS := tests/guest/tiny/boot.c tests/guest/tiny/start.h tests/boot.mk
define make_boot
@mkdir -p $(@D)
$(Q)$*-linux-gnu-gcc $(TINY_CFLAGS) $(TINY_cfi) $(TINY_$*) $(DIVISOR) -o $@.tmp $<
@mv $@.tmp $@
endef

$(B)/guest/%-boot.elf: $(BOOT_DEPS)
	$(make_boot)

$(B)/guest/%-brief.elf: DIVISOR := -DDIVISOR=10
$(B)/guest/%-brief.elf: $(BOOT_DEPS)
	$(make_boot)

# A kernel of the upper half that begins at its physical address: as multiboot
# starts it, and PVH.
HIGH_CFLAGS = $(TINY_CFLAGS) $(TINY_cfi) -fcf-protection=none \
	-Wl,-e,entry,-T,tests/guest/tiny/high.ld
HIGH_i386 := -m32 -Wl,--defsym=BASE=0x80000000
HIGH_x86_64 := -mcmodel=kernel -mno-red-zone -mgeneral-regs-only \
	-Wl,--defsym=BASE=0xffffffff80000000
HIGH_away := -DAWAY=0xffffffff81000000 -DEARLY_MS=1 -DLATE_MS=1 \
	-mno-red-zone -mgeneral-regs-only -Wl,--defsym=BASE=0
tiny: $(B)/guest/i386-high.elf $(B)/guest/x86_64-high.elf \
	$(B)/guest/away-high.elf

$(B)/guest/%-high.elf: tests/guest/tiny/high.c tests/guest/tiny/high.ld \
		tests/boot.mk
	@mkdir -p $(@D)
	$(Q)$(GUEST_CC) $(HIGH_CFLAGS) $(HIGH_$*) -o $@.tmp $<
	@mv $@.tmp $@
