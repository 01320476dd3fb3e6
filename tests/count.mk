# SPDX-License-Identifier: ISC
#
# Guests that execute known numbers of instructions: $(B)/guest/ARCH-count.elf,
# ARCH-extra.elf with one more in adds(), riscv64-pair.elf of two CPUs, and
# riscv64-tasks.elf of a kernel with one stack.

COUNT_ELF := $(foreach a,aarch64 riscv64 i386,$(B)/guest/$(a)-count.elf \
	$(B)/guest/$(a)-extra.elf) $(B)/guest/riscv64-pair.elf \
	$(B)/guest/riscv64-tasks.elf
tiny: $(COUNT_ELF)
# Floating point is off.
COUNT_aarch64 := -mgeneral-regs-only
COUNT_i386 := -mgeneral-regs-only
COUNT_riscv64 := -march=rv64imac_zicsr -mabi=lp64 -mno-relax

$(COUNT_ELF): $(B)/guest/%.elf: tests/guest/tiny/count.c \
		tests/guest/tiny/start.h tests/guest/tiny/turn.h tests/count.mk
	@mkdir -p $(@D)
	$(Q)$(TINY_PREFIX_$(firstword $(subst -, ,$*)))gcc $(TINY_CFLAGS) \
		$(TINY_cfi) $(COUNT_$(firstword $(subst -, ,$*))) \
		$(TINY_$(firstword $(subst -, ,$*))) \
		$(if $(findstring extra,$*),-DEXTRA) \
		$(if $(findstring pair,$*),-DPAIR -Wno-unused-function) \
		$(if $(findstring tasks,$*),-DTASKS -Wno-unused-function) -o $@ $<

# Calls the plugin as QEMU's versions of the interface do: $(B)/host-VERSION.
COUNT_HOSTS := $(foreach v,1 2 3 4 5 6 7,$(B)/host-$(v))
units hosts: $(COUNT_HOSTS)
$(COUNT_HOSTS): $(B)/host-%: tests/count/host.c cmd/kst-count/plugin/request.h
	$(Q)$(CC) -D_GNU_SOURCE -Icmd/kst-count -DAPI=$* $(ALL_CFLAGS) $(EXTRA_CFLAGS) \
		-rdynamic -o $@ $< -ldl

# The judge of counts, a plugin with one call an instruction.
tiny: $(B)/judge.so
$(B)/judge.so: tests/count/judge.c cmd/kst-count/qemu/api.h
	$(Q)$(CC) -D_GNU_SOURCE -Icmd/kst-count $(ALL_CFLAGS) -fPIC -fvisibility=hidden \
		-shared -o $@ $<

# The judge of calls, the same way.
tiny: $(B)/calls.so
$(B)/calls.so: tests/count/calls.c cmd/kst-count/qemu/api.h
	$(Q)$(CC) -D_GNU_SOURCE -Icmd/kst-count $(ALL_CFLAGS) -fPIC -fvisibility=hidden \
		-shared -o $@ $<

# Guests with threads that wait.
SLEEPERS_ELF := $(foreach a,aarch64 riscv64 i386,$(B)/guest/$(a)-sleepers.elf)
tiny: $(SLEEPERS_ELF)
$(SLEEPERS_ELF): $(B)/guest/%-sleepers.elf: tests/guest/tiny/sleepers.c \
		tests/guest/tiny/start.h tests/guest/tiny/turn.h tests/count.mk
	@mkdir -p $(@D)
	$(Q)$(TINY_PREFIX_$*)gcc $(TINY_CFLAGS) $(TINY_cfi) -g $(COUNT_$*) \
		$(TINY_$*) -o $@ $<

# One whose threads are kept as Zephyr's.
tiny: $(B)/guest/riscv64-zephyr.elf
$(B)/guest/riscv64-zephyr.elf: $(B)/guest/%-zephyr.elf: tests/guest/tiny/zephyr.c \
		tests/guest/tiny/start.h tests/count.mk
	$(Q)$(TINY_PREFIX_$*)gcc $(TINY_CFLAGS) $(TINY_cfi) -g $(COUNT_$*) \
		$(TINY_$*) -o $@ $<

# One whose processes are kept as those of xv6 for i386.
tiny: $(B)/guest/i386-xv6.elf
$(B)/guest/i386-xv6.elf: $(B)/guest/%-xv6.elf: tests/guest/tiny/xv6.c \
		tests/guest/tiny/start.h tests/guest/tiny/turn.h tests/count.mk
	$(Q)$(TINY_PREFIX_$*)gcc $(TINY_CFLAGS) $(TINY_cfi) -g $(COUNT_$*) \
		$(TINY_$*) -o $@ $<

