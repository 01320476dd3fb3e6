# SPDX-License-Identifier: ISC
# slow
# needs: guest tools tiny
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
	while ! grep -q running state 2>/dev/null; do
		kill -0 $!
		sleep 0.02
	done
}

# What lets it run can wait in the socket of a stub that is slow to take it up.
runs_still() {
	for _ in $(seq 100); do
		[ "$(tail -n 1 state)" != running ] || break
		sleep 0.05
	done
	cat state
	[ "$(tail -n 1 state)" = running ]
	[ "$(grep -c violation state)" = 0 ]
}

@test "a stub like the gdbstub crate's" {
	stub gdbstub $PC $PC
	kst-capture -r "$S" -e "$ELF" -n 4 -i 0.01 >out 2>err
	cat err
	grep -q '^kst-capture: the gdb stub is not QEMU, 2 threads$' err
	[ "$(grep -c '^Thread [12] (Thread [12]):$' out)" = 8 ]
	[ "$(grep -c '^#0  0x.* in parse ()' out)" = 8 ]
	runs_still
}

@test "a program at a low address is not taken for the firmware" {
	stub qemu $PC,$PC,$PC,$PC,$PC,2000
	kst-capture -r "$S" -e "$ELF" -n 12 -i 0.01 >out 2>err
	cat err
	grep -q '^#0  0x0*2000 in ' out
	[ "$(grep -c rebooted err)" = 0 ]
	runs_still
}

@test "a stub like OpenOCD's" {
	stub openocd $PC
	kst-capture -r "$S" -e "$ELF" -n 4 -i 0.01 >out 2>err
	cat err
	grep -q '^kst-capture: the gdb stub is not QEMU, 1 thread$' err
	[ "$(grep -c '^#0  0x.* in parse ()' out)" = 4 ]
	runs_still
}

# It is asked so after a quarter of the time; a busy machine's stub may need more than
# the rest of a second to answer.
@test "a stub that is stopped by vCtrlC alone" {
	local limit
	stub vctrlc $PC $PC
	for limit in 1 20; do
		! kst-capture -r "$S" -e "$ELF" -n 3 -i 0.01 --timeout $limit \
			>out 2>err || break
		cat err
		[ $limit = 1 ]
	done
	cat err
	[ "$(grep -c '^#0  0x.* in parse ()' out)" = 6 ]
	runs_still
}

# A keeper cannot know whether what is deaf runs.
runs_soon() {
	local i
	for i in $(seq 300); do
		[ "$(grep -v violation state | tail -n 1)" != running ] ||
			return 0
		sleep 0.1
	done
	cat err state
	return 1
}

# At any moment of the conversation. The keeper of the one before may still talk to
# the stub; who comes next waits for it.
@test "stubs are left running by SIGTERM and SIGKILL" {
	for kind in gdbstub openocd; do
		stub $kind $PC
		for t in 0.00 0.01 0.02 0.05 0.1; do
			for s in TERM KILL; do
				kst-capture -q -r "$S" -e "$ELF" -d 2 -i 0 \
					--timeout 1 >out 2>err 3>&- &
				pid=$!
				sleep $t
				kill -$s $pid
				wait $pid || :
				runs_soon
			done
		done
	done
}

