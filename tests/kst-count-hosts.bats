#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# kst-count without a guest: a small program, count/host.c, takes QEMU's place.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	export TMPDIR=$PWD
	PATH="$B:$PATH"
}

@test "the plugin fits each version of QEMU's interface, and refuses a newer one" {
	for v in 1 2 3 4 5 6 7; do
		"$B/host-$v" "$B/kst-count.so" out
		printf '%s\n' 'CPU#0;0x1000 3' 'CPU#0;0x1001 3' 'CPU#0;0x1006;0x2000 3' \
			'#kst-end:2 1 9 2 9 0 1 0 0 0' '#kst-end:CPU#0;0x1006;0x2000' \
			'#kst:unit=instructions,exact=1' | diff - out
	done
	# one that refuses what is older than it is
	for v in 1 2 3 4 5 6 7; do
		HOST_MIN=$v "$B/host-$v" "$B/kst-count.so" out
	done
	status=0
	HOST_CUR=8 "$B/host-7" "$B/kst-count.so" out 2>err || status=$?
	[ $status = 1 ]
	grep -q 'has version 8, and kst-count knows 1 to 7' err
}

# Each look of the process that waits takes 0.1 s more, and SIGTERM is missed at
# first: its 3 s are by the clock, which 300 looks are not, and the signal comes
# again.
@test "what is left when a process was killed ends soon, also on a busy machine" {
	cat >deaf <<-'E'
		#!/bin/sh
		trap "" TERM
		exec 2>/dev/null
		echo $$ >begun
		sleep 0.5
		trap ": >heard; exit 0" TERM
		while :; do sleep 0.05; done
	E
	chmod 755 deaf
	strace -qqo /dev/null -e inject=poll:delay_exit=100000 \
		kst-count -- ./deaf >out 2>err 3>&- &
	until [ -s begun ]; do sleep 0.02; done
	begin=$SECONDS
	kill -9 "$(pgrep -P "$(pgrep -P $! kst-count)" kst-count)"
	wait $! || true
	echo "$((SECONDS - begin)) s"
	cat err
	[ ! -e "/proc/$(cat begun)" ]
	[ -e heard ]
	[ $((SECONDS - begin)) -lt 20 ]
}

# An ELF file with the guest's functions, main at 0x1000 and f at 0x2000.
make_elf() {
	printf '.globl main, f\n.type main,%%function\n.type f,%%function\nmain: .byte 0x90,0xe8,0xfa,0x0f,0,0; .skip 58
		.size main,64\n.org 0x1000\nf: .byte 0xc3; .skip 15\n.size f,16\n' | as -o guest.o
	ld -Ttext 0x1000 -e main -o guest.elf guest.o
}

# counts WANT OPTION ...: the folded text, its lines in order of their names.
counts() {
	local want=$1
	shift
	kst-count "$@" -- "$B/host-2" -machine none >out 2>err
	diff <(printf '%b' "$want") <(grep -v '^#' out | sort)
}

