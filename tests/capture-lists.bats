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
	shows busy "$D/gdb"
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
		kst-threads -r "$D/gdb" -e "$ELF" --os "$D/os" --brief 2>"$D/err" |
			sort -k 2 | diff - "$D/want"
		tells 'threads state thread.state 4=waiting 9=ready 1=ready' \
			'threads array threads 4 thread_t' 'threads current current'
		look | diff - "$D/want"
		# as many pointers as the table has; names by pointers, of which one is 0
		tells 'threads state thread.state 4=waiting 9=ready' \
			'threads name *thread.label' 'threads pointers table 0'
		sed 's/writer <w> 102/pid 102/' "$D/want" | sort -k 2 >"$D/names"
		look | sort -k 2 | diff - "$D/names"
		# a structure without names
		tells 'threads state thread.state 4=waiting 9=ready' \
			'threads name thread.nothing' 'threads pointers table 0'
		sed -E 's/^[a-z].* (10[0-9]) /pid \1 /' "$D/want" | sort -k 2 >"$D/names"
		look | sort -k 2 | diff - "$D/names"
		grep -qx 'kst-capture: this kernel has no thread.nothing: threads are shown by their numbers' "$D/err"
		# who has the lock that one waits for, below the function that waits
		tells 'threads state thread.state 4=waiting 9=ready 1=ready' \
			'threads lock thread.mutex mutex.owner read_disk' \
			'threads array threads 4 thread_t' 'threads current current'
		sed 's/go_to < sleep_on < read_disk/[lock of pid 102, writer <w>] < &/' \
			"$D/want" | sort -k 2 >"$D/lock"
		look | diff - "$D/lock"
		# a number that no thread has
		tells 'threads state thread.state 4=waiting 9=ready 1=ready' \
			'threads lock thread.mutex mutex.locked read_disk' \
			'threads array threads 4 thread_t' 'threads current current'
		look >"$D/out.ended"
		grep -qF '[lock of pid 1, which has ended] < go_to < sleep_on' "$D/out.ended"
		# a kernel whose locks do not tell
		tells 'threads state thread.state 4=waiting 9=ready 1=ready' \
			'threads lock thread.mutex mutex.pid read_disk' \
			'threads array threads 4 thread_t' 'threads current current'
		look | diff - "$D/want"
		grep -q "who has a lock is not shown: the kernel's file has no mutex.pid" "$D/err"
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
		grep -qx "kst-capture: this kernel has no list lost.ends.next: threads are read from its others" "$D/err"
		# where it has none, only why
		tells 'threads list lost.ends.next thread.in_queue.next thread.in_queue =disk' \
			'threads list gone.ends.next thread.in_queue.next thread.in_queue =waiting'
		run look
		[ "$status" = 1 ]
		[ "$(grep -c 'this kernel has no list' "$D/err")" = 0 ]
		grep -q "the kernel's file has no [a-z]*.ends.next" "$D/err"
		# members in words of a pointer
		tells "$@" 'threads list queues.ends.next 4w 3w =waiting'
		sed -i '/^threads list woken/d' "$D/os"
		look | diff - <(sed 's/\[ready\]/[waiting]/' "$D/want" | sort -k 2)
		end_guest
		wait
		rm -f "$D/gdb"
	done
}

@test "Zephyr's threads, by the names of its structures" {
	ELF=$B/guest/riscv64-zephyr.elf
	qemu-system-riscv64 -M virt -bios none -display none -serial none -monitor none \
		-kernel "$ELF" -chardev "socket,path=$D/gdb,server=on,wait=off,id=g" \
		-gdb chardev:g 3>&- &
	qemu=$!
	shows busy "$D/gdb"
	kst-threads -r "$D/gdb" -e "$ELF" --brief >"$D/out" 2>"$D/err"
	cat "$D/out" "$D/err"
	sort -k 2 "$D/out" | diff - <(sort -k 2 <<-'EOF'
	CPU#0 [running]: busy < top < start
	a thread of a l 4 [waiting]: do_swap < k_sem_take < z_thread_entry
	log 2 [stopped]: do_swap < k_msgq_get < z_thread_entry
	sensor 5 [waiting]: do_swap < k_sleep < z_thread_entry
	shell 3 [ready]: do_swap < k_yield < z_thread_entry
	EOF
	)
	[ "$(grep -c truncated "$D/out")" = 0 ]
	# a capture without them says that they can be had; one by a file that does not
	# know this kernel's does not
	kst-capture -q -r "$D/gdb" -e "$ELF" -n 1 >"$D/out"
	[ "$(grep -c '^\[kst-capture-info .* threads=known' "$D/out")" = 1 ]
	kst-capture -q -r "$D/gdb" -e "$ELF" --os none -n 1 >"$D/out"
	[ "$(grep -c threads=known "$D/out")" = 0 ]
}

