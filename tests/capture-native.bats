#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# slow
# lane: native
# needs: guest tools tiny
# The backends rsp and qmp on guests in QEMU: their stacks are gdb's, their
# shares the true ones, and the guest runs on whatever happens.

. "$BATS_TEST_DIRNAME/guest.bash"

setup() {
	D=$BATS_TEST_TMPDIR G=$BATS_TEST_TMPDIR/gdb Q=$BATS_TEST_TMPDIR/qmp
	gdb=$G qmp=$Q
	PATH="$B:$B/tools:$PATH"
}

teardown() {
	end_guest
}

# bats lets a line that begins with ! fail without notice.
none() {
	if grep "$@"; then
		return 1
	fi
}

fails() {
	if "$@"; then
		return 1
	fi
}

# One frozen guest, by rsp, by qmp and by gdb.
compare_frozen() {
	qmp "$Q" stop
	kst-capture -q --one-shot --paused -b rsp -r "$G" -e "$ELF" >"$D/by-rsp"
	kst-capture -q --one-shot -r "qmp:$Q" -e "$ELF" >"$D/by-qmp"
	timeout 300 ${1:-gdb} -nx -batch -iex 'set auto-load off' \
		-ex 'set pagination 0' -ex 'set width 0' \
		-ex 'set backtrace limit 2000' -ex "file $ELF" \
		-ex "target remote $G" -ex 'thread apply all bt
			-frame-arguments presence -frame-info short-location' \
		>"$D/by-gdb" 2>&1 </dev/null || :
	qmp "$Q" cont
	grep -h '^#' "$D/by-rsp" >"$D/by-rsp.frames"
	grep -h '^#' "$D/by-qmp" | cmp - "$D/by-rsp.frames" || return 1
	tests/guest/same "$D/by-rsp" "$D/by-gdb"
}

# Until an interrupt on top of work and the recursion have both been compared.
# Without CFI gdb takes the address that was interrupted for one to return to, and
# looks before it: where an inlined call begins it does not see that. One moment in
# some hundred is so; two may be.
compare_build() {
	local i irq=0 deep=0 early=0
	boot "$1" -s 4
	for i in $(seq 40); do
		compare_frozen || {
			[ "$1" = fp ] && grep -q timer_entry "$D/by-gdb" &&
				[ $((early += 1)) -le 2 ]
		}
		grep -Eq '<signal handler called>|timer_entry' "$D/by-rsp" && irq=1
		[ "$(grep -c recurse "$D/by-rsp")" -ge 200 ] && deep=1
		[ "$i" -ge 5 ] && [ $irq = 1 ] && [ $deep = 1 ] && return 0
		# of a length that does not lock in with the guest's cycle
		sleep "0.$((100 + RANDOM % 200))"
	done
	echo "after $i times: interrupt seen $irq, recursion $deep"
	return 1
}

@test "every frame is gdb's: frame pointers" {
	compare_build fp
}

# Where the processor has pushed the interrupted address, and the entry has no frame
# record yet: one moment in some thousand.
@test "an interrupt's first instructions, frame pointers: whole, and what it interrupts" {
	local at
	boot fp -s 2
	for at in 0 1 4; do
		timeout 60 gdb -nx -batch -iex 'set auto-load off' -ex "file $ELF" \
			-ex "target remote $G" -ex "hbreak *((char *)timer_entry+$at)" \
			-ex continue \
			-ex "shell kst-capture -q --show-skid -n 1 -r qmp:$Q -e $ELF >$D/begun" \
			-ex delete -ex detach >"$D/by-gdb" 2>&1 </dev/null
		cat "$D/begun"
		grep -q 'truncated=0' "$D/begun"
		grep -q "^#0  0x[0-9a-f]* in timer_entry ()" "$D/begun"
		grep -q "in cpu_entry ()" "$D/begun"
	done
}

@test "every frame is gdb's: .eh_frame" {
	compare_build cfi
}

@test "every frame is gdb's: .debug_frame" {
	compare_build debugframe
}

@test "every frame is gdb's: under KVM, where there is one" {
	[ -w /dev/kvm ] || skip "no /dev/kvm"
	ACCEL=kvm boot cfi -s 1
	for i in 1 2 3; do
		compare_frozen
	done
	for r in "-b rsp -r $G" "-r qmp:$Q"; do
		kst-capture -q $r -e "$ELF" -n 20 -i 0.01 >"$D/trace"
		none 'Backtrace stopped' "$D/trace"
		grep -q 'in cpu_entry ()' "$D/trace"
	done
	guest_is running
}

# measure OPTIONS: a capture to $D/trace; fails where the guest had no processor for as
# long as kst-capture waits.
measure() {
	kst-capture -q -e "$ELF" "$@" >"$D/trace" 2>"$D/said" || {
		cat "$D/said"
		grep -q 'no answer within' "$D/said" || exit 1
		return 1
	}
}

# True stacks and shares, by all ways to read memory. Whoever else uses the
# host's processors can spoil a measurement, so there are three tries, the later
# ones with more time between samples: a sampler that is wrong is so each time.
truth() {
	local time
	for time in '-i 0.01 -d 10' '-i 0.02 -d 20' '-i 0.02 -n 500'; do
		measure $time "$@" || continue
		kst-clean "$D/trace" | kst-fold --no-trailer --mark-truncated \
			--by cpu >"$D/folded"
		sh tests/guest/check "$D/folded" && return 0
	done
	return 1
}

@test "stacks and shares are the true ones: rsp" {
	boot cfi -s 4
	truth -b rsp -r "$G"
	none 'Backtrace stopped' "$D/trace"
}

@test "stacks and shares are the true ones: rsp, frame pointers" {
	boot fp -s 4
	truth -b rsp -r "$G"
}

# As Xen is: the code alone tells, and what is said of the entries.
@test "stacks and shares are the true ones: neither tables nor frames" {
	boot cfi -s 4
	objcopy -R .eh_frame -R .eh_frame_hdr "$ELF" "$D/bare.elf"
	ELF=$D/bare.elf
	printf '%s\n' 'root cpu_entry' \
		'entry timer_entry pc 96 sp 120 fp 88 status 104' >"$D/bare.os"
	truth -b rsp -r "$G" --os "$D/bare.os"
	[ "$(grep -c 'Backtrace stopped' "$D/trace")" -le \
		"$(($(grep -c '^Thread' "$D/trace") / 50))" ]
}