@test "a sample that failed says when" {
	stub qemu $PC,$PC,$PC,0,$PC,0,0,$PC
	begin=$(date +%s)
	kst-capture -r "$S" -e "$ELF" -n 8 -i 0.01 >out 2>err
	cat err out
	grep -q '^kst-capture: 5 samples taken, 3 failed' err
	grep -q '^\[kst-capture-summary taken=5 failed=3 ' out
	[ "$(grep -c '^\[kst-failed time=[0-9]*\.[0-9]\{9\}\]$' out)" = 3 ]
	# between the captures, in the order of time
	sed -n 's/^\[kst-[cf][a-z]* .*time=\([0-9.]*\).*/\1/p' out >times
	[ "$(wc -l <times)" = 8 ]
	sort -n times | cmp - times
	awk -v b="$begin" -v e="$(date +%s)" '$1 < b || $1 > e + 1 { exit 1 }' times
	kst-clean out | kst-fold --by time=1h | tee folded
	grep -qx '#kst:\[0.000s\],failed=3' folded
	runs_still
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

# As multiboot's kernels of the upper half do, and first found at the alias.
@test "a kernel that goes on at its link address is found there" {
	export SLIDE=1e00000 MAPPED="$ELF@0"
	local high; high=$(printf %x $((0x$PC + 0x$SLIDE)))
	stub qemu "$high,$high,$high,$PC"
	kst-capture -r "$S" -e "$ELF" -n 6 -i 0.01 >out 2>err
	cat err
	grep -q 'cfi.elf was loaded 0x1e00000 above its link address (for other commands: -e .*/cfi.elf@+0x1e00000)$' err
	[ "$(grep -c 'cfi.elf has moved to its link address' err)" = 1 ]
	[ "$(grep -c '^#0  0x.* in parse ()' out)" = 6 ]
	runs_still
}

# paged BYTES: an ELF file of the page of parse() of which so much is as in $ELF.
paged() {
	python3 - "$ELF" "$1" <<'END'
import struct, sys
code = open(sys.argv[1], 'rb').read()[0x8000:0x8000 + int(sys.argv[2])]
open('page', 'wb').write(bytes(32) + struct.pack('<Q', 64) + bytes(14) +
                         struct.pack('<HH', 56, 1) + bytes(6) +
                         struct.pack('<IIQQQQQQ', 1, 5, 120, 0, 0, 4096, 4096,
                                     4096) + code.ljust(4096, b'\1'))
END
}

# As xv6 has its trampoline at the top of each process's memory.
@test "a page of the kernel that is mapped elsewhere, too, has its names" {
	export MAPPED="page@ffffffffc0000000"
	local at=ffffffffc0000${PC: -3} text
	text=$(readelf -WS "$ELF" |
		awk '{ sub(/^.*\] */, "") } $1 == ".text" { print $5 }')
	text=$((0x$text))
	[[ $PC == ffffffff80200* ]]
	paged $text
	stub qemu $PC $at
	kst-capture -r "$S" -e "$ELF" -n 4 -i 0.01 >out 2>err
	cat err out
	[ "$(grep -c "^#0  0x$PC in parse ()" out)" = 4 ]
	[ "$(grep -c "^#0  0x$at in parse ()" out)" = 4 ]
	[ "$(grep -c loaded err)" = 0 ]
	runs_still
	# One byte of the page is another one.
	paged $((text - 1))
	stub qemu $PC $at
	kst-capture -r "$S" -e "$ELF" -n 4 -i 0.01 >out 2>err
	cat err out
	[ "$(grep -c "^#0  0x$PC in parse ()" out)" = 4 ]
	[ "$(grep -c "^#0  0x$at in ?? ()" out)" = 4 ]
	runs_still
}

# Linux on arm64 has its trampoline in .rodata.text, and patches it.
@test "such a page may be in any section of code, and patched" {
	export MAPPED="page@ffffffffc0000000"
	local at=ffffffffc0000${PC: -3} kernel=$ELF ELF
	objcopy --rename-section .text=.rodata.text "$kernel" other.elf
	ELF=$kernel paged 4096
	ELF=$kernel stub qemu $PC $at
	kst-capture -r "$S" -e other.elf -n 4 -i 0.01 >out 2>err
	cat out err
	[ "$(grep -c "^#0  0x$at in parse ()" out)" = 4 ]
	runs_still
	# Memory has another byte at the page's end than the file.
	cp "$kernel" patched.elf
	printf '\1' | dd of=patched.elf bs=1 seek=$((0x8fff)) conv=notrunc
	ELF=patched.elf paged 4096
	ELF=patched.elf stub qemu $PC $at
	kst-capture -r "$S" -e "$kernel" -n 4 -i 0.01 >out 2>err
	cat out err
	[ "$(grep -c "^#0  0x$at in parse ()" out)" = 4 ]
	runs_still
}

@test "a kernel that has moved itself is found" {
	export SLIDE=1e00000
	stub qemu $(printf %x $((0x$PC + 0x$SLIDE)))
	kst-capture -r "$S" -e "$ELF" -n 2 -i 0.01 >out 2>err
	cat err
	grep -q 'cfi.elf was loaded 0x1e00000 above its link address' err
	[ "$(grep -c '^#0  0x.* in parse ()' out)" = 2 ]
	kst-capture -q -r "$S" -e "$ELF" -n 2 --raw >out
	[ "$(grep -c '^.kst-capture seq=.* slide=0x1e00000]$' out)" = 2 ]
	kst-sym -e "$ELF" out >named
	[ "$(grep -c '^#0  0x.* in parse ()' named)" = 2 ]
	kst-capture -r "$S" -e "$ELF@+1e00000" -n 1 >out 2>err
	[ "$(grep -c 'higher' err)" = 0 ]
	grep -q '^#0  0x.* in parse ()' out
	run kst-capture -r "$S" -e "$B/guest/fp.elf" -n 1
	[ "$status" = 1 ]
	[[ $output == *'not the running kernel'* ]]
	# most of the code is in another section, as U-Boot's
	head -c 16 /dev/zero >few
	objcopy --rename-section .text=.text_rest --add-section .text=few \
		--set-section-flags .text=alloc,code,readonly \
		--change-section-address .text=0x1000 "$ELF" rest.elf
	kst-capture -r "$S" -e rest.elf -n 1 >out 2>err
	cat err
	grep -q '^#0  0x.* in parse ()' out
	runs_still
}

@test "an answer that comes too late is not taken for the next one" {
	export LATE=3
	stub qemu $PC
	run kst-capture -r "$S" -e "$ELF" -n 2 --timeout 8
	echo "$output"
	[ "$status" = 1 ]
	[[ $output == *'no answer within 8 s'* ]]
	runs_still
}

@test "a list of CPUs without end takes little memory, and the guest runs" {
	ENDLESS=1 stub qemu $PC
	rc=0
	( ulimit -v 300000; kst-capture -q -r "$S" -e "$ELF" -n 2 >out 2>err ) ||
		rc=$?
	cat err
	[ $rc = 1 ]
	grep -q ': damaged list of CPUs$' err
	runs_still
}

@test "a QEMU that is killed while the guest stands does not stand still" {
	DIES=3 stub qemu $PC
	rc=0
	kst-capture -q -r "$S" -e "$ELF" -n 9 >out 2>err || rc=$?
	cat err
	[ $rc = 1 ]
	! grep -q 'may be stopped' err
}

@test "a guest that is shut down as it is asked to stop was not stopped by others" {
	ENDS=4 stub qemu $PC
	rc=0
	kst-capture -r "$S" -e "$ELF" -n 9 -i 0.01 >out 2>err || rc=$?
	cat err
	[ $rc = 1 ]
	grep -q '^kst-capture: the guest was shut down$' err
	[ "$(grep -c '^#0  0x.* in parse ()' out)" = 1 ]
}

@test "a write that fails ends it, and the guest runs" {
	[ -z "${SANITIZED-}" ] || return 0
	cc -shared -fPIC -D_GNU_SOURCE -o shim.so "$root/tests/faults/shim.c"
	stub qemu $PC
	for i in 1 3 9; do # of each process
		run timeout 100 env LD_PRELOAD="$PWD/shim.so" FAULT_NOBUFS=$i \
			kst-capture -r "$S" -e "$ELF" -n 2
		echo "$i: $output"
		[ "$status" = 1 ]
		runs_still
	done
}

@test "a folder of programs may hold links" {
	stub qemu $PC
	mkdir d
	cp "$ELF" other.elf
	ln -s ../other.elf d/prog
	kst-capture -q -r "$S" -e "$ELF" --os emerald --user-dir d -n 1 >out 2>err ||
		true
	cat err
	[ "$(grep -c 'no program' err)" = 0 ]
	rm d/prog
	run kst-capture -q -r "$S" -e "$ELF" --os emerald --user-dir d -n 1
	[[ $output = *'d: no program with a section .text found'* ]]
}

# watchdog: the child of $! that is not $dog; it takes its place.
watchdog() {
	local old=$dog
	for _ in $(seq 200); do
		dog=$(pgrep -P $!) && [ "$dog" != "$old" ] && return
		sleep 0.02
	done
	false
}

@test "a watchdog that is killed is replaced, or the capture ends" {
	stub qemu $PC
	dog=
	kst-capture -r "$S" -e "$ELF" -i 0.02 -d 600 >out 2>err 3>&- &
	for _ in 1 2 3; do
		until grep -q 'seq=3' out; do sleep 0.02; done
		watchdog
		kill -9 "$dog"
	done
	watchdog
	kill -9 $!
	wait $! || [ $? = 137 ]
	until [ -z "$(pgrep -f "kst-capture -r $S")" ]; do sleep 0.02; done
	runs_still
	# no other one can be started; the loader and the first use none before
	rm out
	strace -qqo /dev/null -e inject=socketpair:error=EMFILE:when=2+ kst-capture \
		-r "$S" -e "$ELF" -i 0.02 -d 600 >out 2>err 3>&- &
	until grep -qs 'seq=3' out; do sleep 0.02; done
	kill -9 "$(pgrep -P "$(pgrep -P $!)")"
	rc=0
	wait $! || rc=$?
	grep -q 'the watchdog was killed, and another one cannot be started' err
	tail -n1 out | grep -q '^.kst-capture-summary'
	[ "$rc" = 0 ]
	runs_still
}

# 200 MB of debug information, of which nothing is asked for.
@test "memory does not grow with debug information" {
	local peak
	truncate -s 200M zeros
	objcopy --add-section .debug_types=zeros "$ELF" large.elf
	stub qemu $PC
	peak=$(python3 - kst-capture -q -r "$S" -e large.elf -n 2 -o out <<'E'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
E
	)
	echo "$peak KiB"
	grep -q '^#0  0x.* in parse ()' out
	[ "$peak" -lt 50000 ]
}

@test "a file that is cut short meanwhile is said" {
	cp "$ELF" short.elf
	stub qemu $PC
	kst-capture -q -r "$S" -e short.elf -d 2 -i 0.01 >out 2>err 3>&- &
	pid=$!
	until_grows out
	truncate -s 4096 short.elf
	wait $pid
	cat err
	grep -q 'short.elf: a file was cut short while it was read' err
	runs_still
}

@test "no CPU in the kernel: that is said" {
	stub qemu 401000
	run kst-capture -r "$S" -n 2 -i 0.01 --kernel-only
	[ "$status" = 1 ]
	[[ $output == *'no sample has a CPU in the kernel'* ]]
	run kst-capture -q -r "$S" -n 2 -i 0.01 --user-only
	[ "$status" = 0 ]
}

# Two CPUs in processes of Linux that have a library at different places, and one
# by which the kernel is found.
linux() {
	cat >work.c <<'C'
volatile long n;
void before(void) { __asm__(".skip 256, 0x90"); }
long spin(void) { for (long i = 0; i < BUILD; i++) n += i; return n; }
void after(void) { __asm__(".skip 256, 0x90"); }
C
	mkdir -p sys/lib flat
	gcc -O1 -g -shared -fPIC -nostdlib -Wl,--build-id -DBUILD=90 \
		-o sys/lib/libwork.so work.c
	gcc -O1 -nostdlib -static -gbtf -DBASE1=0x7f0012340000 \
		-DBASE2=0x7fee00000000 -Wl,-Ttext=0xffffffff81000000 \
		-Wl,-e,kernel_main -Wl,--build-id -fno-pic -mcmodel=kernel \
		-no-pie -o vmlinux "$root/tests/fixtures/linux/kernel.c"
	ELF=vmlinux
	spin=0x$(nm sys/lib/libwork.so | sed -n 's/ T spin//p')
	export MAPPED="sys/lib/libwork.so@7f0012340000 sys/lib/libwork.so@7fee00000000"
	stub qemu $(printf '%x ' $((0x7f0012340000 + spin)) \
		$((0x7fee00000000 + spin)) 0xffffffff81000000)
}

@test "Linux tells of its processes and what they have mapped" {
	linux
	cp sys/lib/libwork.so flat
	for dir in --sysroot=sys --user-dir=flat; do
		kst-capture -r "$S" -e vmlinux $dir -n 4 -i 0.01 >out 2>err
		cat err out
		[ "$(grep -c '^\[kst-process pid=5 name="worker/1" mode=user\]' out)" = 4 ]
		[ "$(grep -c '^\[kst-process pid=6 name="worker/2" mode=user\]' out)" = 4 ]
		[ "$(grep -c '^#0  0x00007f001234.* in spin ()' out)" = 4 ]
		[ "$(grep -c '^#0  0x00007fee0000.* in spin ()' out)" = 4 ]
	done
	# names alone
	kst-capture -r "$S" -e vmlinux --os linux -n 1 >out 2>err
	grep -q 'name="worker/2" mode=user' out
	[ "$(grep -c '^Backtrace stopped: ' out)" = 2 ]
	runs_still
}

@test "a file of another build is not the guest's" {
	linux
	gcc -O1 -g -shared -fPIC -nostdlib -Wl,--build-id -DBUILD=91 \
		-o sys/lib/libwork.so work.c
	kst-capture -r "$S" -e vmlinux --sysroot sys -n 2 -i 0.01 >out 2>err
	cat err out
	[ "$(grep -c '^#0  .* in ?? ()' out)" = 4 ]
	[ "$(grep -c '^Backtrace stopped: ' out)" = 4 ]
}

@test "nothing outside of --sysroot is read" {
	linux
	mv sys/lib/libwork.so flat
	for make in 'mkfifo sys/lib/libwork.so' 'ln -s /dev/zero sys/lib/libwork.so' \
		'ln -s ../../flat/libwork.so sys/lib/' "ln -s $PWD/flat/libwork.so sys"; do
		$make
		strace -fqqo log kst-capture -r "$S" -e vmlinux --sysroot sys -n 2 \
			-i 0.01 >out 2>err
		cat err out
		[ "$(grep -c '^#0  .* in ?? ()' out)" = 4 ]
		run grep -E '^[0-9]+ +open.*libwork' log
		[ "$status" = 1 ]
		rm -f sys/lib/libwork.so sys/libwork.so
	done
	ln -s "$PWD/sys" link
	mv flat/libwork.so sys
	ln -s ../libwork.so sys/lib/
	kst-capture -r "$S" -e vmlinux --sysroot link/ -n 2 -i 0.01 >out 2>err
	[ "$(grep -c '^#0  0x.* in spin ()' out)" = 4 ]
}

@test "a kernel that does not tell of its processes" {
	linux
	strip -R .BTF -o bare vmlinux
	kst-capture -r "$S" -e bare --sysroot sys -n 2 -i 0.01 >out 2>err
	grep -q "^kst-capture: --sysroot has no effect: the kernel's file has no BTF; give programs with -e instead" err
	strip -o bare vmlinux
	kst-capture -r "$S" -e bare --user-dir flat -n 2 -i 0.01 >out 2>err
	grep -q "^kst-capture: --user-dir has no effect: the kernel's symbols" err
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
	alarm(600);
	pthread_create(&t, 0, run, "one");
	pthread_create(&t, 0, run, "two & <b>");
	pthread_join(t, 0);
}
C
	gcc -O1 -g "${@:--no-pie}" -o prog prog.c -lpthread
}

# The processor time of the program grows: it runs.
grows() {
	local a b i
	a=$(awk '{ print $14 }' /proc/$1/stat)
	for i in $(seq 300); do
		sleep 0.1
		b=$(awk '{ print $14 }' /proc/$1/stat)
		[ "$b" -le "$a" ] || return 0
	done
	return 1
}

# works PID [THREADS]: until so many threads of this prog have run for 20 ms: each
# is where it stays.
works() {
	local i n
	for i in $(seq 300); do
		n=$(cat /proc/$1/task/*/stat 2>/dev/null |
			awk '{ n += $(NF - 38) >= 2 } END { print n + 0 }')
		[ "$(cat /proc/$1/comm)" != prog ] || [ $n -lt ${2:-1} ] || return 0
		kill -0 $1 || return 1
		sleep 0.1
	done
	return 1
}

# serve PID: by gdbserver, at $port.
serve() {
	local i
	rm -f server
	gdbserver --attach 127.0.0.1:0 $1 2>server 3>&- &
	pids="$pids $!"
	for i in $(seq 300); do
		port=$(sed -n 's/^Listening on port //p' server 2>/dev/null) || :
		[ -z "$port" ] || return 0
		kill -0 $! || return 1
		sleep 0.1
	done
	return 1
}

# serve_program [THREADS]: so many of them work.
serve_program() {
	setsid ./prog 3>&- &
	prog=$!
	pids="$pids $prog"
	works $prog $1 && serve $prog
}

@test "gdbserver: threads with their names, and the program runs on" {
	program
	serve_program 2
	kst-capture -r ":$port" -e prog -n 5 -i 0.05 >out 2>err
	cat err
	grep -q '^kst-capture: the gdb stub is gdbserver, not QEMU, 3 threads$' err
	[ "$(grep -c '^Thread [123] (Thread [0-9]* "one"):$' out)" = 5 ]
	[ "$(grep -c '^Thread [123] (Thread [0-9]* "two & <b>"):$' out)" = 5 ]
	[ "$(grep -c '^#0  0x.* in spin ()' out)" = 10 ]
	kst-fold --no-trailer --by cpu out >folded
	cat folded
	grep -q '^one;.*spin 5$' folded
	grows $prog
	serve_program 2
	: >out
	kst-capture -q -r ":$port" -e prog -d 20 -i 0 >out 2>err 3>&- &
	pid=$!
	until_grows out
	kill -KILL $pid
	wait $pid || :
	sleep 0.5
	grows $prog
}

@test "gdbserver: a program that does not lead its process group" {
	program
	setsid sh -c './prog & echo $! >pid; wait' 3>&- &
	pids="$pids $!"
	until [ -s pid ]; do
		kill -0 $!
		sleep 0.02
	done
	prog=$(cat pid)
	pids="$pids $prog"
	works $prog 2
	serve $prog
	kst-capture -r ":$port" -e prog -n 10 -i 0.05 >out 2>err || {
		cat err
		return 1
	}
	[ "$(grep -c '^#0  0x.* in spin ()' out)" = 20 ]
	grows $prog
}

@test "gdbserver: a program that can be anywhere is found" {
	program -fpie -pie
	serve_program 2
	kst-capture -r ":$port" -e prog -n 3 -i 0.05 >out 2>err
	cat err
	grep -q 'prog was loaded 0x[0-9a-f]*000 above' err
	[ "$(grep -c '^#0  0x.* in spin ()' out)" = 6 ]
	grows $prog
}

@test "gdbserver: a program with its library, whole to _start" {
	program -fpie -pie
	serve_program
	libc=$(ldd prog | sed -n 's/.*libc\.so.* => \([^ ]*\) .*/\1/p')
	kst-capture -r ":$port" -e prog -e "$libc" -n 4 -i 0.05 >out 2>err
	cat err
	[ "$(grep -c 'Backtrace stopped' out)" = 0 ]
	[ "$(grep -c '^#[0-9]*  0x.* in _start ()' out)" = 4 ]
	[ "$(grep -c '^#1  0x.* in run ()' out)" = 8 ]
	kst-fold --no-trailer out >folded
	cat folded
	# functions that the library's symbols do not name have its name
	grep -q '^_start;__libc_start_main.*;main;' folded
	[ "$(grep -c 0x folded)" = 0 ]
	serve_program
	kst-capture -r ":$port" -e prog -n 4 -i 0.05 >out 2>err
	cat err
	[ "$(grep -c '^Backtrace stopped: ' out)" = 12 ]
}

@test "gdbserver: a program of 32 bits" {
	cp "$B/guest/i386-cfi.elf" prog
	serve_program || skip "this Linux runs no programs of 32 bits"
	kst-capture -q -r 127.0.0.1:$port -e prog -n 5 -i 0.05 >out
	kst-clean out | kst-fold --no-trailer >folded
	echo 'start;top;nest;nest;nest;nest;nest;leaf 5' | diff - folded
}

@test "gdbserver, by gdb" {
	program
	serve_program 2
	kst-capture -b gdb -r ":$port" -e prog -n 3 >out 2>err
	cat err
	[ "$(grep -c '^#0  .*spin ' out)" = 6 ]
	grows $prog
}

@test "functions that left by a jump are frames, as in gdb" {
	cat >prog.c <<'C'
volatile long n;
#define F __attribute__((noinline)) int
F leaf(int a) { for (long i = 0; i < 1L << 40; i++) n += a; return n; }
F mid(int a) { n++; return leaf(a + 1); }
F top(int a) { n++; return mid(a + 2); }
static F own_name(int a) { return n + top(a) * 2; }
int alias(int) __attribute__((alias("own_name")));
int main(int argc, char **argv) { return alias(argc) + 1; }
C
	gcc -O2 -g -no-pie -o prog prog.c
	serve_program
	kst-capture -q -r ":$port" -e prog -n 1 >rsp
	cat rsp
	grep -q '^#1  0x[0-9a-f]* in mid () \[tail call\]$' rsp
	grep -q '^#2  0x[0-9a-f]* in top () \[tail call\]$' rsp
	grep -q '^#3  0x[0-9a-f]* in own_name ()$' rsp
	kst-clean --no-tail-calls rsp | kst-fold --no-trailer | tee folded
	grep -q 'main;own_name;leaf 1$' folded
	serve_program
	kst-capture -b gdb -q -r ":$port" -e prog -n 1 >gdb
	kst-clean rsp | sed -n '/^#/p' | sed '/main/q' >a
	kst-clean gdb | sed -n '/^#/p' | sed '/main/q' >b
	diff a b
}

@test "a Linux module, linked to where it was loaded" {
	local at sections
	cat >mod.c <<'C'
extern int elsewhere(int);
static inline int twice(int n) { return elsewhere(n) * 2; }
int module_work(int n) { return twice(n) + elsewhere(n + 1); }
__attribute__((section(".init.text"))) int module_init(void) { return 7; }
C
	gcc -O2 -g -c -fno-pic -mcmodel=kernel -o mod.ko mod.c
	run kst-sym -e mod.ko out
	[ "$status" = 1 ]
	[[ $output == *'mod.ko: not linked'* ]]
	sections=$root/share/linux/module.sh
	printf '%s\n' .text:0xffffffffc0a01000 .init.text:0xffffffffc0b00000 \
		.missing:0xffffffffc0c00000 '.odd{}:0x1' '' >listing
	sh "$sections" mod.ko listing mod.elf
	at=$(nm mod.elf | awk '$3 == "module_work" { print $1 }')
	[ "$at" = ffffffffc0a01000 ]
	for i in $(seq 32); do
		printf '#%d  0xffffffffc0a010%02x in ?? ()\n' $i $i
	done | kst-sym -e mod.elf | tee named
	grep -q '^#1  0xffffffffc0a01001 in module_work ()$' named
	grep -q ' in twice ()$' named
	echo '#0  0xffffffffc0b00002 in ?? ()' | kst-sym -e mod.elf | tee named
	grep -q ' module_init ()$' named
	# From there no call reaches what is not linked, as on arm64.
	echo .text:0xffff800008000000 >far
	sh "$sections" mod.ko far far.elf
	nm far.elf | grep -q '^ffff800008000000 T module_work$'
	run sh "$sections" none.ko far none.elf
	[ "$status" = 1 ]
	[[ $output == *none.ko* ]]
	run sh "$sections" mod.ko /dev/null none.elf
	[ "$status" = 1 ]
	[ ! -e none.elf ]
}

# Xen is such a kernel. A stack of zeros is an end for code with frames only, which
# no data's symbol is, were it at address 0 as those of Linux' CPUs.
@test "without tables and frames the end of a stack is not believed" {
	cat >kernel.c <<'C'
int down(int n) { return n ? down(n - 1) * 3 : 1; }
int work(int n) { return down(n) + down(n + 1); }
void _start(void) { for (;;) work(3); }
asm(".zero 8192"); /* code is read in blocks */
asm(".section .cpu, \"aw\"\ncpu_data: .quad 0\n.text");
C
	ELF=$BATS_TEST_TMPDIR/kernel.elf
	for frames in '' no-; do
		gcc -O1 -f${frames}omit-frame-pointer -static -nostdlib \
			-fno-asynchronous-unwind-tables -fno-pie -no-pie \
			-fno-toplevel-reorder \
			-Wl,-Ttext=0xffffffff80000000,--section-start=.cpu=0 \
			-o "$ELF" kernel.c
		stub qemu $(nm "$ELF" | awk '$3 == "work" { print $1 }')
		kst-capture -q -r "$S" -e "$ELF" -n 1 >"out-$frames"
		cat "out-$frames"
	done
	grep -q '^#0  0x.* in work ()' out-
	grep -q '^Backtrace stopped: frame did not save the PC$' out-
	grep -q '^#0  0x.* in work ()' out-no-
	[ "$(grep -c '^Backtrace stopped' out-no-)" = 0 ]
}

@test "qemu-user" {
	program
	gcc -O1 -g -static -no-pie -o static prog.c -lpthread
	qemu-x86_64 -g "$BATS_TEST_TMPDIR/u" ./static 3>&- &
	qemu=$!
	pids="$pids $qemu"
	until [ -S u ]; do
		kill -0 $qemu
		sleep 0.1
	done
	run kst-capture -r ./u -e static -n 3 -i 0.05 --timeout 1
	echo "$output"
	[[ $output == *"the gdb stub is qemu-user: a program, not a machine, 1 thread"* ]]
	sleep 0.5
	grows $qemu
}

@test "kst-flame: what the system does not give is status 4, the old picture stays" {
	stub qemu $PC
	printf 'a 1\n' | kst-svg -o old.svg
	for call in clone:error=EAGAIN openat:error=EMFILE; do
		for i in 4 5 6 7 8 9; do
			cp old.svg fg.svg
			rc=0
			strace -qqo log -e "inject=$call:when=$i" kst-flame \
				-r "$S" -e "$ELF" -n 2 >out 2>err || rc=$?
			grep -q INJECTED log || continue
			echo "$call $i: $rc"
			cat err
			case $rc in
			0) grep -q parse fg.svg ;;
			4) cmp fg.svg old.svg && [ -s err ] ;;
			*) return 1 ;;
			esac
		done
	done
}