@test "xv6's processes on i386, and who has the sleeping locks they wait for" {
	ELF=$B/guest/i386-xv6.elf
	qemu-system-i386 -display none -serial none -monitor none -kernel "$ELF" \
		-chardev "socket,path=$D/gdb,server=on,wait=off,id=g" -gdb chardev:g 3>&- &
	qemu=$!
	shows nobody "$D/gdb"
	kst-threads -r "$D/gdb" -e "$ELF" --brief >"$D/out" 2>"$D/err"
	cat "$D/out" "$D/err"
	grep -q '^CPU#0 \[idle\]: .*scheduler < mpmain < main$' "$D/out"
	lock='sched < sleep < acquiresleep < ilock < forkret'
	diff <(sed 1d "$D/out" | sort) - <<-EOF
	2 threads [waiting]: rotate 3, cat 5: [lock of pid 4, rotate] < $lock
	init 1 [waiting]: sched < sleep < wait < forkret
	itself 6 [waiting]: [lock of pid 6, itself] < $lock
	rotate 4 [waiting]: [lock of pid 3, rotate] < $lock
	EOF
	diff "$D/err" - <<-'EOF'
	kst-threads: deadlock: pid 3 (rotate) waits for a lock of pid 4 (rotate), which waits for one of pid 3
	kst-threads: deadlock: pid 6 (itself) waits for a lock that it has itself
	EOF
	# with lines: of the guest, and of a capture that has none
	calls=$(grep -n '	acquiresleep(l);' "$BATS_TEST_DIRNAME/guest/tiny/xv6.c")
	calls="ilock at [^ ]*xv6.c:${calls%%:*} < forkret at [^ ]*xv6.c:[0-9]*"
	kst-threads -r "$D/gdb" -e "$ELF" --brief --lines >"$D/out" 2>"$D/lines.err"
	[ "$(grep -c "< $calls$" "$D/out")" = 3 ]
	[ "$(grep -c ' at ' "$D/out")" = "$(wc -l <"$D/out")" ]
	cmp "$D/err" "$D/lines.err"
	kst-capture -q -r "$D/gdb" -e "$ELF" --threads all -n 1 >"$D/cap"
	kst-threads -e "$ELF" --brief -l "$D/cap" >"$D/out" 2>"$D/lines.err"
	[ "$(grep -c "< $calls$" "$D/out")" = 3 ]
	cmp "$D/err" "$D/lines.err"
	kst-threads -e "$ELF" --brief -l - <"$D/cap" 2>"$D/lines.err" | cmp - "$D/out"
	kst-threads -e "$ELF" --brief -l <"$D/cap" 2>"$D/lines.err" | cmp - "$D/out"
	cat "$D/cap" | kst-threads -e "$ELF" --brief -l 2>"$D/lines.err" | cmp - "$D/out"
	kst-sym --lines -e "$ELF" "$D/cap" | kst-threads --brief -l 2>"$D/lines.err" |
		cmp - "$D/out"
	# a file that tells none, or that is not there
	strip -g -o "$D/none" "$ELF"
	run kst-threads -e "$D/none" --brief -l "$D/cap"
	[ "$status" = 1 ]
	[[ $output = *'kst-sym: no frame has a line: '* ]]
	run kst-threads -e "$ELF" -l "$D/not"
	[ "$status" = 1 ]
	[ "$output" = "kst-sym: $D/not: No such file or directory" ]
	run kst-threads -e "$ELF" -r "$D/gdb" -l "$D/cap"
	[ "$status" = 2 ]
}

@test "a list in a ring without its head, and names that the kernel's file lacks" {
	boot_sleepers riscv64
	tells 'threads state thread.state 4=waiting' 'threads list first thread.self'
	look | diff - <(echo 'CPU#0 [running]: busy < top')
	grep -q "1 sample lacks the threads that were not on a CPU: the kernel's task list could not be read$" "$D/err"
	# one that can be read a moment after the boot
	tells 'threads state thread.state 4=waiting' 'threads list late thread.following'
	kst-flame --waiting --os "$D/os" -e "$ELF" -F 50 -n 150 -o "$D/x.svg" -- \
		qemu-system-riscv64 -M virt -bios none -display none -serial none \
		-monitor none -kernel "$ELF" 2>"$D/err"
	grep -Eq "[0-9] samples? lacks? .* could not be read at first, which is normal early in the boot$" "$D/err"
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
