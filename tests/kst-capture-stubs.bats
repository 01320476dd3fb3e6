# SPDX-License-Identifier: ISC
# slow
# needs: guest tools
# kst-capture at stubs that are not QEMU's: each is spoken to as it wants, and
# what it holds runs on.

. "$BATS_TEST_DIRNAME/guest.bash"

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	ELF=$B/guest/cfi.elf
	PC=$(nm "$ELF" | awk '$3 == "parse" { print $1 }')
	pids=
}

teardown() {
	[ -z "$pids" ] || kill $pids 2>/dev/null || :
}

# stub KIND PC...: $S is its socket, `state` what it says.
stub() {
	S=$BATS_TEST_TMPDIR/s
	rm -f "$S" state
	python3 "$root/tests/stub.py" "$1" "$S" "$ELF" "${@:2}" >state 3>&- &
	pids="$pids $!"
	while ! grep -q running state 2>/dev/null; do sleep 0.02; done
}

runs_still() {
	cat state
	[ "$(tail -n 1 state)" = running ]
	[ "$(grep -c violation state)" = 0 ]
}

@test "a stub like the gdbstub crate's" {
	stub gdbstub $PC $PC
	kst-capture -r "$S" -e "$ELF" -n 4 -i 0.01 >out 2>err
	cat err
	grep -q '^kst-capture: no QEMU: a gdb stub, 2 threads$' err
	[ "$(grep -c '^Thread [12] (Thread [12]):$' out)" = 8 ]
	[ "$(grep -c '^#0  0x.* in parse ()' out)" = 8 ]
	runs_still
}

@test "a stub like OpenOCD's" {
	stub openocd $PC
	kst-capture -r "$S" -e "$ELF" -n 4 -i 0.01 >out 2>err
	cat err
	grep -q '^kst-capture: no QEMU: a gdb stub, 1 thread$' err
	[ "$(grep -c '^#0  0x.* in parse ()' out)" = 4 ]
	runs_still
}

# A keeper cannot know whether what is deaf runs.
runs_soon() {
	local i
	for i in $(seq 20); do
		[ "$(grep -v violation state | tail -n 1)" != running ] ||
			return 0
		sleep 0.2
	done
	cat err state
	return 1
}

# At any moment of the conversation.
@test "stubs are left running by SIGTERM and SIGKILL" {
	for kind in gdbstub openocd; do
		stub $kind $PC
		for t in 0.00 0.01 0.02 0.05 0.1; do
			for s in TERM KILL; do
				kst-capture -q -r "$S" -e "$ELF" -d 2 -i 0 \
					>out 2>err 3>&- &
				pid=$!
				sleep $t
				kill -$s $pid
				wait $pid || :
				runs_soon
			done
		done
	done
}

@test "the kernel is known by a CPU that is in it, whatever CPU 0 does" {
	stub qemu 401000 $PC
	kst-capture -q -r "$S" -e "$ELF" -n 2 -i 0.01 >out
	[ "$(grep -c '^#0  0x.* in parse ()' out)" = 2 ]
	runs_still
}

@test "with all CPUs in user mode, the kernel is known by a later sample" {
	local user
	user=$(yes 401000 | head -n 40 | paste -sd,)
	stub qemu $user,$PC
	kst-capture -q -r "$S" -e "$ELF" -n 50 -i 0 >out
	grep -q '^#0  0x0*401000 in ?? ()' out
	grep -q '^#0  0x.* in parse ()' out
	runs_still
	stub qemu $user,$PC
	run kst-capture -r "$S" -e "$B/guest/fp.elf" -n 50 -i 0
	[ "$status" = 1 ]
	[[ $output == *'fp.elf is not the running kernel: its code differs'* ]]
	runs_still
}

@test "a kernel that has moved itself is found" {
	export SLIDE=1e00000
	stub qemu $(printf %x $((0x$PC + 0x$SLIDE)))
	kst-capture -r "$S" -e "$ELF" -n 2 -i 0.01 >out 2>err
	cat err
	grep -q 'cfi.elf is 0x1e00000 higher in memory than in its file' err
	[ "$(grep -c '^#0  0x.* in parse ()' out)" = 2 ]
	kst-capture -r "$S" -e "$ELF@+1e00000" -n 1 >out 2>err
	[ "$(grep -c 'higher' err)" = 0 ]
	grep -q '^#0  0x.* in parse ()' out
	run kst-capture -r "$S" -e "$B/guest/fp.elf" -n 1
	[ "$status" = 1 ]
	[[ $output == *'not the running kernel'* ]]
	runs_still
}

