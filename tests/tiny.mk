# SPDX-License-Identifier: ISC
#
# One-CPU guests of other architectures for the unwinder's tests, with CFI and
# with frame pointers: $(B)/guest/ARCH-cfi.elf, ARCH-fp.elf.

# loongarch64: where there is a compiler, in Debian since 13.
TINY_ARCHS := aarch64 arm thumb riscv32 riscv64 i386 \
	$(if $(shell command -v loongarch64-linux-gnu-gcc),loongarch64)
TINY_ELF := $(foreach a,$(TINY_ARCHS),$(B)/guest/$(a)-cfi.elf \
	$(B)/guest/$(a)-fp.elf)
TINY_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Werror -ffreestanding \
	-nostdlib -static -fno-pic -no-pie -fno-stack-protector \
	-fno-optimize-sibling-calls -Wl,--build-id=none -Wl,-e,start -Wl,-N \
	-Wl,--no-warn-rwx-segments
TINY_cfi := -fomit-frame-pointer -fasynchronous-unwind-tables
TINY_fp := -fno-omit-frame-pointer -fno-asynchronous-unwind-tables \
	-fno-unwind-tables -g0
# Where QEMU's virt machines have memory, and riscv64 begins.
TINY_aarch64 := -Wl,-Ttext-segment=0x40200000
TINY_arm := -marm -march=armv7-a -mfloat-abi=soft \
	-Wl,-Ttext-segment=0x40200000,--defsym=__aeabi_unwind_cpp_pr0=0 \
	-Wl,--defsym=__aeabi_unwind_cpp_pr1=0
TINY_thumb := $(subst -marm,-mthumb,$(TINY_arm))
TINY_riscv32 := -march=rv32imac -mabi=ilp32 -mcmodel=medany \
	-Wl,-melf32lriscv,--section-start=.text=0x80000000
TINY_riscv64 := -mcmodel=medany -Wl,--section-start=.text=0x80000000
TINY_i386 := -m32 -Wl,-Ttext-segment=0x100000
TINY_loongarch64 := -Wl,-Ttext-segment=0x200000
TINY_PREFIX_i386 :=
$(foreach a,aarch64 riscv64 loongarch64,$(eval TINY_PREFIX_$(a) := $(a)-linux-gnu-))
TINY_PREFIX_arm := arm-linux-gnueabi-
TINY_PREFIX_thumb := arm-linux-gnueabi-
TINY_PREFIX_riscv32 := riscv64-linux-gnu-

tiny: $(TINY_ELF)

define tiny_rule
$(B)/guest/$(1)-$(2).elf: tests/guest/tiny/tiny.c tests/guest/tiny/start.h \
		tests/tiny.mk
	@mkdir -p $$(@D)
	$$(Q)$(TINY_PREFIX_$(1))gcc $(TINY_CFLAGS) $(TINY_$(2)) $(TINY_$(1)) \
		-o $$@.tmp $$<
	$(if $(filter fp,$(2)),@$(TINY_PREFIX_$(1))objcopy -R .eh_frame $$@.tmp)
	@mv $$@.tmp $$@
endef
$(foreach a,$(TINY_ARCHS),$(foreach v,cfi fp,\
	$(eval $(call tiny_rule,$(a),$(v)))))

# Under the firmware that QEMU brings, which begins what follows it in memory.
tiny: $(B)/guest/riscv64-sbi.elf

$(B)/guest/riscv64-sbi.elf: tests/guest/tiny/sbi.c tests/guest/tiny/start.h \
		tests/tiny.mk
	@mkdir -p $(@D)
	$(Q)riscv64-linux-gnu-gcc $(TINY_CFLAGS) $(TINY_cfi) -mcmodel=medany \
		-Wl,--section-start=.text=0x80200000 -o $@.tmp $<
	@mv $@.tmp $@

# A Cortex-M, whose vectors are at 0.
tiny: $(B)/guest/cortex-m.elf

$(B)/guest/cortex-m.elf: tests/guest/tiny/handler.c tests/tiny.mk
	@mkdir -p $(@D)
	$(Q)arm-linux-gnueabi-gcc $(TINY_CFLAGS) $(TINY_fp) -mthumb \
		-march=armv7-m -mfloat-abi=soft -Wl,-Ttext=0 \
		-Wl,-Tdata=0x20000000 -o $@.tmp $<
	@mv $@.tmp $@

# With page tables of 2 to 5 levels.
PAGED := $(B)/guest/riscv32-paged2.elf \
	$(foreach n,3 4 5,$(B)/guest/riscv64-paged$(n).elf)
tiny: $(PAGED)

$(PAGED): tests/guest/tiny/paged.c tests/guest/tiny/start.h tests/tiny.mk
	@mkdir -p $(@D)
	$(Q)riscv64-linux-gnu-gcc $(TINY_CFLAGS) $(TINY_cfi) \
		$(TINY_$(firstword $(subst -, ,$(@F)))) \
		-DLEVELS=$(patsubst %.elf,%,$(lastword $(subst -paged, ,$(@F)))) \
		-o $@.tmp $<
	@mv $@.tmp $@

# In machine mode, the kernel and its program, which is elsewhere in memory.
MACHINE_PLACE := 0x80400000
TINY_machine := -march=rv32imac_zicsr_zifencei -mabi=ilp32 -mcmodel=medany \
	-Wl,-melf32lriscv -Wa,-I$(B)/guest -DPLACE=$(MACHINE_PLACE)
tiny: $(B)/guest/riscv32-machine.elf

$(B)/guest/riscv32-machine.elf: tests/guest/tiny/machine.c \
		tests/guest/tiny/machine-program.c tests/guest/tiny/start.h \
		tests/tiny.mk
	@mkdir -p $(@D)
	$(Q)riscv64-linux-gnu-gcc $(TINY_CFLAGS) $(TINY_cfi) $(TINY_machine) \
		-Wl,--section-start=.text=$(MACHINE_PLACE) -Wl,-z,norelro \
		-o $(@:.elf=-program.elf) tests/guest/tiny/machine-program.c
	$(Q)riscv64-linux-gnu-objcopy -O binary $(@:.elf=-program.elf) \
		$(@:.elf=-program.bin)
	$(Q)riscv64-linux-gnu-gcc $(TINY_CFLAGS) $(TINY_cfi) $(TINY_machine) \
		-Wl,--section-start=.text=0x80000000 -o $@.tmp $<
	@mv $@.tmp $@

# As it boots: the firmware's stub holds the other three CPUs.
tiny: $(B)/guest/raspi.img

$(B)/guest/raspi.img: tests/guest/tiny/tiny.c tests/guest/tiny/start.h tests/tiny.mk
	@mkdir -p $(@D)
	$(Q)aarch64-linux-gnu-gcc $(TINY_CFLAGS) $(TINY_fp) -Wl,-Ttext=0x80000 \
		-o $(@:.img=.elf) $<
	$(Q)aarch64-linux-gnu-objcopy -O binary $(@:.img=.elf) $@