@test "idle loops that an OS file names: halted, but not in an interrupt" {
	boot cfi -s 4
	printf '%s\n' 'root cpu_entry' 'idle work_b' 'idle parse work_a' \
		'idle account work_a' >"$D/idle.os"
	# An interrupt of the second CPU's work is rare: until one is seen.
	for try in $(seq 10); do
		kst-capture -q -r "$G" -e "$ELF" --os "$D/idle.os" -n 200 -i 0.01 \
			>"$D/trace$try"
		guest_is running
		kst-fold --by cpu,state --no-trailer "$D"/trace* >"$D/all"
		grep '^CPU#1;running;.*;work_b.*signal handler' "$D/all" && break
	done
	for role in 0 1; do
		grep "^CPU#$role;" "$D/all" >"$D/role"
		grep -E -v 'signal handler|timer_entry' "$D/role" >"$D/plain"
		# all that is in them, with and without a caller that is named
		grep -q 'halted;.*;work_b[; ]' "$D/plain"
		grep -q 'halted;.*;work_a;parse[; ]' "$D/plain"
		none -E 'running;.*;(work_b|work_a;parse)[; ]' "$D/plain"
		# and nothing else
		none -E -v ';(work_b|work_a;parse)[; ]' <(grep ';halted;' "$D/role")
	done
	none -E ';halted;.*(signal handler|timer_entry)' "$D/all"
	grep -q '^CPU#1;running;.*;work_b.*signal handler' "$D/all"
}

# An OS file says by which functions it knows its kernel.
@test "the OS file is taken by the symbols of the kernel" {
	boot fp -s 4
	mkdir -p "$D/share/os"
	printf '%s\n' 'known-by cpu_entry no_such_function' 'root cpu_entry' \
		>"$D/share/os/a.os"
	printf '%s\n' 'known-by no_such_function' \
		'known-by timer_entry cpu_entry' 'root nest*' \
		>"$D/share/os/b.os"
	export KST_SHARE=$D/share
	kst-capture -v -r "$G" -e "$ELF" -n 20 -i 0.01 >"$D/trace" 2>"$D/err"
	grep -q "OS file $D/share/os/b.os\$" "$D/err"
	kst-capture -v -r "$G" -e "$ELF" --os none --one-shot 2>&1 |
		none 'OS file'
	guest_is running
}

@test "stacks and shares are the true ones: qmp" {
	boot cfi -s 4
	truth -r "qmp:$Q"
	none 'Backtrace stopped' "$D/trace"
}

@test "stacks and shares are the true ones: qmp with files" {
	boot debugframe -s 4
	truth -r "qmp:$Q" --shared-dir "$D"
	[ -z "$(ls "$D" | grep kst-capture)" ]
}

# 60 samples at 10 Hz: on a grid nearly all would fall on one place of the work,
# and the share be 0 or 1. The limits are four standard deviations away; two tries,
# for the sake of the host's other users.
@test "a guest that repeats its work each 100 ms does not lock in" {
	boot cycle100 -s 1
	for r in "-b rsp -r $G" "-r qmp:$Q"; do
		for i in 1 2; do
			kst-capture -q $r -e "$ELF" -n 60 -F 10 >"$D/trace"
			kst-clean "$D/trace" | kst-fold --no-trailer | awk '
				{ n += $NF } /;work_a/ { k += $NF }
				END { print k / n
				exit !(n == 60 && k / n > .35 && k / n < .85) }' && break
			[ "$i" = 1 ]
		done
	done
}

@test "the caller of a leaf without a frame is not lost" {
	boot fpleaf -s 4
	kst-capture -q -b rsp -r "$G" -e "$ELF" -n 100 -i 0.01 >"$D/trace"
	kst-clean "$D/trace" | kst-fold --no-trailer --by cpu >"$D/folded"
	none -E ';(work_[ab]|copy|busy|deep|half);burn' "$D/folded"
	grep -q 'CPU#0;cpu_entry;cpu_main;busy;work_a;parse;burn' "$D/folded"
	# Not even below an interrupt that the leaf did not expect.
	grep 'timer_entry' "$D/folded" | none -E ';work_a;burn'
}

@test "a fixed window marks what it cuts, and nothing else" {
	boot cfi -s 4
	kst-capture -q -b rsp -r "$G" -e "$ELF" -n 40 -i 0.02 \
		--stack-bytes 512 >"$D/trace"
	kst-clean "$D/trace" | kst-fold --no-trailer --mark-truncated >"$D/folded"
	grep -q '^\[truncated\];.*recurse' "$D/folded"
	grep '^\[truncated\]' "$D/folded" | none -v recurse
	# The recursion's first and last frames fit.
	none -E '^cpu_entry;.*(recurse;){40}' "$D/folded"
}

@test "raw addresses get the same names later" {
	boot cfi -s 2
	qmp "$Q" stop
	kst-capture -q --one-shot --paused -b rsp -r "$G" -e "$ELF" |
		kst-sym -e "$ELF" | grep '^#' >"$D/a"
	kst-capture -q --one-shot --paused -b rsp -r "$G" -e "$ELF" --raw >"$D/raw"
	[ "$(grep '^#' "$D/raw" | grep -vc 'in ?? ()\|signal handler')" = 0 ]
	kst-sym -e "$ELF" "$D/raw" | grep '^#' >"$D/b"
	sed -E 's/0x[0-9a-f]+ in //' "$D/a" >"$D/a1"
	sed -E 's/0x[0-9a-f]+ in //; s/ \[i\]$//' "$D/b" >"$D/b1"
	diff "$D/a1" "$D/b1"
}

# No stack is marked, but where the kernel has another process's page tables
# already, and the program that it comes from is not there to be read.
whole() {
	awk '/^#0 / { between = / in (run|user_enter) \(\)/ }
		/^Backtrace stopped/ && !between { print; bad = 1 }
		END { exit bad }' "$1"
}

