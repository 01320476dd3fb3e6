# SPDX-License-Identifier: ISC
#
# Builds the test guest, one ELF a variant, under $(B)/guest/. Works on its own
# (make -f tests/guest/guest.mk) and included by the top Makefile.

B ?= build
GUEST_CC ?= gcc
GUEST_OBJCOPY ?= objcopy

GUEST_DIR := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
GUEST_SRC := $(wildcard $(GUEST_DIR)/*.S $(GUEST_DIR)/*.c)
GUEST_VARIANTS := fp fpleaf cfi debugframe
GUEST_ELF := $(GUEST_VARIANTS:%=$(B)/guest/%.elf)

GUEST_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Werror -ffreestanding \
	-nostdinc -fno-pic -fno-stack-protector -fcf-protection=none \
	-fno-optimize-sibling-calls -mcmodel=kernel -mno-red-zone \
	-mgeneral-regs-only
GUEST_LDFLAGS := -static -no-pie -nostdlib -Wl,--build-id=sha1 \
	-Wl,-z,max-page-size=4096 -Wl,-z,noexecstack \
	-Wl,--no-warn-rwx-segments -T $(GUEST_DIR)/guest.ld

# fp: frame pointers everywhere, set up by the first instructions where gdb looks
# for them, and no CFI of any kind (see the objcopy below).
GUEST_FLAGS_fp := -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
	-fno-schedule-insns2 -fno-shrink-wrap \
	-fno-asynchronous-unwind-tables -DCFI_DEBUG_FRAME
# fpleaf: the same, but the leaf where the time goes has no frame.
GUEST_FLAGS_fpleaf := $(GUEST_FLAGS_fp) -DFRAMELESS_LEAF
# cfi: no frame pointers, unwound by .eh_frame.
GUEST_FLAGS_cfi := -fomit-frame-pointer -fasynchronous-unwind-tables \
	-Wl,--eh-frame-hdr
# debugframe: no frame pointers, unwound by .debug_frame alone.
GUEST_FLAGS_debugframe := -fomit-frame-pointer \
	-fno-asynchronous-unwind-tables -DCFI_DEBUG_FRAME

.PHONY: guest
guest: $(GUEST_ELF)

define guest_rule
$(B)/guest/$(1)/%.c.o: $(GUEST_DIR)/%.c
	@mkdir -p $$(@D)
	$$(Q)$(GUEST_CC) $(GUEST_CFLAGS) $(GUEST_FLAGS_$(1)) -MMD -MP -c -o $$@ $$<

$(B)/guest/$(1)/%.S.o: $(GUEST_DIR)/%.S
	@mkdir -p $$(@D)
	$$(Q)$(GUEST_CC) $(GUEST_CFLAGS) $(GUEST_FLAGS_$(1)) -MMD -MP -c -o $$@ $$<

$(B)/guest/$(1).elf: $(GUEST_SRC:$(GUEST_DIR)/%=$(B)/guest/$(1)/%.o) \
		$(GUEST_DIR)/guest.ld $(GUEST_DIR)/guest.mk
	$$(Q)$(GUEST_CC) $(GUEST_FLAGS_$(1)) $(GUEST_LDFLAGS) -o $$@.tmp \
		$$(filter %.o,$$^)
	$(if $(filter fp%,$(1)),@$(GUEST_OBJCOPY) -R .debug_frame $$@.tmp)
	@mv $$@.tmp $$@

-include $$(wildcard $(B)/guest/$(1)/*.d)
endef
$(foreach v,$(GUEST_VARIANTS),$(eval $(call guest_rule,$(v))))