@test "no CPU in the kernel: that is said" {
	stub qemu 401000
	run kst-capture -r "$S" -n 2 -i 0.01 --kernel-only
	[ "$status" = 1 ]
	[[ $output == *'no CPU was in the kernel in any sample'* ]]
	run kst-capture -q -r "$S" -n 2 -i 0.01 --user-only
	[ "$status" = 0 ]
}

# A program with three threads, two of them in spin().
program() {
	cat >prog.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
volatile unsigned long n;
__attribute__((noinline)) void spin(void) { for (;;) n++; }
static void *run(void *name) {
	pthread_setname_np(pthread_self(), name);
	spin();
	return 0;
}
int main(void) {
	pthread_t t;
	alarm(60);
	pthread_create(&t, 0, run, "one");
	pthread_create(&t, 0, run, "two & <b>");
	pthread_join(t, 0);
}
C
	gcc -O1 -g "${@:--no-pie}" -o prog prog.c -lpthread
}

# The processor time of the program grows: it runs.
grows() {
	local a b
	a=$(awk '{ print $14 }' /proc/$1/stat)
	sleep 0.5
	b=$(awk '{ print $14 }' /proc/$1/stat)
	[ "$b" -gt "$a" ]
}

serve_program() {
	setsid ./prog 3>&- &
	prog=$!
	pids="$pids $prog"
	sleep 0.3
	gdbserver --attach 127.0.0.1:0 $prog 2>server 3>&- &
	pids="$pids $!"
	for i in $(seq 50); do
		port=$(sed -n 's/^Listening on port //p' server)
		[ -z "$port" ] || return 0
		sleep 0.1
	done
	return 1
}

@test "gdbserver: threads with their names, and the program runs on" {
	program
	serve_program
	kst-capture -r ":$port" -e prog -n 5 -i 0.05 >out 2>err
	cat err
	grep -q '^kst-capture: no QEMU: gdbserver, 3 threads$' err
	[ "$(grep -c '^Thread [123] (Thread [0-9]* "one"):$' out)" = 5 ]
	[ "$(grep -c '^Thread [123] (Thread [0-9]* "two & <b>"):$' out)" = 5 ]
	[ "$(grep -c '^#0  0x.* in spin ()' out)" = 10 ]
	kst-fold --no-trailer --by cpu out >folded
	cat folded
	grep -q '^one;.*spin 5$' folded
	grows $prog
	serve_program
	kst-capture -q -r ":$port" -e prog -d 20 -i 0 >out 2>err 3>&- &
	pid=$!
	until_grows out
	kill -KILL $pid
	wait $pid || :
	sleep 0.5
	grows $prog
}

@test "gdbserver: a program that can be anywhere is found" {
	program -fpie -pie
	serve_program
	kst-capture -r ":$port" -e prog -n 3 -i 0.05 >out 2>err
	cat err
	grep -q 'prog is 0x[0-9a-f]*000 higher in memory' err
	[ "$(grep -c '^#0  0x.* in spin ()' out)" = 6 ]
	grows $prog
}

@test "gdbserver, by gdb" {
	program
	serve_program
	kst-capture -b gdb -r ":$port" -e prog -n 3 >out 2>err
	cat err
	[ "$(grep -c '^#0  .*spin ' out)" = 6 ]
	grows $prog
}

@test "qemu-user" {
	program
	gcc -O1 -g -static -no-pie -o static prog.c -lpthread
	qemu-x86_64 -g "$BATS_TEST_TMPDIR/u" ./static 3>&- &
	qemu=$!
	pids="$pids $qemu"
	for i in $(seq 50); do
		[ ! -S u ] || break
		sleep 0.1
	done
	run kst-capture -r ./u -e static -n 3 -i 0.05 --timeout 1
	echo "$output"
	[[ $output == *"no system: qemu-user, 1 thread"* ]]
	sleep 0.5
	grows $qemu
}
