#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# slow
# needs: tiny guest
# Calls and exceptions of guests, one by one, as event text.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	export TMPDIR=$PWD
	PATH="$B:$PATH"
	plain=(-display none -serial none -monitor none -no-reboot -nic none)
}

# traced GUEST [OPTION ...]: the events of $B/guest/GUEST.elf, into `out`.
traced() {
	local guest=$1
	shift
	case $guest in
	i386*) qemu=(qemu-system-i386 -device "isa-debug-exit,iobase=0xf4,iosize=1") ;;
	aarch64*) qemu=(qemu-system-aarch64 -M virt -cpu cortex-a57) ;;
	riscv64*) qemu=(qemu-system-riscv64 -M virt -bios none) ;;
	esac
	timeout 1000 kst-count -e "$B/guest/$guest.elf" --trace "$@" -- "${qemu[@]}" \
		"${plain[@]}" -kernel "$B/guest/$guest.elf" >out 2>err
}

# column NAME COLUMN: of kst-span's summary.
column() {
	kst-span --summary --csv out | awk -F, -v name="$1" -v col="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["name"] == name { print $at[col] }'
}

# balanced: each end is of the innermost begin, and all are ended.
balanced() {
	awk -F'\t' '/^#/ { next }
		$1 < last[$2] { bad = 1 }
		{ last[$2] = $1 }
		$3 == "B" { open[$2, ++n[$2]] = $4 }
		$3 == "E" && (n[$2] == 0 || open[$2, n[$2]--] != $4) { bad = 1 }
		END { for (t in n) bad += n[t]; exit bad || NR == 0 }' out
}

@test "calls and their lengths are those of the judge, to the instruction" {
	"$BATS_TEST_DIRNAME/count/traced" "$B/guest/riscv64-count.elf" 20000000 turn '' \
		qemu-system-riscv64 -M virt -bios none "${plain[@]}" \
		-kernel "$B/guest/riscv64-count.elf" >judged
	cat judged
	grep -qx '796 calls of 5 functions' judged
}

@test "known loops: each call has its instructions, all spans nest" {
	for arch in i386 aarch64 riscv64; do
		traced $arch-count
		balanced
		[ "$(column adds count)" = 102 ]
		[ "$(column adds min)" = "$(column adds max)" ]
		[ "$(column adds min)" -gt 300000 ]
		[ "$(column climb count)" = 600 ]
	# what it calls is left out, and --help says which option adds it
	traced i386-count --only twice
	[ "$(cut -f4 out | sort -u)" = twice ]
	kst-count --help | tr -s ' \n' ' ' |
		grep -qF "only this function's calls; --in adds what they call"
		timeout 1000 kst-span out >spans
		traced $arch-count --by stack
		balanced
		[ "$(column turn count)" = 200 ]
		# of a stack, calls last until they return
		[ "$(column there count)" = 1 ]
		[ "$(column '[away]' count)" -ge 199 ]
	done
}

@test "the sums of spans are the counts" {
	for arch in aarch64 riscv64; do
		traced $arch-count
		kst-span out >spans
		timeout 1000 kst-count -e "$B/guest/$arch-count.elf" -- "${qemu[@]}" \
			"${plain[@]}" -kernel "$B/guest/$arch-count.elf" 2>err | sed 's/^CPU#0;//' >counts
		for stack in 'start;top;twice;adds' 'there;adds' 'start;top;here;turn'; do
			n=$(sed -n "s/^$stack //p" counts)
			[ "$n" -gt 0 ]
			grep -qx "$stack $n" spans
		done
	done
}

@test "an exception is on top of what it interrupts" {
	traced riscv64-tasks --by stack
	balanced
	[ "$(column next_task count)" = 200 ]
	[ "$(column '<signal handler called>' count)" = 200 ]
	kst-span --calls out | grep -qx 'alpha;yield;<signal handler called>;trap;next_task 100'
	kst-span --notrace '\[away\]' out | grep -qx 'alpha;adds 30000700'
	# beta() was left in its exception
	tail -n 1 out | grep -q "	E	beta	~$"
}