@test "processes: names by hash, stacks by their own CFI" {
	boot user -s 2
	local way
	for way in "-b rsp -r $G" "-r qmp:$Q" "-r qmp:$Q --shared-dir $D"; do
		kst-capture -q $way -e "$ELF" -n 150 -i 0.01 --os emerald \
			--user-dir "$B/guest/bin" >"$D/trace"
		whole "$D/trace"
		kst-clean "$D/trace" | kst-fold --no-trailer --by process >"$D/folded"
		cut -d' ' -f1-3 "$D/folded" | grep -o '^User[^;]*' |
			sort -u >"$D/who"
		printf '%s\n' 'User PID=3 (shell)' 'User PID=4 (counter)' \
			'User PID=5 (shell)' | diff - "$D/who"
		grep '^User' "$D/folded" | none -v ';_start;user_main'
		grep -q 'PID=4 (counter);_start;user_main;count;count;count;count;count;add' "$D/folded"
		grep -q '^Kernel;.*syscall;serve' "$D/folded"
	done
}

@test "programs are recognised by their code, without an OS file" {
	boot user -s 2
	local way
	for way in "-b rsp -r $G" "-r qmp:$Q"; do
		kst-capture -q $way -e "$ELF" -e "$B/guest/bin/shell" \
			-e "$B/guest/bin/counter" -n 150 -i 0.01 >"$D/trace"
		whole "$D/trace"
		kst-clean "$D/trace" | kst-fold --no-trailer >"$D/folded"
		grep -q '^_start;user_main;count;count;count;count;count;add' "$D/folded"
		grep -q '^_start;user_main;read_line' "$D/folded"
		# From the kernel's entry on.
		grep -q '^_start;user_main;[^<]*;syscall_entry;syscall;serve' "$D/folded"
		none '^_start;.*signal handler' "$D/folded"
		# A program's stack is not the kernel's.
		kst-capture -q $way -e "$ELF" -e "$B/guest/bin/shell" \
			--kernel-only -n 60 -i 0.01 | kst-clean |
			kst-fold --no-trailer --by process >"$D/folded"
		grep -q '^User PID=? (<unknown>);_start;user_main;.*;syscall;serve' "$D/folded"
		none '^Kernel.*user_main' "$D/folded"
	done
	kst-capture -b rsp -r "$G" -e "$ELF" -n 60 -i 0.01 >"$D/trace" 2>"$D/err"
	grep -q 'no file for the program (add it with -e) ([0-9]' "$D/err"
	grep -q '^Backtrace stopped: program code that is in none of the files$' "$D/trace"
	grep -q ' truncated-program=[1-9]' "$D/trace"
}

# CPU 1 has one process, whose time is 50 % read_line, 20 % run_command, 30 %
# in the kernel for it. As in guest/check: 5.5 standard deviations and 2 %. The
# way between user mode and the kernel does not count: there QEMU waits for its
# own lock, long on a busy machine.
shares_of_process() {
	awk '
	!/^CPU#1;/ { next }
	/^CPU#1;User PID=5 \(shell\);_start;user_main;read_line/ {
		k["read_line", 50] += $NF
		n += $NF
		next
	}
	/^CPU#1;User PID=5 \(shell\);_start;user_main;run_command/ {
		k["run_command", 20] += $NF
		n += $NF
		next
	}
	/^CPU#1;Kernel;syscall_entry;syscall;serve/ {
		k["serve", 30] += $NF
		n += $NF
		next
	}
	/^CPU#1;Kernel;(user_enter|syscall_entry(;syscall(;(run|lapic_id))?)?) / { next }
	/^CPU#1;User PID=5 \(shell\);_start(;user_main(;print)?(;(call|tsc))?)? / { next }
	{
		print "unknown: " $0
		bad = 1
	}
	END {
		for (i in k) {
			split(i, a, SUBSEP)
			p = a[2] / 100
			d = k[i] / n - p
			limit = 5.5 * sqrt(p * (1 - p) / n) + 0.02
			printf "%s %.1f %% of %d, truth %d +- %.1f\n", a[1],
				100 * k[i] / n, n, a[2], 100 * limit
			kinds++
			if (d > limit || d < -limit)
				bad = 1
		}
		exit bad || kinds != 3 || n < 100
	}' "$D/folded"
}

# Three tries, as above: so many samples, a busy host takes longer for them.
truth_of_process() {
	local time
	for time in '-i 0.0073 -n 1000 -d 40' '-i 0.0137 -n 1000 -d 40' '-i 0.0137 -n 600'; do
		measure $time "$@" --os emerald --user-dir "$B/guest/bin" || continue
		kst-clean "$D/trace" | kst-fold --no-trailer --by cpu --by process \
			>"$D/folded"
		shares_of_process && return 0
	done
	return 1
}

@test "processes: shares of time in user mode and in the kernel are true" {
	boot user -s 2
	truth_of_process -b rsp -r "$G"
	truth_of_process -r "qmp:$Q"
}

@test "processes: one kind only, and programs that nobody knows" {
	boot user -s 2
	kst-capture -q -b rsp -r "$G" -e "$ELF" -n 50 -i 0.01 --os emerald \
		--user-dir "$B/guest/bin" --user-only >"$D/trace"
	grep -q 'mode=user' "$D/trace"
	none 'mode=kernel' "$D/trace"
	kst-capture -q -b rsp -r "$G" -e "$ELF" -n 50 -i 0.01 --os emerald \
		--kernel-only >"$D/trace"
	grep -q 'mode=kernel' "$D/trace"
	none 'mode=user' "$D/trace"
	mkdir "$D/bin"
	cp "$B/guest/bin/counter" "$D/bin/other-name"
	kst-capture -q -b rsp -r "$G" -e "$ELF" -n 80 -i 0.01 --os emerald \
		--user-dir "$D/bin" >"$D/trace"
	grep -q 'pid=4 name="other-name"' "$D/trace"
	grep -q 'pid=3 name="<unknown>"' "$D/trace"
}

@test "processes: without their files, stacks by the tables in memory" {
	boot user -s 2
	local way
	for way in "-b rsp -r $G" "-r qmp:$Q"; do
		kst-capture -q $way -e "$ELF" -n 60 -i 0.01 --os emerald \
			--user-only >"$D/trace"
		none 'Backtrace stopped' "$D/trace"
		grep -q 'pid=4 name="<unknown>"' "$D/trace"
		# count calls itself; _start is at the root.
		grep -q '^#6  0x' "$D/trace"
		kst-sym -e "$B/guest/bin/counter" "$D/trace" >"$D/named"
		grep -q '^#[0-9]*  0x[0-9a-f]* in count ()' "$D/named"
		grep -q '^#[0-9]*  0x[0-9a-f]* in _start ()' "$D/named"
	done
}