@test "what is asked of the plugin, and what it says" {
	make_elf
	counts 'CPU#0;0x1000 3\nCPU#0;0x1001 3\nCPU#0;0x1006;0x2000 3\n'
	printf 'kst-count: %s\n' 'ended with QEMU after 9 instructions, in 2 stacks' \
		'CPU#0: 0x2000 < 0x1006' | diff - err
	grep -qx '#kst:.*unit=instructions.*exact=1.*' out
	! grep -q kst-end out || false
	counts 'CPU#0;main 6\nCPU#0;main;f 3\n' -e guest.elf
	counts 'CPU#0;main;f 3\n' -e guest.elf --in f
	counts 'CPU#0;main;f 3\n' -e guest.elf --in 0x2000
	counts 'CPU#0;main;f 3\n' -e guest.elf --what calls
	counts 'CPU#0;0x1001 3\n' --what writes
	counts 'CPU#0;main 3\nCPU#0;main;f 3\n' -e guest.elf --what blocks
	grep -q 'in 2 stacks$' err
	counts 'CPU#0;main;f 3\n' -e guest.elf --what calls --also instructions=all
	printf '%s\n' 'CPU#0;main 6' 'CPU#0;main;f 3' | diff - <(grep -v '^#' all)
	kst-count --what interrupts -- "$B/host-2" -machine none >out 2>err
	! grep -v '^#' out || false
	counts 'CPU#0;0x1006;0x2000 3\n' --what reads
	grep -q 'unit=reads' out
	counts 'CPU#0;main;f 1\n' -e guest.elf --from f --until main
	counts 'CPU#0;main 4\nCPU#0;main;f 1\n' -e guest.elf -n 4
	counts 'CPU#0;main 4\nCPU#0;main;f 1\n' -e guest.elf -n 5
	counts 'CPU#0;main 4\nCPU#0;main;f 2\n' -e guest.elf -n 0.06e2
	counts '[0.000000000s];CPU#0;0x1000 2
[0.000000000s];CPU#0;0x1001 2
[0.000000000s];CPU#0;0x1006;0x2000 1
[0.000000005s];CPU#0;0x1000 1
[0.000000005s];CPU#0;0x1001 1
[0.000000005s];CPU#0;0x1006;0x2000 2
' --every 5
	# code before the file's .text is counted, but not followed
	printf '.globl f\n.type f,%%function\nf: .byte 0xc3; .skip 15\n.size f,16\n' | as -o f.o
	ld -Ttext 0x2000 -e f -o f.elf f.o
	counts 'CPU#0;0x1000 3\nCPU#0;0x1001 3\nCPU#0;0x1006;f 2\nCPU#0;f 1\n' \
		-e f.elf
}

# Of code that begins with main and the call at 0x1000, as host-2's does. What is
# behind a byte that is no instruction is not known.
@test "lines and branches of x86-64, and two counts in one run" {
	cat >guest.s <<-'E'
			.globl main, f, never
			.type main, %function
		main:	nop; call f
			push %rax
			jne 1f
		1:	ret
			.byte 6
			jne 2f
		2:	ret
			.size main, . - main
			.type never, %function
		never:	nop
			.size never, . - never
			.org 0x1000
			.type f, %function
		f:	ret
			.size f, . - f
	E
	as -g -o guest.o guest.s
	objcopy --redefine-sym "$(printf 'never=ne\tv\177r')" guest.o
	ld -Ttext 0x1000 -e main -o guest.elf guest.o
	counts 'CPU#0;main 6\nCPU#0;main;f 3\n' -e guest.elf --coverage lcov.info \
		--also calls=calls
	printf '%s\n' 'CPU#0;main;f 3' '#kst:unit=calls,exact=1' | diff - calls
	printf '%s\n' FN:3,main FN:12,ne?v?r FN:16,f FNDA:3,main FNDA:0,ne?v?r FNDA:3,f FNF:3 \
		FNH:2 BRDA:5,0,0,- BRDA:5,0,1,- BRF:2 BRH:0 DA:3,3 DA:4,0 DA:5,0 DA:6,0 DA:8,0 \
		DA:9,0 DA:12,0 DA:16,3 LF:8 LH:2 end_of_record | diff - <(sed 1,2d lcov.info)
	# linked elsewhere
	ld -Ttext 0x800 -e main -o low.elf guest.o
	kst-count -e low.elf@+800 --coverage low.info -- "$B/host-2" -machine none >out 2>err
	diff lcov.info low.info
}

@test "a program's block that has other bytes has no name" {
	make_elf
	for byte in 0xc3 0x90; do
		printf '.globl main\n.type main,%%function\nmain: .byte 0x90,0xe8,0xfa,0x0f,0,0
			.size main,6\n' | as -o k.o
		ld -Ttext 0x1000 -e main -o k.elf k.o
		printf '.globl f%s\n.type f%s,%%function\nf%s: .byte %s; .skip 15\n.size f%s,16\n' \
			$byte $byte $byte $byte $byte | as -o f.o
		ld -Ttext 0x2000 -e 0x2000 -o f$byte.elf f.o
	done
	counts 'CPU#0;main 6\nCPU#0;main;f0xc3 3\n' -e k.elf -e f0x90.elf -e f0xc3.elf
	counts 'CPU#0;main 6\nCPU#0;main;0x2000 3\n' -e k.elf -e f0x90.elf
	counts 'CPU#0;main;f0xc3 3\n' -e k.elf -e f0x90.elf -e f0xc3.elf --in f0xc3
	run -1 kst-count -e k.elf -e f0x90.elf -e f0xc3.elf --in f0x90 -- "$B/host-2" -machine none
	[[ $output == *'--in: f0x90 never came'* ]]
	counts 'CPU#0;main 2\n' -e k.elf -e f0xc3.elf --until f0xc3
	grep -q 'CPU#0: f0xc3 < main' err
}

