# SPDX-License-Identifier: ISC
# slow
# needs: guest tools
# kst-capture through gdb, on the test guest: the truth of the samples, and
# that the guest runs on whatever happens.

. "$BATS_TEST_DIRNAME/guest.bash"

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

teardown() {
	end_guest
}

capture() {
	kst-capture --backend gdb --remote "$gdb" --elf "$B/guest/cfi.elf" "$@"
}

# start ARGS: captures in the background to out and err; $pid.
start() {
	: >out # what an earlier capture wrote is not looked at
	kst-capture --backend gdb --remote "$gdb" --elf "$B/guest/cfi.elf" \
		"$@" >out 2>err 3>&- &
	pid=$!
	until_grows out
}

# ends STATUS: the background capture ends so.
ends() {
	local rc=0
	wait "$pid" || rc=$?
	cat err
	[ "$rc" = "$1" ]
}

# truth ELF: 300 samples of the guest are what truth.txt says. Whoever else uses
# the host's processors can spoil a measurement, gdb's most of all, which stops
# the guest for long: there are three tries, with more time between samples.
truth() {
	boot "$1"
	local interval
	for interval in 0.041 0.127 0.293; do
		kst-capture --backend gdb --remote "$gdb" \
			--elf "$B/guest/$1.elf" -n 300 -i $interval >out
		guest_is running 1
		kst-clean out | kst-fold --by cpu >folded
		"$root/tests/guest/check" -n 280 folded && return 0
	done
	return 1
}

@test "the truth: frame pointers" {
	truth fp
}

@test "the truth: CFI only" {
	truth cfi
}

@test "trace text: metadata, captures, all CPUs, summary" {
	boot cfi
	capture -n 5 -i 0.05 >out 2>err
	head -n 1 out | grep -E '^\[kst-capture-info version=[0-9.]+ backend=gdb interval=0.05 remote="[^"]*" elf="/[^"]*" build-id=[0-9a-f]{40} seed=[0-9]+\]$'
	[ "$(grep -c -E '^\[kst-capture seq=[1-5] time=[0-9]{10}\.[0-9]{9} stop-ns=[0-9]+\]$' out)" = 5 ]
	[ "$(grep -c -E '^Thread [1-4] \(Thread 1\.[1-4] \(CPU#[0-3] \[(running|halted )\]\)\):$' out)" = 20 ]
	tail -n 1 out | grep -E '^\[kst-capture-summary taken=5 failed=0 '
	grep -E '^kst-capture: 5 samples taken, 0 failed, in [0-9.]+ s: [0-9.]+ a second' err
	grep -E '^kst-capture: the guest was stopped for .* per sample \(median; 99 %: .*\), .* % of the time, measured from outside$' err
	guest_is running 1
}

@test "options: quiet, one-shot, duration, output, progress" {
	boot cfi -s 2
	capture -q --one-shot >out 2>err
	[ ! -s err ]
	[ "$(grep -c '^\[kst-capture seq' out)" = 1 ]
	capture -q -d 1 -i 0.2 -o file
	[ "$(grep -c '^\[kst-capture seq' file)" -le 6 ]
	[ "$(grep -c '^\[kst-capture seq' file)" -ge 1 ]
	# before the last one the time is not over
	sed -n 's/^\[kst-capture seq=[0-9]* time=\([0-9.]*\).*/\1/p' file |
		awk 'NR == 1 { first = $1 } NR > 1 && last - first > 1 { exit 1 }
			{ last = $1 }'
	script -qec "kst-capture -b gdb -r $gdb -n 5 -i 0 -o /dev/null" tty >/dev/null
	grep -q '\[##*\.*\].*samples.*/s' tty
}

# most FILE INTERVAL: the most that a sample is away from its place on the grid, as
# a share of the interval, and the number of samples.
most() {
	sed -n 's/^\[kst-capture seq=[0-9]* time=\([0-9.]*\).*/\1/p' $1 |
		awk -v i=$2 'NR == 1 { first = $1 }
		{ d = ($1 - first) / i - (NR - 1); if (d < 0) d = -d }
		d > most { most = d }
		END { printf "%.3f %d\n", most, NR }' | tee most
}

# Where gdb needs half a second for a sample, a longer interval tells.
@test "each sample falls into its own interval, or on a grid" {
	boot cfi -s 2
	for i in 0.5 2 8; do
		capture -q -n 6 -i $i >out
		most out $i
		! awk '{ exit !($1 > .04 && $1 < .9 && $2 == 6) }' most || break
		[ $i != 8 ]
	done
	for o in -F2 -F1 -i8; do
		capture -q -n 6 $o --no-jitter >grid
		head -n 1 grid | grep -v ' seed='
		most grid "$(sed -n '1s/.* interval=\([0-9.]*\) .*/\1/p' grid)"
		! awk '{ exit !($1 < .4 && $2 == 6) }' most || break
		[ $o != -i8 ]
	done
}

