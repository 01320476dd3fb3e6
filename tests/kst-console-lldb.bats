# SPDX-License-Identifier: ISC
# slow
# needs: tiny tools
# kst-console on what lldb itself prints, against gdb.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

teardown() {
	[ -z "${qemu-}" ] || kill "$qemu" 2>/dev/null || :
}

# backtraces FILE COMMAND...: what lldb prints after these commands, in batch mode; it
# also says that it has no Python.
backtraces() {
	local args=() c
	for c in "${@:2}" 'thread backtrace all'; do args+=(-o "$c"); done
	lldb --no-lldbinit -b "${args[@]}" -o kill "$1" >lldb.txt 2>err
}

# ours: the folded stacks, the frames of the program alone.
ours() {
	sed -E 's/[^;]*__[^;]*;|_start;|(clone|start_thread)[^;]*;//g' | sort
}

@test "lldb: two threads and an inlined call, as gdb shows them" {
	cat >program.c <<-'EOF'
	#include <pthread.h>
	static volatile int running, stop;
	static inline __attribute__((always_inline)) void inner(int x)
	{
		__asm__ volatile("nop");
		stop = x;
	}
	__attribute__((noinline)) void outer(int x) { inner(x); running = 2; }
	__attribute__((noinline)) void spin(void) { running = 1; while (!stop) ; }
	void *work(void *p) { spin(); return p; }
	int main(void)
	{
		pthread_t t;
		pthread_create(&t, NULL, work, NULL);
		while (!running) ;
		outer(1);
		return pthread_join(t, NULL);
	}
	EOF
	gcc -g -O1 -pthread program.c -o program
	gdb -q -batch -nx -ex 'break program.c:6' -ex run -ex 'thread apply all bt' \
		-ex kill ./program 2>err | kst-fold --no-trailer | ours >want
	diff - want <<-'EOF'
	main;outer;inner 1
	work;spin 1
	EOF
	backtraces program 'settings set target.disable-aslr false' \
		'breakpoint set -f program.c -l 6' run
	cat lldb.txt err
	kst-console lldb.txt | kst-fold --no-trailer | ours | diff want -
}

@test "lldb: a guest in QEMU, as gdb shows it" {
	ELF=$B/guest/aarch64-cfi.elf
	qemu-system-aarch64 -M virt -cpu cortex-a57 -m 32 -display none -nodefaults \
		-kernel "$ELF" -chardev socket,path=gdb,server=on,wait=off,id=g \
		-gdb chardev:g -qmp unix:qmp,server=on,wait=off 3>&- &
	qemu=$!
	# it has begun when it has its last stack, and is stopped then
	for i in $(seq 600); do
		[ ! -S gdb ] || kst-capture -q -r gdb -e "$ELF" --one-shot >out || :
		! grep -q leaf out || break
		sleep 0.1
	done
	"$B/tools/qmp" qmp stop
	gdb-multiarch -q -batch -nx -ex 'target remote gdb' -ex 'thread apply all bt' \
		"$ELF" 2>err | kst-fold --no-trailer >want
	"$B/tools/qmp" qmp stop
	backtraces "$ELF" "process connect unix-connect://$PWD/gdb"
	cat lldb.txt err
	[ "$(cat want)" = 'start;top;nest;nest;nest;nest;nest;leaf 1' ]
	kst-console lldb.txt | kst-fold --no-trailer | diff want -
}