@test "threads keep their stacks while a scheduler waits on its own" {
	traced riscv64-system --by stack
	balanced
	awk -F'\t' '!/^#/ && !seen[$2]++ { print $2, $4 }' out >first
	diff first - <<-END
		stack#0 start
		stack#1 poller
		stack#2 worker
	END
	[ "$(column work count)" = 6 ]
	# a thread that goes on stands as it was left
	traced riscv64-system
	balanced
	awk -F'\t' '$4 == "work" && $3 == "B" && $5 == "~" { n++; bad += before != "worker" }
		{ before = $4 } END { exit bad || n != 12 }' out
}

@test "the last instructions before a function, and what was open" {
	traced riscv64-count --last 1e5 --until there
	balanced
	grep -q 'ended at there after [0-9]* instructions$' err
	# the range is as long as asked for, and the function's first instruction
	[ "$(($(tail -n 1 out | cut -f1) - $(head -n 1 out | cut -f1)))" = 100000 ]
	[ "$(head -n 2 out | cut -f3-)" = "$(printf 'B\tstart\t~\nB\ttop\t~')" ]
	[ "$(sed -n 's/	~$//p' out | head -n 4 | cut -f4 | tr '\n' ' ')" = 'start top twice adds ' ]
	[ "$(grep -c '	B	jumps$' out)" = 1 ]
	[ "$(tail -n 1 out | cut -f3-)" = "$(printf 'E\tthere\t~')" ]
	[ "$(grep -c '	B	climb$' out)" -gt 500 ]
	# more than there was: all of it
	traced riscv64-count --until there
	mv out all
	traced riscv64-count --last 1e12 --until there
	cmp all out
}

@test "a loop that calls nothing is in the last instructions" {
	timeout 1000 kst-count -e "$B/guest/riscv64-pair.elf" --trace --last 1000 -n 4e7 -- \
		qemu-system-riscv64 -M virt -bios none -smp 1 "${plain[@]}" \
		-kernel "$B/guest/riscv64-pair.elf" >out 2>err
	balanced
	cat out
	[ "$(grep -c '	B	.*	~$' out)" -ge 1 ]
	[ "$(grep -vc '~$' out)" = 0 ]
}

@test "ranges: below a function, deep, some functions, long calls" {
	traced i386-count --in twice
	balanced
	[ "$(wc -l <out)" = 6 ]
	[ "$(cut -f3- out | head -n 2)" = "$(printf 'B\ttwice\nB\tadds')" ]
	traced i386-count --depth 3
	balanced
	[ "$(column twice count)" = 1 ]
	[ -z "$(column climb count)" ]
	traced i386-count --only climb --only twice
	balanced
	[ "$(cut -f4 out | sort -u | tr '\n' ' ')" = 'climb twice ' ]
	[ "$(column climb count)" = 600 ]
	traced i386-count --min 1000
	balanced
	[ -z "$(column climb count)" ]
	[ "$(column adds count)" = 102 ]
	traced i386-count --from turn --until adds
	balanced
	[ "$(cut -f3- out | head -n 4)" = "$(printf 'B\t%s\t~\n' start top here; printf 'B\tturn')" ]
}