# traced 'TIME B/E FUNCTION[~] ...' OPTION ...: events of the only CPU.
traced() {
	local want=$1
	shift
	kst-count -e guest.elf --trace "$@" -- "$B/host-2" -machine none >out 2>err
	diff <(tr ' ' '\n' <<<"$want") <(sed 's/\t[^\t]*#0\t/,/; s/\t~/~/; s/\t/,/' out)
}

@test "events of calls, by instruction" {
	make_elf
	all='0,B,main 2,B,f 3,E,f 5,B,f 6,E,f 8,B,f'
	traced "$all 9,E,f~ 9,E,main~"
	grep -q '^0	CPU#0	B	main$' out
	traced "$all 9,E,f~ 9,E,main~" --by stack
	grep -q '^0	stack#0	B	main$' out
	traced '0,B,main 8,B,f 9,E,f~ 9,E,main~' --min 2
	traced '0,B,main 9,E,main~' --depth 1
	traced '2,B,f 3,E,f 5,B,f 6,E,f 8,B,f 9,E,f~' --only f
	traced '2,B,f 3,E,f 5,B,f 6,E,f 8,B,f 9,E,f~' --in f
	traced '5,B,main~ 5,B,f 6,E,f 8,B,f 9,E,f~ 9,E,main~' --last 4
	traced "$all 9,E,f~ 9,E,main~" --last 10
	traced '2,B,main~ 2,B,f 3,E,f 4,E,main~' --from f --until main
	traced '0,B,main 2,B,f 3,E,f 5,B,f 5,E,f~ 5,E,main~' -n 5
	for o in '--last 5' '--only f' '--trace --what calls' '--trace --every 5'; do
		run -2 kst-count -e guest.elf $o -- touch begun
	done
	[ ! -e begun ]
}

@test "a file that kst did not write stays, unless --force" {
	for o in '-o mine' '--trace -o mine' '--also calls=mine'; do
		printf 'mine\n' >mine
		run -2 kst-count $o -- "$B/host-2" -machine none
		[ "$(cat mine)" = mine ]
		kst-count $o --force -- "$B/host-2" -machine none >out 2>err
		[ "$(head -c 4 mine)" != mine ]
		kst-count $o -- "$B/host-2" -machine none >out 2>err
	done
	# a device is not replaced
	kst-count -o /dev/null -- "$B/host-2" -machine none 2>err
	[ -c /dev/null ]
	mkdir folder
	run -1 kst-count -o folder -- touch begun
	[ "$output" = 'kst-count: folder: is a folder' ]
	[ ! -e begun ]
}

@test "how it ended, and where" {
	make_elf
	counts 'CPU#0;main 2\n' -e guest.elf --until f
	printf 'kst-count: %s\n' 'ended at f after 2 instructions, in 1 stack' 'CPU#0: f < main' |
		diff - err
	counts 'CPU#0;main 4\nCPU#0;main;f 1\n' -e guest.elf -n 4
	grep -qx 'kst-count: ended after 5 instructions, in 2 stacks' err
	for range in --from --in; do
		run -1 --separate-stderr kst-count $range 0x77 -- "$B/host-2" -machine none
		[ -z "$output" ]
		[[ ${stderr_lines[0]} = "kst-count: $range: 0x77 never came; what waits for a time "* ]]
	done
}

@test "a file whose code is not executed is said to be another one, and status 1" {
	printf '.globl main\n.type main,%%function\nmain: .skip 64,0x90\n.size main,64\n' | as -o o.o
	ld -Ttext 0x1000 -e main -o other.elf o.o
	run -1 --separate-stderr kst-count -e other.elf -- "$B/host-2" -machine none
	[[ $stderr == *'none of the code of other.elf was executed'* ]]
	[[ $output == *'CPU#0;main'* ]]
}