gdb_knows() {
	[ $1 != loongarch64 ] ||
		gdb-multiarch -nx -batch -ex 'set architecture Loongarch64'
}

# Other processors: each stack is the one that there is, and by CFI gdb's.
tiny() {
	local arch=$1 system=$2 v ELF
	shift 2
	for v in cfi fp; do
		ELF=$B/guest/$arch-$v.elf
		"$system" -m 32 "$@" -display none -nodefaults \
			-kernel "$ELF" \
			-chardev "socket,path=$G,server=on,wait=off,id=g" \
			-gdb chardev:g -qmp "unix:$Q,server=on,wait=off" \
			>"$D/out" 2>&1 3>&- &
		qemu=$!
		shows leaf
		for r in "-b rsp -r $G" "-r qmp:$Q"; do
			kst-capture -q $r -e "$ELF" -n 5 -i 0.05 >"$D/trace"
			kst-clean "$D/trace" | kst-fold --no-trailer >"$D/folded"
			echo 'start;top;nest;nest;nest;nest;nest;leaf 5' |
				diff - "$D/folded"
		done
		[ $v = fp ] || ! gdb_knows $arch ||
			compare_frozen gdb-multiarch
		guest_is running
		kill "$qemu"
		wait "$qemu" || :
		qemu=
	done
}

@test "aarch64, by CFI and by frame pointers" {
	tiny aarch64 qemu-system-aarch64 -M virt -cpu cortex-a57
}

@test "a CPU of aarch64 that nobody has started is halted, the other one runs" {
	ELF=$B/guest/aarch64-cfi.elf
	qemu-system-aarch64 -M virt -cpu cortex-a57 -smp 2 -m 32 -display none -nodefaults \
		-kernel "$ELF" -chardev "socket,path=$G,server=on,wait=off,id=g" \
		-gdb chardev:g -qmp "unix:$Q,server=on,wait=off" >"$D/out" 2>&1 3>&- &
	qemu=$!
	shows leaf
	kst-capture -q -r "$G" -e "$ELF" -n 20 -i 0.01 >"$D/trace"
	[ "$(grep -c 'CPU#0 \[running\]' "$D/trace")" = 20 ]
	[ "$(grep -c 'CPU#1 \[halted \]' "$D/trace")" = 20 ]
}

@test "arm, by CFI and by the code of functions" {
	tiny arm qemu-system-arm -M virt -cpu cortex-a15
}

@test "Thumb, by CFI and by the code of functions" {
	tiny thumb qemu-system-arm -M virt -cpu cortex-a15
}

# What the handler interrupted is on a stack whose place QEMU tells since 8.1.
@test "Cortex-M, a handler that interrupted a thread" {
	ELF=$B/guest/cortex-m.elf
	qemu-system-arm -M mps2-an385 -display none -nodefaults -kernel "$ELF" \
		-chardev "socket,path=$G,server=on,wait=off,id=g" \
		-gdb chardev:g -qmp "unix:$Q,server=on,wait=off" >"$D/out" 2>&1 3>&- &
	qemu=$!
	shows leaf
	kst-capture -b rsp -r "$G" -e "$ELF" -n 5 -i 0.05 >"$D/trace" 2>"$D/said"
	kst-clean "$D/trace" | kst-fold --no-trailer >"$D/folded"
	! grep -q truncated "$D/trace" || grep -q ' truncated=0 ' "$D/trace"
	if grep -qx '\[kst-root handler\]' "$D/trace"; then
		echo 'tick;leaf 5' | diff - "$D/folded"
		grep -q ' handlers=5 ' "$D/trace"
		grep -q "5 of 5 stacks end at an exception's handler" "$D/said"
	else
		echo 'start;thread;tick;leaf 5' | diff - "$D/folded"
		! grep -q 'handlers=' "$D/trace" || false
	fi
}

@test "riscv32, by CFI and by frame pointers" {
	tiny riscv32 qemu-system-riscv32 -M virt -bios none
}

@test "riscv64, by CFI and by frame pointers" {
	tiny riscv64 qemu-system-riscv64 -M virt -bios none
}

# A hart in its firmware is led on to what the firmware interrupted.
@test "riscv64, in the firmware below the kernel" {
	local elf=$B/guest/riscv64-sbi.elf r
	qemu-system-riscv64 -M virt -m 64 -display none -nodefaults \
		-kernel "$elf" -chardev \
		"socket,path=$G,server=on,wait=off,id=g" -gdb chardev:g \
		-qmp "unix:$Q,server=on,wait=off" >"$D/out" 2>&1 3>&- &
	qemu=$!
	ELF=$elf shows ask
	for r in "-b rsp -r $G" "-r qmp:$Q"; do
		kst-capture -q $r -e "$elf" -n 60 -i 0.01 >"$D/trace"
		kst-clean "$D/trace" | kst-fold --no-trailer >"$D/folded"
		grep -q '^start;top;nest;nest;nest;ask;\[firmware\] [0-9]*$' \
			"$D/folded"
		none -v '^start;top;nest;nest;nest\(;ask\(;\[firmware\]\)*\)* ' \
			"$D/folded"
	done
	printf '%s\n' '# where stacks end' 'root ne?t' >"$D/my.os"
	kst-capture -q -b rsp -r "$G" -e "$elf" -n 20 -i 0.01 --os "$D/my.os" \
		>"$D/trace"
	grep -q ' truncated=0' "$D/trace"
	kst-clean "$D/trace" | kst-fold --no-trailer >"$D/folded"
	none -v '^nest\(;ask\(;\[firmware\]\)*\)* ' "$D/folded"
	guest_is running
}

# machine OPTIONS: captures, to $D/trace, $D/err and $D/folded.
machine() {
	kst-capture -b rsp -r "$G" -e "$ELF" "$@" -n 60 -i 0.01 \
		>"$D/trace" 2>"$D/err"
	kst-clean "$D/trace" | kst-fold --no-trailer >"$D/folded"
	none -F '[firmware]' "$D/folded"
}

