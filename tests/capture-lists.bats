#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# slow
# needs: tiny
# Threads of small kernels, where an OS file says that they are: in a list, in a
# chain, in a table of pointers, by the names that the kernel's DWARF has.

. "$BATS_TEST_DIRNAME/guest.bash"

setup() {
	D=$BATS_TEST_TMPDIR
	PATH="$B:$PATH"
}

teardown() {
	end_guest
}

boot_sleepers() {
	case $1 in
	aarch64) set -- "$1" qemu-system-aarch64 -M virt -cpu cortex-a57 ;;
	riscv64) set -- "$1" qemu-system-riscv64 -M virt -bios none ;;
	i386) set -- "$1" qemu-system-i386 ;;
	esac
	ELF=$B/guest/$1-sleepers.elf
	shift
	"$@" -display none -serial none -monitor none -kernel "$ELF" \
		-chardev "socket,path=$D/gdb,server=on,wait=off,id=g" -gdb chardev:g 3>&- &
	qemu=$!
	until [ -S "$D/gdb" ]; do sleep 0.1; done
	sleep 1
}

# tells LINE...: an OS file that has these lines.
tells() {
	printf '%s\n' 'root top' 'root reader' 'root writer' 'root helper' \
		'threads name thread.name' 'threads number thread.number' \
		'threads saved thread_t.sp' \
		'threads registers pc frame.pc sp &frame fp frame.fp' "$@" >"$D/os"
}

# What the OS file tells of the guest, in the order of numbers.
look() {
	kst-capture -q -r "$D/gdb" -e "$ELF" --threads all --os "$D/os" -n 1 \
		>"$D/out" 2>"$D/err" || { cat "$D/err"; return 1; }
	kst-threads --brief "$D/out" | sort -k 2
}

@test "threads in a list, a chain, a table and an array, on three processors" {
	cat >"$D/want" <<-'EOF'
	CPU#0 [running]: busy < top
	reader 101 [waiting]: go_to < sleep_on < read_disk < reader
	helper 103 [ready]: go_to < sleep_on < yield < helper
	writer <w> 102 [waiting]: go_to < sleep_on < write_log < writer
	EOF
	sort -k 2 -o "$D/want" "$D/want"
	for arch in aarch64 riscv64 i386; do
		boot_sleepers "$arch"
		tells 'threads state thread.state 4=waiting 9=ready' \
			'threads list all.next thread.in_list.next thread.in_list'
		look | diff - "$D/want"
		grep -q 'truncated=0' "$D/out"
		tells 'threads state thread.state SLEEPS=waiting READY=ready NOT_HERE=disk' \
			'threads list first thread.following'
		look | diff - "$D/want"
		tells 'threads state thread.state 4=waiting 9=ready' \
			'threads pointers table table_len'
		look | diff - "$D/want"
		tells 'threads state thread.state 4=waiting 9=ready' \
			'threads array threads 0 thread'
		look | diff - "$D/want"
		tells 'threads state thread.state 4=waiting 9=ready 1=ready' \
			'threads array threads 4 thread_t' 'threads current current'
		look | diff - "$D/want"
		end_guest
		wait
		rm -f "$D/gdb"
	done
}

@test "threads whose state is the list that they are on" {
	cat >"$D/want" <<-'EOF'
	CPU#0 [running]: busy < top
	reader 101 [waiting]: go_to < sleep_on < read_disk < reader
	helper 103 [ready]: go_to < sleep_on < yield < helper
	writer <w> 102 [ready]: go_to < sleep_on < write_log < writer
	EOF
	sort -k 2 -o "$D/want" "$D/want"
	for arch in aarch64 riscv64 i386; do
		boot_sleepers "$arch"
		set -- 'threads current current' \
			'threads list woken.ends.next thread.in_woken.next thread.in_woken =ready'
		# an array of lists, of which each thread tells its state
		tells "$@" 'threads state thread.state SLEEPS=waiting READY=ready RUNS=ready' \
			'threads list queues.ends.next thread.in_queue.next thread.in_queue'
		look | diff - "$D/want"
		# two lists, and one that the kernel does not have
		tells "$@" 'threads list lost.ends.next thread.in_queue.next thread.in_queue =disk' \
			'threads list queues.ends.next thread.in_queue.next thread.in_queue =waiting'
		look | diff - <(sed 's/helper 103 .ready./helper 103 [waiting]/' "$D/want" | sort -k 2)
		grep -q "threads are not read from lost.ends.next: the kernel's file does not have it" "$D/err"
		# members in words of a pointer
		tells "$@" 'threads list queues.ends.next 4w 3w =waiting'
		sed -i '/^threads list woken/d' "$D/os"
		look | diff - <(sed 's/\[ready\]/[waiting]/' "$D/want" | sort -k 2)
		end_guest
		wait
		rm -f "$D/gdb"
	done
}

@test "a list in a ring without its head, and names that the kernel's file lacks" {
	boot_sleepers riscv64
	tells 'threads state thread.state 4=waiting' 'threads list first thread.self'
	look | diff - <(echo 'CPU#0 [running]: busy < top')
	grep -q "1 samples lack the threads that were not on a CPU" "$D/err"
	tells 'threads state thread.condition 4=waiting' 'threads list first thread.self'
	run look
	[ "$status" = 1 ]
	grep -q "the kernel's file has no thread.condition, which the OS file names" "$D/err"
	tells 'threads state thread.state 4=waiting' 'threads list last thread.self'
	run look
	[ "$status" = 1 ]
	grep -q "the kernel's file has no last, which the OS file names" "$D/err"
	tells 'threads state thread.state 4=waiting' 'threads list first ..'
	run look
	[ "$status" = 1 ]
	grep -q "$D/os:10: not where threads can be" "$D/err"
}