@test "a guest that is idle after the last line ends by the host's clock" {
	printf 'ready\n' >log
	HOST_IDLE=1 counts 'CPU#0;0x1000 3\nCPU#0;0x1001 3\nCPU#0;0x1006;0x2000 3\n' \
		--serial log --until line:ready
	grep -qx 'kst-count: ended at line:ready, the guest being idle, after 9 instructions, in 2 stacks' err
	[ "$(grep -c 'for 30 s' err)" = 0 ]
}

@test "a message does not begin on an unfinished line of the guest" {
	printf 'printf "job: round %%s" 1\nexec "%s" -machine none -nographic "$@"\n' "$B/host-2" >run.sh
	kst-count --until line:nothing -- sh run.sh >out 2>err
	cat err
	grep -qx 'job: round 1' err
	sed '/^kst-count: /d' err | diff - <(echo 'job: round 1')
	grep -q '^kst-count: ended' err
	# a script in a script says nothing of what QEMU does with its console
	printf '#!/bin/sh\nexec sh run.sh "$@"\n' >outer
	kst-count --until line:nothing -- sh outer >out 2>err
	grep -qx 'job: round 1' err
	! grep -q 'QEMU has neither' err || false
	sed -i 's/ -nographic//' run.sh
	kst-count --until line:nothing -- sh outer >out 2>err
	[ "$(grep -c 'QEMU has neither -nographic nor -serial stdio.*--serial' err)" = 1 ]
	printf 'printf "job: round %%s" 1\nexec "%s" -machine none -nographic "$@"\n' "$B/host-2" >run.sh
	# and no empty line after a whole one
	sed -i 's/%s"/%s\\n"/' run.sh
	kst-count --until line:nothing -- sh run.sh >out 2>err
	cat err
	sed '/^kst-count: /d' err | diff - <(echo 'job: round 1')
}

@test "a script that ends before its QEMU is waited for, what it leaves is ended" {
	folded='CPU#0;0x1000 3\nCPU#0;0x1001 3\nCPU#0;0x1006;0x2000 3\n'
	kst-count -- sh -c '(sleep 0.7; exec "$@") &' sh "$B/host-2" -machine none >out 2>err
	diff <(printf "$folded") <(grep -v '^#' out | sort)
	[ "$(grep -c 'nothing was counted' err)" = 0 ]
	begin=$SECONDS
	kst-count -- sh -c 'sleep 60 & echo $! >left; "$@"' sh "$B/host-2" -machine none \
		>out 2>err 3>&-
	diff <(printf "$folded") <(grep -v '^#' out | sort)
	[ $((SECONDS - begin)) -lt 30 ]
	[ ! -e "/proc/$(cat left)" ]
	# nor is it waited for what goes on after QEMU; the counts are kept
	begin=$SECONDS
	kst-count -- sh -c '"$@"; sleep 300 & echo $! >left; wait' sh "$B/host-2" \
		-machine none >out 2>err 3>&-
	diff <(printf "$folded") <(grep -v '^#' out | sort)
	[ $((SECONDS - begin)) -lt 120 ]
	[ ! -e "/proc/$(cat left)" ]
	# of one that starts none, the end is what is waited for
	run -1 kst-count -- sh -c 'sleep 0.3'
	[[ $output == *'nothing was counted'* ]]
}

# until_said TEXT WORDS...: counts a command, and is at the end of its time 1.5 s
# after the text is in `err`, in which it might be said again.
until_said() {
	env --default-signal=INT timeout -s INT 600 kst-count "${@:2}" >out 2>err 3>&- &
	for i in $(seq 600); do
		! grep -q "$1" err || break
		sleep 0.1
	done
	sleep 1.5
	kill -ALRM $!
	wait $!
}