# The kernel's own file is in machine mode: no firmware is there. The monitor does
# not tell the mode.
@test "riscv32, a kernel and its program in machine mode" {
	local program=$B/guest/riscv32-machine-program.elf
	ELF=$B/guest/riscv32-machine.elf
	qemu-system-riscv32 -M virt -bios "$ELF" -m 32 -display none -nodefaults \
		-chardev "socket,path=$G,server=on,wait=off,id=g" \
		-gdb chardev:g -qmp "unix:$Q,server=on,wait=off" \
		>"$D/out" 2>&1 3>&- &
	qemu=$!
	shows serve
	machine
	grep -q '^entry;serve [0-9]*$' "$D/folded"
	none -v -e '^entry' -e '^\(0x804000[0-9a-f]*;\)*0x804000' "$D/folded"
	# what entry has interrupted is of no file: that is an end
	none '^Backtrace stopped: frame did not' "$D/trace"
	grep -q 'no file for the program (add it with -e) ([0-9]*)$' "$D/err"
	machine -e "$B/guest/bin/shell" -e "$program"
	grep -q '^start;top;work [0-9]*$' "$D/folded"
	grep -q '^entry;serve [0-9]*$' "$D/folded"
	none -v -e '^entry' -e '^start' -e '^top' "$D/folded"
	grep -q ' truncated=0 ' "$D/trace"
	grep -qx "kst-capture: no code was seen of $B/guest/bin/shell" "$D/err"
	guest_is running
}

# In the firmware's stub, which no file has.
@test "aarch64, three CPUs that the kernel has not started" {
	ELF=$B/guest/raspi.elf
	qemu-system-aarch64 -M raspi3b -kernel "$B/guest/raspi.img" \
		-display none -monitor none -serial null \
		-chardev "socket,path=$G,server=on,wait=off,id=g" \
		-gdb chardev:g -qmp "unix:$Q,server=on,wait=off" \
		>"$D/out" 2>&1 3>&- &
	qemu=$!
	shows leaf "$G"
	kst-capture -q -b rsp -r "$G" -e "$ELF" -n 5 -i 0.05 >"$D/trace"
	grep -q ' truncated=0 ' "$D/trace"
	kst-clean "$D/trace" | kst-fold --no-trailer >"$D/folded"
	printf '%s\n' '[firmware] 15' 'start;top;nest;nest;nest;nest;nest;leaf 5' |
		diff - <(sort "$D/folded")
}

@test "i386, by CFI and by frame pointers" {
	tiny i386 qemu-system-i386
}

@test "loongarch64, by CFI and by frame pointers" {
	[ -e "$B/guest/loongarch64-cfi.elf" ] ||
		skip "no loongarch64-linux-gnu-gcc"
	tiny loongarch64 qemu-system-loongarch64 -m 1G
}

each_backend() {
	"$@" -b rsp -r "$G"
	"$@" -r "qmp:$Q.2"
}

to_the_end() {
	kst-capture -q -e "$ELF" -n 5 -i 0.01 "$@" >"$D/out"
	grep -q 'cpu_entry' "$D/out"
	guest_is running
}

# starts OPTIONS: captures in the background to $D/out and $D/err; $p. Returns when
# it has begun: before that a signal may end it at once.
starts() {
	local i
	: >"$D/out"
	kst-capture -e "$ELF" "$@" >"$D/out" 2>"$D/err" 3>&- &
	p=$!
	for i in $(seq 1200); do
		! grep -q '^.kst-capture seq' "$D/out" || return 0
		kill -0 $p 2>"$D/ended" || break
		sleep 0.05
	done
	cat "$D/err"
	grep -q '^.kst-capture seq' "$D/out"
}

interrupted() {
	local sig=$1 p
	shift
	starts -i 0.01 -d 600 "$@"
	sleep 0.2
	kill -"$sig" "$p"
	wait "$p"
	grep -q 'samples taken' "$D/err"
	tail -n1 "$D/out" | grep -q kst-capture-summary
	guest_is running
}

interrupted_twice() {
	local i p
	for i in 1 2 3 4 5 6 7 8; do
		starts -i 0 -d 600 "$@"
		sleep "0.0$i"
		kill -INT "$p"
		kill -INT "$p" 2>/dev/null || :
		wait "$p" || :
		guest_is running
	done
}

# At many moments of a stop: samples follow each other at once.
killed() {
	local i p
	for i in 1 2 3 4 5 6; do
		starts -i 0 -d 600 "$@"
		sleep "0.0$i"
		kill -KILL "$p"
		wait "$p" || :
		guest_is running
	done
}

reader_gone() {
	kst-capture -q -e "$ELF" -i 0.001 -d 20 "$@" | head -n 3 >"$D/out"
	guest_is running
}

disk_full() {
	run kst-capture -q -e "$ELF" -i 0.001 -d 20 "$@" -o /dev/full
	[ "$status" = 4 ]
	guest_is running
}

@test "the guest runs on: after the end" {
	boot cfi -s 2
	each_backend to_the_end
}

@test "the guest runs on: SIGINT, SIGTERM, SIGHUP" {
	boot cfi -s 2
	each_backend interrupted INT
	each_backend interrupted TERM
	each_backend interrupted HUP
}

@test "the guest runs on: SIGINT twice" {
	boot cfi -s 2
	each_backend interrupted_twice
}

@test "the guest runs on: SIGKILL in the middle of a stop" {
	boot cfi -s 2
	each_backend killed
}

# From the first moment on: connecting to a stub stops the guest already.
@test "the guest runs on: SIGKILL while connecting" {
	boot cfi -s 2
	local i p r
	for i in 000 002 004 005 006 007 008 010 012 015 020 030; do
		for r in "-b rsp -r $G" "-r qmp:$Q.2"; do
			kst-capture -q -e "$ELF" -i 0 $r >"$D/out" 3>&- &
			p=$!
			sleep "0.$i"
			kill -KILL "$p" || :
			wait "$p" || :
			guest_is running
		done
	done
	# A guest that was paused is left so.
	tells_paused || return 0
	qmp "$Q" stop
	for i in 001 004 006 008 012; do
		kst-capture -q -e "$ELF" -i 0 -r "$G" >"$D/out" 2>&1 3>&- &
		p=$!
		sleep "0.$i"
		kill -KILL "$p" || :
		wait "$p" || :
		sleep 0.3
		guest_is paused
	done
}

@test "the guest runs on, or stays paused: SIGKILL at system calls and in messages" {
	tests/faults/capture --short
}

# QEMU itself stands still for longer than kst-capture waits. A busy machine may
# need more than a second for the first sample.
stalled() {
	local t p limit
	for t in 0.03 0.11 0.16; do
		for limit in 1 20; do
			! starts -i 0 -d 600 --timeout $limit "$@" || break
			[ $limit = 1 ]
		done
		sleep "$t"
		kill -STOP "$qemu"
		fails wait "$p"
		grep -q "no answer within $limit s" "$D/err"
		sleep "$t"
		kill -CONT "$qemu"
		guest_is running
	done
}