@test "a jump to a function of --only or --in is a call of it" {
	riscv64-linux-gnu-gcc -nostdlib -static -Wl,-Ttext=0x80000000 -Wl,--build-id=none \
		-o tail.elf -x assembler - <<-END
		.macro function name
		.balign 4
		.type \name, @function
		\name:
		.endm
		.globl _start
		function _start
		la sp, stack
		call job
		call direct
		li t0, 0x100000
		li t1, 0x5555
		sw t1, 0(t0)
		1: j 1b
		.size _start, . - _start
		function job # jumps to work
		li a0, 3
		j work
		.size job, . - job
		function work # begins with a loop, ends with a jump by a register
		addi a0, a0, -1
		bnez a0, work
		addi sp, sp, -16
		sd ra, 0(sp)
		call leaf
		ld ra, 0(sp)
		addi sp, sp, 16
		la t1, leaf
		jr t1
		.size work, . - work
		function direct
		addi sp, sp, -16
		sd ra, 0(sp)
		li a0, 1
		call work
		ld ra, 0(sp)
		addi sp, sp, 16
		bnez sp, leaf
		.size direct, . - direct
		function leaf
		nop
		ret
		.size leaf, . - leaf
		function never
		ret
		.size never, . - never
		.space 256
		stack:
	END
	tailed() {
		timeout 1000 kst-count -e tail.elf --trace "$@" -- qemu-system-riscv64 -M virt \
			-bios none "${plain[@]}" -kernel tail.elf >out 2>err
	}
	tailed
	balanced
	[ "$(column work count)" = 1 ]
	# three turns or one of two instructions, eight, and twice two of leaf
	tailed --only work
	[ "$(cut -f3- out | tr '\t\n' '  ')" = 'B work E work B work E work ' ]
	[ "$(column work max),$(column work min)" = 18,14 ]
	tailed --only work --only leaf
	balanced
	[ "$(column work max),$(column work min)" = 16,12 ]
	[ "$(column leaf count),$(column leaf min),$(column leaf max)" = 5,2,2 ]
	# one ends where the other begins
	awk -F'\t' '$3 == "E" && $4 == "work" { e = $1 }
		$3 == "B" && $4 == "leaf" && $1 == e { n++ } END { exit n != 2 }' out
	tailed --in work
	balanced
	[ "$(column work count)" = 2 ]
	[ "$(column leaf count)" = 2 ]
	tailed --only work --min 15
	[ "$(column work count)" = 1 ]
	run tailed --only never
	[ "$status" = 1 ]
	[ ! -s out ]
	grep -qx 'kst-count: nothing called never, or jumped to its beginning; inlined copies have no calls' err
}

@test "CPUs that take turns are away in between" {
	! qemu-system-x86_64 --version | grep -q 'version \(9\.[2-9]\|[1-9][0-9]\)' ||
		skip "QEMU before 9.2 is needed"
	timeout 1000 kst-count -n 3e8 -e "$B/guest/cfi.elf" --trace -- qemu-system-x86_64 \
		"${plain[@]}" -smp 4 -kernel "$B/guest/cfi.elf" >out 2>err
	balanced
	[ "$(column '[away]' count)" -gt 1 ]
	# all that is not away was executed by one of them
	sum=$(kst-span --notrace '\[away\]' out | awk '!/^#/ { n += $NF } END { printf "%d", n }')
	length=$(($(tail -n 1 out | cut -f1) - $(head -n 1 out | cut -f1)))
	echo "$sum of $length"
	[ $((length - sum)) -lt 1000 ]
	grep -q 'signal handler called' out
}

@test "names are hostile, and options are checked" {
	objcopy --redefine-sym "$(printf 'adds=a\tb;c\\d')" "$B/guest/i386-count.elf" odd.elf
	timeout 1000 kst-count -e odd.elf --trace --until jumps -- qemu-system-i386 \
		-device isa-debug-exit,iobase=0xf4,iosize=1 "${plain[@]}" -kernel odd.elf >out 2>err
	balanced
	[ "$(grep -c '	B	a?b:c\\\\d$\|	B	a b:c\\\\d$' out)" = 2 ]
	[ "$(awk -F'\t' 'NF > 5' out | wc -l)" = 0 ]
	for o in '--last 5' '--depth 1' '--only x' '--min 1' '--by stack' \
		'--trace --every 5' '--trace --what calls' '--trace --by thread'; do
		run kst-count $o -- true
		[ "$status" = 2 ]
	done
	run kst-count -e "$B/guest/i386-count.elf" --trace --only nosuch -- true
	[ "$status" = 2 ]
	[[ $output == *"no function 'nosuch'"*'inlined everywhere has no calls: name its caller'* ]]
	run kst-count -e "$B/guest/i386-count.elf" --trace --addresses -- true
	[ "$status" = 2 ]
	[[ $output == *"--addresses with --trace: without --elf only"* ]]
}

