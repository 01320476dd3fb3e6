# SPDX-License-Identifier: ISC
#
# The test guest with processes: $(B)/guest/user.elf, and the program files that
# they run in $(B)/guest/bin/.

USER_DIR := tests/guest/user
USER_BIN := $(B)/guest/bin/shell $(B)/guest/bin/counter
USER_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Werror -ffreestanding \
	-nostdinc -fno-pic -fno-stack-protector -fcf-protection=none \
	-fno-optimize-sibling-calls -fomit-frame-pointer \
	-fasynchronous-unwind-tables -mgeneral-regs-only
USER_OBJ := $(GUEST_SRC:$(GUEST_DIR)/%=$(B)/guest/user/%.o) \
	$(B)/guest/user/user/process.c.o $(B)/guest/user/user/syscall.S.o

guest: $(B)/guest/user.elf

$(B)/guest/bin/%: $(USER_DIR)/%.c $(USER_DIR)/start.S $(USER_DIR)/user.h \
		tests/user.mk
	@mkdir -p $(@D)
	$(Q)$(GUEST_CC) $(USER_CFLAGS) -nostdlib -static -no-pie -Wl,--build-id=sha1 \
		-Wl,-z,noexecstack -Wl,-Ttext-segment=0x400000 -o $@ \
		$(USER_DIR)/start.S $<

$(B)/guest/user/%.c.o: $(GUEST_DIR)/%.c
	@mkdir -p $(@D)
	$(Q)$(GUEST_CC) $(GUEST_CFLAGS) $(GUEST_FLAGS_cfi) -DUSER_MODE \
		-MMD -MP -c -o $@ $<

$(B)/guest/user/%.S.o: $(GUEST_DIR)/%.S $(USER_BIN)
	@mkdir -p $(@D)
	$(Q)$(GUEST_CC) $(GUEST_CFLAGS) $(GUEST_FLAGS_cfi) -DUSER_MODE \
		-DSHELL_ELF='"$(B)/guest/bin/shell"' \
		-DCOUNTER_ELF='"$(B)/guest/bin/counter"' -MMD -MP -c -o $@ $<

$(B)/guest/user.elf: $(USER_OBJ) $(GUEST_DIR)/guest.ld tests/user.mk
	$(Q)$(GUEST_CC) $(GUEST_FLAGS_cfi) $(GUEST_LDFLAGS) -o $@.tmp \
		$(filter %.o,$^)
	@mv $@.tmp $@

-include $(wildcard $(B)/guest/user/*.d $(B)/guest/user/user/*.d)