@test "the guest runs on: QEMU stalls" {
	boot cfi -s 2
	each_backend stalled
}

# Two signals meanwhile: the keeper waits for QEMU.
stalled_in_a_hurry() {
	local p
	starts -i 0 -d 600 "$@"
	kill -STOP "$qemu"
	blocked "$p"
	kill -INT "$p"
	sleep 0.2
	kill -TERM "$p"
	fails wait "$p"
	grep -q 'the guest will be resumed as soon as it does' "$D/err"
	kill -CONT "$qemu"
	guest_is running
}

@test "the guest runs on: QEMU stalls, and two signals come" {
	boot cfi -s 2
	each_backend stalled_in_a_hurry
	stalled_in_a_hurry -b gdb -r "$G"
}

# After one signal kst-capture does not wait for all of --timeout.
stalled_and_interrupted() {
	local p
	starts -i 0 -d 600 --timeout 36000 "$@"
	kill -STOP "$qemu"
	blocked "$p"
	kill -INT "$p"
	fails wait "$p"
	grep -q "the guest will be resumed as soon as it does; to resume it yourself, type 'cont'" "$D/err"
	kill -CONT "$qemu"
	guest_is running
}

@test "the guest runs on: QEMU stalls, and one signal comes" {
	boot cfi -s 2
	each_backend stalled_and_interrupted
}

# is_cut SOCKET CONNECTION BYTES REMOTE OPTIONS: $late comes on the next connection,
# or after $late seconds; 99 is never. Of $limits the first in which a loaded machine
# gets so far that it is cut.
is_cut() {
	local proxy limit
	for limit in $limits; do
		rm -f "$D/cut"
		python3 "$root/tests/cut.py" "$D/cut" "$1" "$2" "$3" "$late" \
			>"$D/proxy" 2>/dev/null 3>&- &
		proxy=$!
		while ! [ -S "$D/cut" ]; do sleep 0.05; done
		fails kst-capture -q -e "$ELF" -i 0 -d 60 --timeout $limit -r "$4" \
			"${@:5}" >"$D/out" 2>"$D/err"
		if [ "$late" = 99 ]; then
			! grep -q cut "$D/proxy" ||
				grep -q 'the guest may be stopped: to resume it' "$D/err"
			qmp "$Q" cont
		fi
		guest_is running
		kill "$proxy"
		wait "$proxy" || :
		! grep -q cut "$D/proxy" || break
	done
	grep -q cut "$D/proxy" || cat "$D/err"
	grep -q cut "$D/proxy"
}

@test "the guest runs on: the way to QEMU is cut" {
	boot cfi -s 2
	local n late= limits=60
	# In the middle of answers; gdb's own connection is the second one.
	for n in 9001 20011 33013; do
		is_cut "$G" 1 $n "$D/cut"
		is_cut "$Q.2" 1 $n "qmp:$D/cut"
		is_cut "$G" 2 $n "$D/cut" -b gdb
	done
	late='{"return": "", "id": 33}'$'\n'
	is_cut "$Q.2" 1 20011 "qmp:$D/cut"
	# The next connection is slow, or as good as dead: that is said.
	late=3
	is_cut "$Q.2" 1 20011 "qmp:$D/cut"
	is_cut "$G" 1 20011 "$D/cut"
	late=99 limits='1 20'
	is_cut "$Q.2" 1 20011 "qmp:$D/cut"
	is_cut "$G" 1 20011 "$D/cut"
}

@test "the guest runs on: the reader of the pipe goes away" {
	boot cfi -s 2
	each_backend reader_gone
}

@test "the guest runs on: the disk is full" {
	boot cfi -s 2
	each_backend disk_full
}

left_paused() {
	qmp "$Q" stop
	kst-capture -q -e "$ELF" -n 3 -i 0.01 "$@" >"$D/out" 2>"$D/err"
	grep -q paused "$D/err"
	guest_is paused
	qmp "$Q" cont
	guest_is running
}

@test "a guest that was paused is sampled and left so" {
	boot cfi -s 2
	left_paused -r "qmp:$Q.2"
	if tells_paused; then
		left_paused -b rsp -r "$G"
	else
		qmp "$Q" stop
		kst-capture -q -e "$ELF" -n 3 -i 0.01 -b rsp -r "$G" >"$D/out"
		guest_is running
		left_paused -b rsp -r "$G" --paused
		left_paused -b gdb -r "$G" --paused
	fi
}

@test "a guest that never ran is sampled and left so" {
	qemu-system-x86_64 -S -display none -nodefaults -no-user-config \
		-gdb "unix:$G,server=on,wait=off" \
		-qmp "unix:$Q,server=on,wait=off" 3>&- &
	qemu=$!
	for i in $(seq 600); do
		[ -S "$Q" ] && break
		sleep 0.1
	done
	guest_is prelaunch
	for r in "-b rsp -r $G" "-r qmp:$Q"; do
		kst-capture -q -n 2 -i 0.01 $r >"$D/out" 2>"$D/err"
		grep -q 'is paused' "$D/err"
		grep -q '^#0  0x000000000000fff0 in ??' "$D/out"
		guest_is prelaunch
	done
}

# begins ELF: QEMU under -S with that kernel.
begins() {
	qemu-system-x86_64 -S -display none -nodefaults -no-user-config \
		-m 64 -kernel "$B/guest/$1.elf" \
		-gdb "unix:$G,server=on,wait=off" \
		-qmp "unix:$Q,server=on,wait=off" \
		-qmp "unix:$Q.2,server=on,wait=off" 3>&- &
	qemu=$!
	for i in $(seq 600); do
		[ -S "$Q.2" ] && break
		sleep 0.1
	done
	guest_is prelaunch
}