@test "a guest that does nothing new is told of, with a remedy" {
	for is in '1 has executed nothing' '2 has run on known stacks only'; do
		status=0
		KST_STALL=1 HOST_IDLE=${is%% *} until_said 'for 1 s' \
			-- "$B/host-2" -machine none || status=$?
		cat err
		[ $status = 124 ]
		[ "$(grep -c 'for 1 s' err)" = 1 ]
		grep -q "kst-count: for 1 s the guest ${is#* }: a signal.*try -smp 1, or --no-icount" err
		grep -q '^CPU#0;0x1000 ' out
		! grep -q 'no QEMU' err || false
	done
	# a range that does not begin, though the guest runs
	KST_STALL=1 HOST_IDLE=2 until_said 'has not come' --from 0x99 -- \
		"$B/host-2" -machine none || true
	[ "$(grep -c 'from: 0x99 has not come in 1 s; .*sooner with --no-icount' err)" = 1 ]
	# a script that keeps what it was given
	KST_STALL=3 until_said 'no QEMU' -- sh -c 'sleep 900' || true
	[ "$(grep -c 'no QEMU has loaded kst.s plugin yet: does the command' err)" = 1 ]
	# a log that grows is something new, unless what writes it came late
	(
		while [ ! -e ended ]; do
			date +%s.%N >>log
			sleep 0.2
		done
	) 3>&- &
	KST_STALL=3 HOST_IDLE=1 timeout -s INT 6 kst-count --serial log -- \
		"$B/host-2" -machine none >out 2>err || true
	: >ended
	wait
	[ "$(grep -c 'for 3 s' err)" = 0 ] ||
		awk 'NR > 1 && $1 - last > 2 { late = 1 } { last = $1 } END { exit !late }' log
}

@test "on a terminal a line shows how much was counted, and leaves" {
	command -v script >/dev/null || skip "needs script"
	cat >run <<-'E'
		exec timeout -s INT $LIMIT kst-count -- "$B/host-2" -machine none $MORE >out
	E
	# a busy machine may need more than 3 s
	for LIMIT in 3 30; do
		export LIMIT
		HOST_IDLE=2 script -qec 'sh run' seen </dev/null >/dev/null || true
		! grep -aq 'million instructions' seen || break
	done
	grep -aq $'\r[0-9]* million instructions, [0-9]* stacks\e\[K' seen
	# what comes then is on a line of its own
	grep -aq $'\r\e\[Kkst-count: ended' seen
	# the guest has the terminal
	MORE='-serial stdio' HOST_IDLE=2 script -qec 'sh run' seen </dev/null >/dev/null || true
	grep -aq 'kst-count: ended' seen
	[ "$(grep -ac 'million instructions' seen)" = 0 ]
}

@test "QEMU's arguments" {
	cat >qemu <<'END'
#!/bin/sh
printf '%s\n' "$@" | sed 's|/proc/[0-9]*/fd/[0-9]*$|FILE|; s|,.*/kst-count.so|,kst-count.so|
	s|^/.*/kst-count.so|kst-count.so|' >args
for last; do :; done
cp "${last#*result=}" request
printf 'CPU#0;a 1\n%s\n' "${END-#kst:unit=instructions,exact=1}" >"${last#*result=}"
exit ${STATUS-0}
END
	chmod +x qemu
	kst-count -- ./qemu -m 1 >out 2>err
	[ ! -s err ]
	printf '%s\n' -m 1 -icount shift=0,sleep=off -rtc clock=vm,base=2020-01-01 -seed 1 -accel \
		tcg,thread=single -plugin kst-count.so,result=FILE | diff - args
	grep -qx 'CPU#0;a 1' out
	kst-count --serial a.log --from line:ready --until 'line:the end' -- ./qemu >out
	for text in a.log ready 'the end' instructions; do
		tr '\0' '\n' <request | grep -aqx "$text"
	done
	# functions move with a kernel up to 64 KiB above where the last one begins
	make_elf
	kst-count -e guest.elf -- ./qemu >out 2>err || true
	od -An -v -tu8 -w8 request | grep -qx " *$((0x2000 + (64 << 10)))"
	kst-count --no-icount -- ./qemu >out 2>err
	printf '%s\n' -accel tcg,thread=single -plugin kst-count.so,result=FILE | diff - args
	grep -q 'kst-count: without -icount, another run counts differently' err
	# the command's own status does not matter, once all was written
	STATUS=3 kst-count -- ./qemu >out
	grep -qx 'CPU#0;a 1' out
	END='#kst:unit=instructions,exact=' run -1 kst-count -- ./qemu
	[[ $output == *'./qemu has executed nothing in QEMU'* || \
		$output == *'did not pass its last arguments'* ]]
	run -1 compgen -G 'kst-count.??????'
}