# Guests that crash.
CRASH_ELF := $(foreach a,aarch64 riscv64 i386,$(B)/guest/$(a)-crash.elf)
tiny: $(CRASH_ELF)
$(CRASH_ELF): $(B)/guest/%-crash.elf: tests/guest/tiny/crash.c \
		tests/guest/tiny/start.h tests/count.mk
	$(Q)$(TINY_PREFIX_$*)gcc $(TINY_CFLAGS) $(TINY_cfi) $(COUNT_$*) \
		$(TINY_$*) -o $@ $<

# Guests for --coverage: what is counted is not optimised.
LINES_ELF := $(foreach a,aarch64 riscv64 i386,$(B)/guest/$(a)-lines.elf)
tiny: $(LINES_ELF)
$(LINES_ELF): $(B)/guest/%-lines.elf: tests/guest/tiny/lines.c \
		tests/guest/tiny/lines-top.c tests/guest/tiny/start.h tests/count.mk
	@mkdir -p $(@D)
	$(Q)$(TINY_PREFIX_$*)gcc $(TINY_CFLAGS) -O0 $(COUNT_$*) $(TINY_$*) \
		-o $@ $(filter %.c,$^)
# Its code, linked elsewhere.
tiny: $(B)/guest/moved-lines.elf
$(B)/guest/moved-lines.elf: $(B)/guest/riscv64-lines.elf
	$(Q)riscv64-linux-gnu-gcc $(TINY_CFLAGS) -O0 $(COUNT_riscv64) \
		$(subst 0x80000000,0x80400000,$(TINY_riscv64)) -o $@ \
		tests/guest/tiny/lines.c tests/guest/tiny/lines-top.c

# A guest that executes two programs, one after the other, at one place.
COUNT_PROGRAMS := $(B)/guest/riscv64-program-a $(B)/guest/riscv64-program-b
TIMES_a := 2
TIMES_b := 5
tiny: $(B)/guest/riscv64-programs.elf
$(COUNT_PROGRAMS:=.elf): $(B)/guest/riscv64-program-%.elf: \
		tests/guest/tiny/program.S tests/count.mk
	@mkdir -p $(@D)
	$(Q)riscv64-linux-gnu-gcc -nostdlib -static -no-pie -march=rv64im_zicsr_zifencei \
		-mabi=lp64 -DTIMES=$(TIMES_$*) '-DNAME(x)=x##_$*' -Wl,-e,0,-N \
		-Wl,--no-warn-rwx-segments,--build-id=none -Wl,--no-relax \
		-Wl,--section-start=.text=0x80100000 -o $@ $<
	$(Q)riscv64-linux-gnu-objcopy -O binary $@ $(@:.elf=.bin)
$(B)/guest/riscv64-programs.elf: tests/guest/tiny/programs.c \
		tests/guest/tiny/start.h tests/count.mk $(COUNT_PROGRAMS:=.elf)
	$(Q)riscv64-linux-gnu-gcc $(TINY_CFLAGS) $(TINY_cfi) \
		-march=rv64imac_zicsr_zifencei -mabi=lp64 -mno-relax $(TINY_riscv64) \
		-Wa,-I$(B)/guest -o $@ $<

# One with modules as Linux has them; the types of its structures are BTF.
tiny: $(B)/guest/riscv64-modules.elf
$(B)/guest/riscv64-modules.elf: tests/guest/tiny/modules.c tests/count.mk
	@mkdir -p $(@D)
	$(Q)riscv64-linux-gnu-gcc -O1 -gbtf -ffreestanding -fno-inline -fno-pic \
		-fno-tree-loop-distribute-patterns -march=rv64imac_zicsr_zifencei -mabi=lp64 -mno-relax \
		-mcmodel=medany -nostdlib -static -Wl,--build-id=none \
		-Wl,-Ttext=0x80000000 -o $@ $<

# One whose scheduler waits on a stack of its own.
SYSTEM_ELF := $(foreach a,riscv32 riscv64,$(B)/guest/$(a)-system.elf)
COUNT_riscv32 := -march=rv32imac_zicsr -mabi=ilp32 -mno-relax
tiny: $(SYSTEM_ELF)
$(SYSTEM_ELF): $(B)/guest/%-system.elf: tests/guest/tiny/system.c \
		tests/guest/tiny/start.h tests/count.mk
	$(Q)$(TINY_PREFIX_$*)gcc $(TINY_CFLAGS) $(TINY_cfi) -g $(TINY_$*) \
		$(COUNT_$*) -o $@ $<