@test "--start samples a guest from its first instruction, and leaves it running" {
	for r in "-b rsp -r $G" "-r qmp:$Q.2"; do
		begins cfi
		ELF=$B/guest/cfi.elf starts --start -d 600 $r
		for i in $(seq 800); do
			! grep -q 'in cpu_entry ()$' "$D/out" || break
			sleep 0.05
		done
		kill -INT "$p"
		wait "$p"
		guest_is running
		end_guest
		rm -f "$G" "$Q" "$Q.2"
		grep -m1 '^#0' "$D/out" | grep -q 'in \[firmware\] ()$'
		grep -q 'in cpu_entry ()$' "$D/out"
		# the few instructions before cpu_entry say of no root
		awk '/^#0 / { early = / in (pvh_start|enter_long|enter_kernel) \(\)/ }
			/^Backtrace stopped/ && !early { print; bad = 1 }
			END { exit bad }' "$D/out"
		none ' ?? ' "$D/out"
	done
}

@test "--start: a kernel that never shows is said, and names nothing" {
	begins cfi
	rc=0
	kst-capture -q --start -d 2 -b rsp -r "$G" -e "$B/guest/fp.elf" \
		>"$D/out" 2>"$D/err" || rc=$?
	[ $rc = 1 ]
	grep -q 'fp.elf is not the running kernel' "$D/err"
	grep -q '\[boot\]' "$D/out"
	none cpu_entry "$D/out"
	guest_is running
}

# One that comes while the guest stands still anyway is none.
is_stopped() {
	for _ in $(seq 20); do
		qmp "$Q" stop
		sleep 0.5
		kill -0 "$p" 2>/dev/null || break
	done
	fails wait "$p"
}

stopped_by_others() {
	local p
	starts -i 0.3 -d 600 "$@"
	is_stopped
	grep -q 'stopped by a monitor or a breakpoint' "$D/err"
	grep -q kst-capture-summary "$D/out"
	guest_is paused
	qmp "$Q" cont
}

@test "a guest that somebody else stops is left so" {
	boot cfi -s 2
	each_backend stopped_by_others
}

reboots() {
	local p
	starts -d 600 "$@"
	qmp "$Q" system_reset
	fails wait "$p"
	grep -q 'the guest has rebooted' "$D/err"
	grep -q '^\[kst-capture-summary .* end=rebooted\]$' "$D/out"
	grep -q cpu_entry "$D/out"
	guest_is running
	shows cpu_entry
}

@test "a guest that reboots is reported, by qmp however rare the samples" {
	boot cfi -s 2
	reboots -i 0.01 -b rsp -r "$G"
	reboots -i 0.01 -r "qmp:$Q.2"
	reboots -i 30 -r "qmp:$Q.2"
	# Unless nobody wants to know.
	local p way
	for way in "qmp:$Q.2" "$G"; do
		starts -i 0.01 -d 6 -r "$way" --no-check
		qmp "$Q" system_reset
		wait "$p"
		grep -qx 'kst-capture: the guest has rebooted meanwhile, 1 time: its kernel was looked for again' "$D/err"
		grep -q '^\[kst-capture-summary .* reboots=1 .* end=limit\]$' "$D/out"
	done
}

# As in a terminal, all processes of the pipe get the signal.
@test "Ctrl-C in a pipe ends the capture, and what it has is drawn" {
	cat >"$D/interrupt.py" <<-'EOF'
	import os, signal, subprocess, sys, time
	signal.signal(signal.SIGINT, signal.SIG_DFL)
	def catch(): # how many commands of the pipe catch SIGINT: they have begun
	    n = 0
	    for p in filter(str.isdigit, os.listdir("/proc")):
	        try:
	            if os.getsid(int(p)) == pipe.pid:
	                t = dict(l.split(":", 1) for l in open(f"/proc/{p}/status"))
	                n += "kst-" in t["Name"] and int(t["SigCgt"], 16) >> 1 & 1
	        except OSError:
	            pass
	    return n
	pipe = subprocess.Popen(sys.argv[3:], start_new_session=True)
	while pipe.poll() is None and (
	        "cpu_entry" not in open(sys.argv[2]).read() or catch() < 4):
	    time.sleep(0.02)
	time.sleep(float(sys.argv[1]))
	os.killpg(pipe.pid, signal.SIGINT)
	pipe.wait(300)
	EOF
	boot cfi -s 2
	local s r
	for r in "-r $G" "-r qmp:$Q.2" "-b gdb -r $G"; do
		for s in 0 0.3 1.1; do
			rm -f "$D/p.svg"
			: >"$D/trace"
			python3 "$D/interrupt.py" $s "$D/trace" sh -c "kst-capture $r -e $ELF -d 600 |
				(trap '' INT; exec tee $D/trace) |
				kst-clean | kst-fold | kst-svg >$D/p.svg" 2>"$D/err" || {
				cat "$D/err"
				return 1
			}
			cat "$D/err"
			grep -q '^kst-capture: .* samples taken' "$D/err"
			grep -q 'cpu_entry' "$D/p.svg"
			tail -n 1 "$D/p.svg" | grep -q '</svg>'
			guest_is running
		done
	done
}

# ended KEY=WORD...: these are in the summary of the capture that has ended.
ended() {
	local w
	for w; do
		grep -q "^command=kst-capture.* $w .*what=" "$D/sum" || {
			cat "$D/sum" "$D/err"
			return 1
		}
	done
}

@test "--summary-fd: how many samples there are, and why they ended" {
	local r p
	for r in "-b rsp -r $G" "-r qmp:$Q.2" "-b gdb -r $G"; do
		boot cfi -s 2
		kst-capture -n 3 -i 0.01 $r --summary-fd 9 9>"$D/sum" >"$D/out" 2>"$D/err"
		ended status=0 taken=3 stacks=6 end=limit
		starts -i 0.05 -d 600 $r --summary-fd 9 9>"$D/sum"
		kill "$p"
		wait "$p"
		ended status=0 end=signal
		# What a program is told of the guest's end is not said as well.
		starts -i 0.3 -d 600 $r --summary-fd 9 9>"$D/sum"
		is_stopped
		ended status=1 end=stopped
		none 'stopped by a monitor' "$D/err"
		qmp "$Q" cont
		starts -i 0.05 -d 600 $r --summary-fd 9 9>"$D/sum"
		qmp "$Q" quit
		qemu=
		fails wait "$p"
		ended status=1 end=gone
		none 'closed the connection\|shut down\|went away' "$D/err"
		rm -f "$G" "$Q" "$Q.2"
	done
	fails kst-capture -r "$G" --summary-fd 9 9>"$D/sum" 2>"$D/err"
	ended taken=0 end=unreached
	boot cfi
	for r in "-b rsp -r $G" "-b gdb -r $G"; do
		fails kst-capture $r -e "$B/guest/fp.elf" --summary-fd 9 9>"$D/sum" 2>"$D/err"
		ended taken=0 end=unreached kernel=other
	done
}

