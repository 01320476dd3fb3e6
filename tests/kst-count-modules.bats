#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# slow
# needs: tiny

# Functions of Linux' modules, of a guest that has them in its memory.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	export TMPDIR=$PWD
	PATH="$B:$PATH"
	elf=$B/guest/riscv64-modules.elf
	qemu=(qemu-system-riscv64 -M virt -bios none -display none -serial none
		-monitor none -nic none)
}

# counted [OPTION ...]: of the guest, into `out`.
counted() {
	timeout 1000 kst-count "$@" -- "${qemu[@]}" -kernel "$elf" >out 2>err
}

# What all that a module's code did is.
all_of() {
	cat <<-'END'
		CPU#0;_start;main;hostile;run;a:b ?[31m?c [e_v___________] 12
		CPU#0;_start;main;hostile;run;a:b ?[31m?c [e_v___________];inner [e_v___________] 42
		CPU#0;_start;main;ordinary;run;begin [ext9] 6
		CPU#0;_start;main;ordinary;run;begin [ext9];begin [ext9] 21
		CPU#0;_start;main;ordinary;run;outer [ext9] 60
		CPU#0;_start;main;ordinary;run;outer [ext9];inner [ext9] 210
		CPU#0;_start;main;other;run;second [ext8] 30
		CPU#0;_start;main;other;run;second [ext8];third [ext8] 105
		CPU#0;_start;main;other;run;start [ext8] 6
		CPU#0;_start;main;other;run;start [ext8];start [ext8] 21
	END
}

@test "modules come and go, and hostile ones do no harm" {
	counted
	grep -F '[e' out >named
	diff named <(all_of)
	# what is in no list, or in one that cannot be read, has its address
	grep -q '^CPU#0;_start;main;hostile;run;0x80b02000 2$' out
	# which function each instruction is of, by its address
	counted --addresses --what calls -e "$elf"
	run ! grep -q ";0xffff" out
	grep -q ';0x80800008 in outer \[ext9\];0x80800040 in inner \[ext9\] 10$' out
	grep -q ';0x80800008 in second \[ext8\];0x80800040 in third \[ext8\] 5$' out
}

@test "a kernel that only QEMU knows has modules, too" {
	mkdir kernels
	cp "$elf" kernels/one
	timeout 1000 kst-count -- sh -c 'cd kernels; n=one; exec "$@" -kernel $n' \
		sh "${qemu[@]}" >out 2>err
	grep -F '[e' out >named
	diff named <(all_of)
}

@test "functions of modules begin and end a count, and are traced" {
	counted --from 'start [ext8]' --until 'third [ext8]'
	grep -q ': ended at third \[ext8\] after ' err
	grep -q ': CPU#0: third \[ext8\] < second \[ext8\] < run < other < main' err
	grep -qF 'start [ext8] 21' out
	run ! grep -F "[ext9]" out
	counted --in 'outer [ext9]'
	[ "$(grep -c ';run;outer \[ext9\]' out)" = "$(grep -c '^CPU' out)" ]
	counted --trace --only 'inner [ext9]' --only 'third [ext8]'
	[ "$(grep -c 'B	inner \[ext9\]$' out)" = 10 ]
	[ "$(grep -c 'B	third \[ext8\]$' out)" = 5 ]
	counted --trace --in 'second [ext8]'
	[ "$(grep -c 'B	second \[ext8\]$' out)" = 5 ]
	[ "$(grep -c 'B	' out)" = 10 ]
}

@test "a function that no module has never comes; one of a kernel without types is refused" {
	run -1 counted --in 'nothing [ext8]'
	grep -q -- '--in: nothing \[ext8\] never came' err
	riscv64-linux-gnu-objcopy -R .BTF "$elf" plain.elf
	elf=plain.elf
	run -2 counted --in 'outer [ext9]'
	grep -q "no function 'outer \[ext9\]'" err
}

@test "the process that reads modules is killed: a message, and status 4" {
	# it is a child of the first process, of whose child the command is one
	run -4 kst-count -- bash -c 'first=$(ps -o ppid= -p $PPID)
		kill -9 $(pgrep -x kst-modules -P $((first))) && exec "$@"' \
		bash "${qemu[@]}" -kernel "$elf"
	[[ $output == *'the process that reads modules has ended early: their functions have only addresses'* ]]
	[[ $output == *'CPU#0;_start;main;ordinary;run;0x'* ]]
	[[ $output != *'[ext9]'* ]]
}