# "timeout -s INT" is Ctrl-C: a deadlock does not end by itself.
@test "crashes: the last frames are those of the source, in the events and in the message" {
	handled='panic handle vector <signal handler called> faults works top start '
	again='<signal handler called> handle vector <signal handler called> faults works top start '
	deep=$(printf 'overflows %.0s' $(seq 14))
	want=('' "$handled" "panic ${deep}works top start " "panic double_fault handle vector $again" \
		'panic asserts works top start ' 'acquires locks works top start ' 'resets works top start ')
	for arch in riscv64 aarch64 i386; do
		case $arch in
		i386) qemu=(qemu-system-i386) at=0x1000000 ;;
		aarch64) qemu=(qemu-system-aarch64 -M virt -cpu cortex-a57) at=0x41000000 ;;
		riscv64) qemu=(qemu-system-riscv64 -M virt -bios none) at=0x81000000 ;;
		esac
		for kind in 1 2 3 4 5 6; do
			limits=('timeout 1000')
			# on a busy machine QEMU may not be there by then
			[ $kind != 5 ] || limits=('timeout -s INT 5' 'timeout -s INT 30' 'timeout -s INT 120')
			for limit in "${limits[@]}"; do
				$limit kst-count -e "$B/guest/$arch-crash.elf" --trace --last 10000 \
					--until panic -- "${qemu[@]}" "${plain[@]}" \
					-device loader,addr=$at,data=$kind,data-len=4 \
					-kernel "$B/guest/$arch-crash.elf" >out 2>err || [ $kind = 5 ]
				ended=$(awk -F'\t' '$3 == "E" && $5 == "~" { printf "%s ", $4 }' out)
				[ "$ended" != "${want[kind]}" ] || break
			done
			balanced
			echo "$arch $kind: $ended"
			[ "$ended" = "${want[kind]}" ]
			# the whole stack, with the mark above the frame that has failed
			all=$(sed 's/ $//; s/ / < /g; s/signal < handler < called/signal handler called/g' \
				<<<"$ended")
			grep -qxF "kst-count: CPU#0: $all" err
		done
	done
}

@test "exceptions in exceptions: the message begins with the innermost frame, too" {
	cat >again.S <<-END
		.globl _start
		.type _start, @function
		_start:	la t0, vector
		csrw mtvec, t0
		li s0, 0
		ebreak
		.size _start, . - _start
		.balign 4
		.type vector, @function
		vector:	addi s0, s0, 1
		li t1, 40
		bge s0, t1, 1f
		ebreak
		1:	call panic
		.size vector, . - vector
		.type panic, @function
		panic:	j panic
		.size panic, . - panic
	END
	riscv64-linux-gnu-gcc -nostdlib -static -Wl,-Ttext=0x80000000 -Wl,--build-id=none \
		-o again.elf again.S
	timeout 1000 kst-count -e again.elf --until panic -- qemu-system-riscv64 -M virt \
		-bios none "${plain[@]}" -kernel again.elf >out 2>err
	grep -q 'CPU#0: panic < vector < <signal handler called> < vector < ' err
	# a message has an end, which is marked
	grep -q 'CPU#0: panic < .* < vector < [.][.][.]$' err
	[ "$(grep -o 'vector <' err | wc -l)" -gt 20 ]
	# of short names all are there, up to 64
	sed 's/ebreak/call v/; s/vector/v/g; s/panic/p/g; s/t1, 40/t1, 80/' again.S >more.S
	riscv64-linux-gnu-gcc -nostdlib -static -Wl,-Ttext=0x80000000 -Wl,--build-id=none \
		-o more.elf more.S
	timeout 1000 kst-count -e more.elf --until p -- qemu-system-riscv64 -M virt \
		-bios none "${plain[@]}" -kernel more.elf >out 2>err
	tail -n 1 err
	tail -n 1 err | grep -qxE 'kst-count: CPU#0: p( < v){63} < [.][.][.]'
}