@test "a guest that goes away is reported, what was captured is kept" {
	local r p
	for r in "-b rsp -r $G" "-r qmp:$Q.2"; do
		boot cfi -s 2
		starts -i 0.05 -d 600 $r
		qmp "$Q" quit
		qemu=
		fails wait "$p"
		grep -Eq 'closed the connection|shut down' "$D/err"
		grep -q cpu_entry "$D/out"
		rm -f "$G" "$Q" "$Q.2"
	done
}

@test "a stub that serves another client is recognised, the guest runs on" {
	boot cfi -s 2
	local p
	starts -b rsp -r "$G" -i 0.2 -d 600
	run kst-capture -b rsp -r "$G" -e "$ELF" --one-shot --timeout 1
	[ "$status" = 1 ]
	[[ $output == *"does not answer: is another debugger"* ]]
	kill -INT "$p"
	wait "$p" || { cat "$D/err"; false; }
	sleep 1
	guest_is running
	# A monitor has one client as well.
	starts -r "qmp:$Q.2" -i 0.2 -d 600
	run kst-capture -r "qmp:$Q.2" -e "$ELF" --one-shot --timeout 1
	[ "$status" = 1 ]
	[[ $output == *"no QMP greeting came"* ]]
	kill -INT "$p"
	wait "$p"
	guest_is running
}

@test "clear messages: nobody there, no stub, the wrong kernel" {
	run kst-capture -b rsp -r "$D/none" --one-shot
	[ "$status" = 1 ]
	[[ $output == *"$D/none: No such file"* ]]
	boot cfi -s 2
	run kst-capture -b rsp -r "$Q.2" --one-shot --timeout 2
	[ "$status" = 1 ]
	[[ $output == *"gdb stub"* ]]
	run kst-capture -r "qmp:$G" --one-shot --timeout 2
	[ "$status" = 1 ]
	[[ $output == *"QMP"* ]]
	guest_is running
	run kst-capture -r "qmp:$Q.2" --shared-dir "$D/none" --one-shot
	[ "$status" = 1 ]
	[[ $output == *"$D/none/"*"No such file"* ]]
	run timeout 120 kst-capture -r "$G" --os /dev/zero --one-shot
	[ "$status" = 1 ]
	[[ $output == *"/dev/zero: not a regular file"* ]]
	guest_is running
	run kst-capture -b rsp -r "$G" -e "$B/kst-capture" --one-shot --timeout 60
	echo "$output"
	[ "$status" = 1 ]
	[[ $output == *"not the running kernel"* ]]
	run kst-capture -b rsp -r "$G" -e "$B/guest/aarch64-cfi.elf" \
		--no-check --one-shot
	[ "$status" = 1 ]
	[[ $output == *"another machine"* ]]
	guest_is running
}

@test "the ELF file may be built anew during a capture" {
	boot cfi -s 2
	local r p i
	for r in "-b rsp -r $G" "-r qmp:$Q.2"; do
		for i in 0.02 0.05; do
			cp "$ELF" "$D/elf"
			kst-capture -q -e "$D/elf" -i 0.02 -d 0.5 $r \
				>"$D/out" 2>"$D/err" 3>&- &
			p=$!
			sleep "$i"
			: >"$D/elf"
			# Too early is an error, but no crash.
			wait "$p" || [ $? = 1 ]
			guest_is running
		done
		cp "$ELF" "$D/elf"
		ELF=$D/elf starts -i 0.02 -d 1 $r
		: >"$D/elf"
		wait "$p" || [ $? = 1 ]
		grep -q 'in cpu_entry' "$D/out"
		guest_is running
	done
}

# flooded FIRST MORE MESSAGE OPTIONS: it ends, with a message.
flooded() {
	local first=$1 more=$2 message=$3 rc=0
	shift 3
	flood "$D/f" "$first" "$more" 3>&- &
	qemu=$!
	for _ in $(seq 600); do
		[ ! -S "$D/f" ] || break
		sleep 0.1
	done
	timeout 120 kst-capture --timeout 1 "$@" >"$D/out" 2>"$D/err" || rc=$?
	cat "$D/err"
	[ "$rc" = 1 ]
	grep -q "$message" "$D/err"
	kill "$qemu"
	wait "$qemu" || :
	qemu=
	rm "$D/f"
}

@test "a stub or monitor that talks without end is left" {
	flooded '+$' mmmm 'damaged packet' -b rsp -r "$D/f"
	flooded '' + 'does not answer: is another' -b rsp -r "$D/f"
	flooded '' '+$m1#9e' 'unsupported stub' -b rsp -r "$D/f"
	flooded '' '$T02#b6' 'answer' -b gdb -r "$D/f"
	flooded '{"QMP":{}}\n' '{"event":"STOP"}\n' 'no answer' -r "qmp:$D/f"
	flooded '' '{"a":"' 'does not end' -r "qmp:$D/f"
}

# The options for QEMU in kst-capture-backends(7), one by one.
@test "QEMU as the manual starts it" {
	local page=docs/kst-capture-backends.7 n=0 option rest port
	cd "$D"
	ln -s "$B/guest/cfi.elf" kernel.elf
	# one that nobody has now
	port=$(python3 -c 'import socket; s = socket.socket()
s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	while IFS= read -r option; do
		IFS= read -r rest
		n=$((n + 1))
		option=$(echo "$option" | sed "s/1234/$port/")
		rest=$(echo "$rest" | sed "s/1234/$port/")
		timeout 300 qemu-system-x86_64 -display none -nodefaults \
			-smp 2 -m 64 -serial "file:$D/serial" \
			-kernel kernel.elf $option >"$D/out" 2>&1 3>&- &
		qemu=$!
		for i in $(seq 600); do
			grep -q ready "$D/serial" 2>/dev/null && break
			sleep 0.1
		done
		$rest -q -n 3 -i 0.01 >"$D/trace" 3>&-
		grep -q cpu_entry "$D/trace"
		kill "$qemu"
		wait "$qemu" || :
		qemu=
		rm -f ./*.sock serial
	done < <(grep -A1 -E '^-(gdb|qmp|chardev)' "$OLDPWD/$page" | grep -v '^--$')
	[ "$n" = 4 ]
}
