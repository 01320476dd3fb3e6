#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# slow
# needs: tiny guest
# Calls and exceptions of guests, one by one, as event text.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	export TMPDIR=$PWD
	PATH="$B:$PATH"
	plain=(-display none -serial none -monitor none -no-reboot)
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
	[[ $output == *"no function 'nosuch'"* ]]
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
			limit=(timeout 1000)
			[ $kind != 5 ] || limit=(timeout -s INT 5)
			"${limit[@]}" kst-count -e "$B/guest/$arch-crash.elf" --trace --last 10000 \
				--until panic -- "${qemu[@]}" "${plain[@]}" \
				-device loader,addr=$at,data=$kind,data-len=4 \
				-kernel "$B/guest/$arch-crash.elf" >out 2>err || [ $kind = 5 ]
			balanced
			ended=$(awk -F'\t' '$3 == "E" && $5 == "~" { printf "%s ", $4 }' out)
			echo "$arch $kind: $ended"
			[ "$ended" = "${want[kind]}" ]
			first=$(sed 's/<signal handler called> //g; s/ $//; s/ / < /g' <<<"$ended" |
				cut -d'<' -f1-6)
			grep -qF "CPU#0: $first" err
		done
	done
}