@test "samples that were left out are counted" {
	boot cfi -s 2
	capture -n 5 -i 0.0001 >out 2>err
	grep -E '^kst-capture: [0-9]+ of [0-9]+ samples were skipped' err
	for i in 0.5 4 30; do
		capture -n 3 -i $i >out 2>err
		! tail -n 1 out | grep ' missed=0 ' || break
	done
	tail -n 1 out | grep ' missed=0 '
	[ "$(grep -c 'left out\|slower' err)" = 0 ]
}

@test "Ctrl-C once: the sample is finished, the summary said, status 0" {
	boot cfi -s 2
	start -n 100000 -i 0.02
	kill -INT $pid
	ends 0
	guest_is running 1
	grep -q 'samples taken' err
	tail -n 1 out | grep -q '^\[kst-capture-summary'
}

@test "SIGTERM is the same" {
	boot cfi -s 2
	start -n 100000 -i 0.02
	kill -TERM $pid
	ends 0
	guest_is running 1
	tail -n 1 out | grep -q '^\[kst-capture-summary'
}

@test "Ctrl-C twice: at once, and the guest runs" {
	boot cfi -s 2
	start -n 100000 -i 0
	kill -INT $pid
	kill -TERM $pid || :
	ends 0 || ends 1
	guest_is running
}

@test "Ctrl-C again while gdb ends: the capture gets its name" {
	boot cfi -s 2
	cat >slow <<'END'
#!/bin/sh
gdb "$@"
exec <&- >&- 2>&-
: >ended
for i in $(seq 100); do
	[ ! -e twice ] || break
	sleep 0.1
done
END
	chmod +x slow
	kst-capture -r "$gdb" -e "$B/guest/cfi.elf" --gdb ./slow -d 600 -o file \
		2>err 3>&- &
	pid=$!
	for i in $(seq 600); do
		! grep -qs '^\[kst-capture seq' .kst-* || break
		sleep 0.1
	done
	kill -INT $pid
	for i in $(seq 600); do
		[ ! -e ended ] || break
		sleep 0.1
	done
	sleep 0.3
	kill -INT $pid
	: >twice
	ends 0
	tail -n 1 file | grep -q '^\[kst-capture-summary'
	guest_is running
}

# Until the stub is free again: a gdb whose kst-capture is dead leaves soon.
again() {
	local i
	for ((i = 0; i < 300; i++)); do
		capture -q --one-shot >/dev/null 2>again && return
		sleep 0.2
	done
	cat again
	return 1
}

@test "kill -9 at any moment: the guest runs" {
	boot cfi -s 2
	for t in 0.01 0.13 0.27 0.31; do
		start -n 100000 -i 0
		sleep $t
		kill -9 $pid
		ends 137
		guest_is running
		again
		guest_is running 1
	done
}

@test "the reader goes away: quiet, and the guest runs" {
	boot cfi -s 2
	capture -n 100000 -i 0 2>err | head -n 20 >out
	[ "$(wc -l <out)" = 20 ]
	[ ! -s err ]
	guest_is running
}

@test "a full disk: message, status 4, and the guest runs" {
	boot cfi -s 2
	rc=0
	capture -n 100000 -i 0 >/dev/full 2>err || rc=$?
	[ $rc = 4 ]
	grep -q '^kst-capture: cannot write the output: No space left' err
	guest_is running 1
}

@test "gdb is killed: message, status 1, and the guest runs" {
	boot cfi -s 2
	for t in 0.05 0.17 0.3; do
		start -n 100000 -i 0
		sleep $t
		pkill -KILL -P $pid gdb
		ends 1
		grep -q 'gdb was killed by signal 9' err
		grep -q '^\[kst-capture seq=3 ' out
		guest_is running
		again
	done
}

@test "the guest goes away: message, what was captured is kept" {
	boot cfi -s 2
	start -n 100000 -i 0.05
	kill -9 "$qemu"
	ends 1
	grep -q 'the guest went away' err
	grep -q '^\[kst-capture seq=3 ' out
}

@test "the guest goes away: gdb 16 says one thing of it" {
	boot cfi -s 2
	cat >gdb16 <<'END'
#!/bin/sh
gdb "$@" | while IFS= read -r line; do
	case $line in
	*exited* | *'Remote c'*)
		printf '%s\n' '&"warning: Error detected on fd 12\n"'
		cat >rest
		;;
	*) printf '%s\n' "$line" ;;
	esac
done
END
	chmod +x gdb16
	start --gdb ./gdb16 -n 100000 -i 0.05
	kill -9 "$qemu"
	ends 1
	grep -q 'the guest went away' err
	grep -q '^\[kst-capture seq=3 ' out
}

@test "the guest hangs: message after the timeout; it runs when it wakes up" {
	boot cfi -s 2
	local limit
	# A busy machine may need more than 2 s to start gdb.
	for limit in 2 20; do
		! start -n 100000 -i 0.05 --timeout $limit || break
	done
	kill -STOP "$qemu"
	ends 1
	grep -q "no answer within $limit s" err
	kill -CONT "$qemu"
	guest_is running
}