@test "what cannot be counted says why, before QEMU starts" {
	make_elf
	run -2 kst-count -e guest.elf --in nosuch -- touch begun
	[[ $output == *"--in: no function 'nosuch' in the ELF files"* ]]
	# a program's function is known, too
	echo 'void prog(void) {}' | gcc -nostdlib -static -Wl,-e,0 -x c -o prog.elf -
	run kst-count -e guest.elf -e prog.elf --in prog -- sh -c ': >ran'
	[[ $output != *'no function'* ]]
	[ -e ran ]
	run -2 kst-count -e guest.elf --from 0x10x -- touch begun
	run -2 kst-count --addresses --from f -- touch begun
	[[ $output == *"--from: where the function 'f' is, is told by the kernel's file"* ]]
	run -2 kst-count --until line: --serial log -- touch begun
	[[ $output == *"no text of 1 to 1023 bytes after line:"* ]]
	line=$(printf '%01024d' 0)
	run -2 kst-count --until "line:$line" --serial log -- touch begun
	run -2 kst-count --serial "$line$line$line$line" -- touch begun
	[[ $output == *"--serial: too long"* ]]
	run -1 kst-count --from line:ready --serial log -- true
	run -1 kst-count --until "line:${line#0}" --serial log -- true
	run -2 kst-count --from line:ready -- touch begun
	[[ $output == *"a line needs --serial"* ]]
	for n in 0 0.9 1.1e18 x 1x -1 ''; do
		run -2 kst-count -n "$n" -- touch begun
		[[ $output == *'is not a number of 1 to 1e18'* ]]
	done
	run -2 kst-count operand -- touch begun
	run -2 kst-count
	run -4 env TMPDIR=/nowhere kst-count -- touch begun
	[[ $output == *'/nowhere/kst-count.'* ]]
	[ ! -e begun ]
	run -1 kst-count -- true
	[[ $output == *'true did not pass its last arguments'* ]]
	# as of a QEMU that ends over an option, by a script
	run -1 kst-count -- sh -c '"$@"; exit 7' sh false
	[[ $output == *"sh ended with status 7 before a QEMU ran with kst's plugin"* ]]
	for option in -enable-kvm '-accel kvm' '-machine q35,accel=kvm'; do
		run -1 kst-count -- true $option
		[[ $output == *'true uses KVM'* ]]
	done
	run -4 kst-count -- sh -c 'kill -9 $$'
	[[ $output == *'nothing was counted: sh was killed'* ]]
}

@test "a second signal, a second later, ends what the first one does not" {
	local try sent
	for try in 1 2 3 4 5; do
		rm -f pid
		kst-count -- sh -c 'trap "" TERM INT; echo $$ >pid; while :; do sleep 0.2; done' \
			>out 2>err 3>&- &
		for ((i = 0; i < 2000; i++)); do
			[ ! -s pid ] || break
			sleep 0.05
		done
		sent=$(date +%s%N)
		kill -TERM $!
		sleep 0.2
		# this is still the first one
		kill -TERM $!
		# unless the machine is so busy that a second has gone, here or there
		if [ $(($(date +%s%N) - sent)) -le 700000000 ]; then
			sleep 1.5
			! kill -0 $! 2>ended || break
		fi
		# which is another one by now
		sleep 1.5
		kill -TERM $! 2>ended || true
		wait $! || true
	done
	kill -0 $!
	kill -0 "$(cat pid)"
	kill -TERM $!
	status=0
	wait $! || status=$?
	[ $status = 143 ]
	[ ! -s out ]
	[ ! -e "/proc/$(cat pid)" ]
}

