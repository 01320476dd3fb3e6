# SPDX-License-Identifier: ISC
# Raw logs of OSDK's profiler, of its first version (one gdb a sample) and of
# the newest (one gdb for all): the same folded stacks and the same JSON as
# its own parser makes of them.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	cat >parser.py <<'END'
import json
import re
import sys

captures, cpu = [], None
for line in open(sys.argv[1]):
    line = line.rstrip("\n")
    if not line.startswith("#"):
        if line.endswith("[running])):") or line.endswith("[halted ])):"):
            cpu = int(line.split("CPU#")[1].split()[0])
            if not captures or captures[-1].get(cpu):
                captures.append({})
        continue
    text, depth = "", 0
    for c in line.strip():
        if c == "<":
            depth += 1
        elif c == ">":
            depth -= depth > 0
        elif depth == 0:
            text += c
    text = re.sub(r"::\{.*?\}", "", text)
    text = re.sub(r"0x[0-9a-f]+ in", "", text)
    words = text.replace("(...)", "").replace("()", "").split()
    if len(words) > 1:
        captures[-1].setdefault(cpu, []).append(words[1])
folded = {}
for c in captures:
    for stack in c.values():
        key = ";".join(reversed(stack))
        folded[key] = folded.get(key, 0) + 1
with open("want.folded", "w") as f:
    for key in sorted(folded):
        f.write("%s %d\n" % (key, folded[key]))
with open("want.json", "w") as f:
    json.dump({"stack_traces": [dict(sorted(c.items())) for c in captures]},
              f, separators=(",", ":"))
END
	cat >stacks <<'END'

Thread 2 (Thread 1.2 (CPU#1 [halted ])):
#0  ostd::arch::x86::cpu::halt_cpu ()
#1  ostd::cpu::sleep_for_interrupt<ostd::task::{closure#0}> (...)
#2  0xffffffff880b0f6f in aster_kernel::thread::idle::{closure_env#0} (...)
#3  0xffffffff8804c3a2 in core::ops::function::FnOnce::call_once<(), ()> ()
#4  0x0000000000000000 in ?? ()

Thread 1 (Thread 1.1 (CPU#0 [running])):
#0  ostd::sync::spin::{impl#4}::lock<u32, ostd::trap::Guard> (...)
#1  0xffffffff880b1f6f in aster_kernel::syscall::read::sys_read (...)
#2  0xffffffff880b2f6f in aster_kernel::syscall::handle_syscall (...)
END
	sed 's/lock</try_lock</' stacks >others
}

same() {
	python3 parser.py log
	kst-clean log | kst-fold --no-trailer --merge-unknown >got.folded
	diff want.folded got.folded
	kst-clean log | kst-json --to-json >got.json
	cmp want.json got.json
	kst-json got.json | kst-fold --no-trailer --merge-unknown | cmp - want.folded
	[ "$(wc -l <want.folded)" = 3 ]
	grep -q ' 3$' want.folded
}

@test "the first version's log" {
	for s in stacks stacks others; do
		echo '0xffffffff880b0f6f in ?? ()'
		cat "$s"
		echo '[Inferior 1 (process 1) detached]'
	done >log
	same
}

@test "the newest version's log" {
	for s in stacks others stacks; do
		echo '0xffffffff880b0f6f in ostd::arch::x86::cpu::halt_cpu ()'
		cat "$s"
		echo '-<!OSDK_PROF_BT_ROUND!>-'
		echo
		echo 'Thread 1 received signal SIGINT, Interrupt.'
		echo '[Switching to Thread 1.2]'
	done >log
	same
}