@test "the guest reboots: message, status 1" {
	boot cfi -s 2
	start -n 100000 -i 0.01
	"$B/tools/qmp" "$qmp" system_reset
	ends 1
	grep -q 'the guest has rebooted' err
	guest_is running
}

@test "somebody else stops the guest: it is left stopped" {
	boot cfi -s 2
	start -n 100000 -i 0.3
	# One that comes while the guest stands still anyway is none.
	for _ in $(seq 20); do
		"$B/tools/qmp" "$qmp" stop
		sleep 0.5
		kill -0 $pid 2>/dev/null || break
	done
	ends 1
	grep -q 'the guest was stopped by a monitor or a breakpoint' err
	[ "$("$B/tools/qmp" "$qmp" status)" = paused ]
	"$B/tools/qmp" "$qmp" cont
	guest_is running 1
}

@test "a guest that was paused is sampled and left so" {
	boot cfi -s 2
	local known=
	tells_paused || known=--paused
	"$B/tools/qmp" "$qmp" stop
	capture -n 3 -i 0.01 $known >out 2>err
	grep -q 'paused' err
	[ "$(grep -c '^\[kst-capture seq' out)" = 3 ]
	grep -q 'in cpu_entry ()' out
	[ "$("$B/tools/qmp" "$qmp" status)" = paused ]
	# Whatever ends it.
	for s in INT KILL; do
		start -n 100000 -i 0.05 $known
		kill -$s $pid
		wait $pid || true
		sleep 0.5
		[ "$("$B/tools/qmp" "$qmp" status)" = paused ]
	done
	"$B/tools/qmp" "$qmp" cont
	guest_is running 1
}

@test "no gdb, no ELF, no listener, another kernel: each its message" {
	boot cfi -s 2
	run kst-capture -b gdb -r "$gdb" --gdb ./nogdb
	[ "$status" = 1 ]
	echo "$output" | grep -q "^kst-capture: gdb not found: './nogdb' ("
	run kst-capture -b gdb -r "$gdb" -e ./nofile
	[ "$status" = 1 ]
	[ "$output" = 'kst-capture: ./nofile: No such file or directory' ]
	echo text >noelf
	run kst-capture -b gdb -r "$gdb" -e noelf
	[ "$status" = 1 ]
	echo "$output" | grep -q 'noelf: .*ELF'
	run kst-capture -b gdb -r ./nosocket
	[ "$status" = 1 ]
	echo "$output" | grep -q '^kst-capture: cannot connect to ./nosocket: '
	run kst-capture -b gdb -r 127.0.0.1:1
	[ "$status" = 1 ]
	echo "$output" | grep -q '^kst-capture: cannot connect to 127.0.0.1:1: '
	run kst-capture -b gdb -r "$gdb" -e "$B/guest/fp.elf"
	[ "$status" = 1 ]
	echo "$output" | grep -q 'fp.elf is not the running kernel'
	guest_is running 1
}

@test "another debugger is connected: message, and it goes on" {
	boot cfi -s 2
	start -n 100000 -i 0.1
	run kst-capture -b gdb -r "$gdb" --timeout 2
	[ "$status" = 1 ]
	echo "$output" | grep -q 'does not answer: is another debugger connected'
	n=$(grep -c '^\[kst-capture seq' out)
	until_grows out $((n + 2))
	kill -INT $pid
	ends 0
	guest_is running
}

@test "no name becomes a command" {
	boot cfi -s 2
	bad=$'a"b\\ c\'; shell touch pwned; $(touch pwned)\t-ex "!touch pwned" (x) .elf'
	cp "$B/guest/cfi.elf" "$bad"
	kst-capture -b gdb -q -r "$gdb" -e "$bad" -n 2 -i 0 >out
	grep -q 'in cpu_entry ()' out
	mv "$bad" $'a\nshell touch pwned'
	run kst-capture -b gdb -r "$gdb" -e $'a\nshell touch pwned' -n 1
	[ "$status" = 1 ]
	[[ $output == *'gdb cannot use a file whose name has a line end'* ]]
	for r in '|touch pwned' '| touch pwned' ':1234; shell touch pwned' \
		'-ex' $'x\nshell touch pwned' 'ho st:12' 'h:99999'; do
		run kst-capture -b gdb -r "$r" -n 1 --timeout 2
		[ "$status" != 0 ]
	done
	[ ! -e pwned ]
	guest_is running 1
	ln "$gdb" $'a b"c\\ \'$(touch pwned)|'
	kst-capture -b gdb -q -r $'a b"c\\ \'$(touch pwned)|' -n 2 -i 0 >out
	grep -q '^#1 ' out
	[ ! -e pwned ]
	guest_is running 1
}

@test "wrong usage" {
	for o in '-n 0' '-i x' '-F 0' '-F x' '--seed x' '-d 0' '--timeout 0' '-b x' '-r' 'operand' '-n 1.5'; do
		run kst-capture $o
		[ "$status" = 2 ]
	done
}