@test "what ends by the host's clock is said once, and the trailer has it" {
	for option in '-drive file=a.img' '-drive if=pflash,file=a -hda a.img' '--cdrom a.iso' \
		'-blockdev raw' '-nic user' '-netdev tap,id=a' '-net nic' '-virtfs local' \
		'-fsdev local' '-device vfio-pci,host=1' '-device usb-host' \
		'-object rng-random,id=a'; do
		kst-count -- "$B/host-2" -machine none $option >out 2>err
		grep -qx '#kst:unit=instructions,exact=1,reproducible=0' out
		word=${option##* -} word=${word#-} word=${word#-}
		grep -q "kst-count: -${word%% *}: the work of .* ends by the host's clock" err
		[ "$(grep -c "host's clock" err)" = 1 ]
	done
	grep -q "host's random numbers" err
	for option in '-nic none' '-net none' '-drive if=pflash,file=a' '-device virtio-net' \
		'-rtc base=utc' '-name drive' '-icount shift=3,rr=replay,rrfile=a -drive a'; do
		kst-count -- "$B/host-2" -machine none $option >out 2>err
		grep -qx '#kst:unit=instructions,exact=1' out
		[ "$(grep -c "host's clock" err)" = 0 ]
	done
	# a card that QEMU adds to the machine, if no option is about networks
	export HOST_CARD=' \ hub0port0: e1000.0: index=0,type=nic,model=e1000'
	for options in '' '-machine usb=off' '-machine usb=off,type=pc -M accel=tcg' \
		'-M q35 --machine pc,usb=off'; do
		HOST_MACHINE=$([[ $options != *pc* ]] || echo pc) kst-count -- "$B/host-2" \
			-m 1 $options >out 2>err
		grep -qx '#kst:unit=instructions,exact=1,reproducible=0' out
		[ "$(grep -c "network card .*host's clock.*-nic none" err)" = 1 ]
	done
	for options in '-nic none' '-net none' '-nodefaults' '-M q35' \
		'-icount shift=3,rr=replay,rrfile=a'; do
		kst-count -- "$B/host-2" -m 1 $options >out 2>err
		grep -qx '#kst:unit=instructions,exact=1' out
		[ "$(grep -c "host's clock" err)" = 0 ]
	done
	unset HOST_CARD
	# of several clocks the last one holds
	printf '%s\n' '#!/bin/bash' 'n=$(($# - 2))' \
		'exec "$HOST" "${@:1:n}" -rtc clock=host "${@:n+1}"' >script
	chmod 755 script
	HOST=$B/host-2 kst-count -- ./script >out 2>err
	grep -q -- '-rtc: .*clock' err
	grep -q 'reproducible=0' out
	kst-count --no-icount -- "$B/host-2" >out 2>err
	grep -q 'reproducible=0' out
	grep -q 'without -icount' err
	kst-count --no-icount -- "$B/host-2" -icount rr=replay -drive a >out 2>err
	grep -qx '#kst:unit=instructions,exact=1' out
	[ "$(grep -c 'without -icount' err)" = 0 ]
}

@test "the folder of a run that was killed goes with the next one, that of a run does not" {
	# a script that hands nothing on, and looks at the folders of runs
	printf '#!/bin/sh\n# qemu\nls -d kst-count.*-* >seen\n' >run.sh
	chmod 755 run.sh
	left() {
		mkdir "$1"
		: >"$1/start"
		ln -s start "$1/qemu-system-riscv64"
		touch -d '2 minutes ago' "$1"
	}
	left kst-count.12-1f
	left kst-count.13-2e
	touch kst-count.13-2e # it may just be made
	left kst-count.14-3d
	: >kst-count.14-3d/mine
	touch -d '2 minutes ago' kst-count.14-3d
	left kst-count.15-4c
	left other.16-5b
	run -1 flock -s kst-count.15-4c kst-count -- ./run.sh
	[ "$(grep -c . seen)" = 4 ]
	[ ! -e kst-count.12-1f ]
	[ -e kst-count.13-2e/start ]
	[ -e kst-count.14-3d/mine ]
	[ -e kst-count.15-4c/start ]
	[ -e other.16-5b/start ]
	# a run's own, which looks old
	printf '#!/bin/sh\n# qemu\n[ -n "$in" ] || {\n\ttouch -d "2 minutes ago" kst-count.*-*
		in=1 kst-count -- ./run.sh\n\tls -d kst-count.*-* >seen\n}\n' >run.sh
	run -1 kst-count -- ./run.sh
	[ "$(grep -vcx 'kst-count.13-2e\|kst-count.14-3d' seen)" = 1 ]
	[ ! -e kst-count.15-4c ]
}
