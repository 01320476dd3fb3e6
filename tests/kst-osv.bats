# SPDX-License-Identifier: ISC
# kst-osv: what needs more than a pair of files.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	golden=$BATS_TEST_DIRNAME/golden/kst-osv
}

@test "the manual's pipe: console to SVG" {
	cp "$golden/hello.in" console.log
	kst-osv console.log | kst-span --by track | kst-svg >osv.svg
	xmllint --noout osv.svg
	grep -q 'vfs_pwritev' osv.svg
	grep -q '&gt;init' osv.svg
}

@test "the manual's pipe: summary of chosen calls" {
	kst-osv -t 'vfs_*' "$golden/hello.in" | kst-span --summary >out
	grep -E '^ +8 +2 .* vfs_open$' out
}

@test "pairing as in trace.py: one pair fewer of each name" {
	kst-osv "$golden/hello.in" 2>/dev/null | kst-span --summary --csv >ours
	kst-osv --like-trace.py "$golden/hello.in" 2>/dev/null |
		kst-span --summary --csv >theirs
	count() { awk -F, -v n="$2" '$NF == n { print $1 }' "$1"; }
	for n in vfs_open:8:7 vfs_close:6:5 vfs_pwritev:3:2 vfs_mkdir:2:1; do
		IFS=: read -r name a b <<<"$n"
		[ "$(count ours "$name")" = "$a" ]
		[ "$(count theirs "$name")" = "$b" ]
	done
	[ -z "$(count theirs vfs_ioctl)" ]
	[ -z "$(count theirs vfs_lstat)" ]
}

@test "sampled stacks of a tracefile reach kst-fold" {
	kst-osv --stacks -t sampler_tick "$golden/tracefile.in" 2>/dev/null |
		kst-fold --no-trailer >out
	grep -E ' 2$' out
	[ "$(wc -l <out)" = 1 ]
}

@test "a live console: nothing is held back for long" {
	{
		printf 'init              0  0.000000100 sched_load(load=3)\n'
		sleep 2
	} | kst-osv | {
		read -t 1 -r line
		echo "$line"
	} >out
	grep 'sched_load' out
}

@test "a window full of undecided records goes on" {
	seq 200000 | awk '{ printf "%-15s %3d %12.9f %s(%d)\n", "t", 0,
		$1 / 1e6, ($1 % 9 ? "load" : "only" $1), $1 }' >log
	kst-osv log >out
	[ "$(wc -l <out)" = 200000 ]
	[ "$(cut -f3 out | sort -u)" = I ]
}

@test "a missing file among good ones, full disk, closed pipe, no input" {
	run kst-osv "$golden/hello.in" /nonexistent "$golden/hello.in"
	[ "$status" = 1 ]
	[[ "$output" == *"kst-osv: /nonexistent: No such file"* ]]
	rc=0
	kst-osv "$golden/hello.in" >/dev/full 2>err || rc=$?
	[ $rc = 4 ]
	kst-osv "$golden/hello.in" 2>/dev/null | head -n1 >/dev/null
	run kst-osv /dev/null
	[ "$status" = 0 ] && [ -z "$output" ]
}

@test "bytes that are no text, a long line" {
	printf 'a\0b\377            0  0.000000100 f(\0\377)' >bytes
	kst-osv bytes | od -c | grep '377'
	{
		head -c 2000000 /dev/zero | tr '\0' '('
		echo
		cat "$golden/hello.in"
	} >long
	kst-osv long | cmp - "$golden/hello.out"
}

@test "the manual's pipe: sampled stacks to SVG, with symbols" {
	cat >osv.c <<'END'
#define NAMED(f, name) \
	void f(void) __asm__(name); \
	void f(void) { __asm__ volatile("nop; nop; nop; nop"); }
NAMED(log, "_ZN15tracepoint_base6do_logEv")
NAMED(tick, "_ZN5sched3cpu4tickEv")
NAMED(work, "_ZN3app4workEi")
NAMED(thread_main, "thread_main_c")
int main(void) { log(); tick(); work(); thread_main(); }
END
	gcc -O0 -no-pie -o loader.elf osv.c
	nm loader.elf >names
	python3 - <<'END'
import struct
addr = {n: int(a, 16) for a, t, n in
        (l.split() for l in open("names") if len(l.split()) == 3)}
out = struct.pack("<iQ", 3, 1) + struct.pack("<Q", 7)
for s in (b"sampler_tick", b"", b""):
    out += struct.pack("<H", len(s)) + s
for name in (b"worker", b"worker", b"init"):
    out += struct.pack("<QQ16sQI", 7, 1, name, 5, 0)
    for f in ("_ZN15tracepoint_base6do_logEv", "_ZN5sched3cpu4tickEv",
              "_ZN3app4workEi", "thread_main_c"):
        out += struct.pack("<Q", addr[f] + 4)
    out += struct.pack("<Q", 0)
open("tracefile", "wb").write(out)
END
	kst-osv --stacks -t sampler_tick tracefile |
		kst-sym -d -e loader.elf | kst-clean -r osv | kst-fold --no-trailer |
		tee osv.folded | kst-svg >osv.svg
	[ "$(cat osv.folded)" = "app::work;sched::cpu::tick 3" ]
	xmllint --noout osv.svg
}

@test "memory does not grow with names that never come again" {
	seq 1500000 | awk '{ printf "%-15s %3d %12.9f n%d%s(%d)\n", "t" $1, 0,
		$1 / 1e6, $1, ($1 % 3 ? "" : "_ret"), $1 }' >log
	( [ "${SANITIZED-}" ] || ulimit -v 200000
	kst-osv log >out 2>err )
	[ "$(wc -l <out)" = 1500000 ]
	grep 'beyond the limit of threads or names' err
}

# truth THREADS...: a log of random nested calls, and its totals by name.
truth() {
	python3 - "$@" <<'END'
import random
import sys

random.seed(7)
names = ["vfs_a", "vfs_b", "pool_c", "net_d"]
threads = [dict(name=n, open=[], cpu=i % 4) for i, n in enumerate(sys.argv[1:])]
count, total, now = {}, {}, 1000
log = open("log", "w")
def out(t, text):
    log.write("%-15s %3d %12.9f %s\n" % (t["name"], t["cpu"], now / 1e9, text))
for i in range(20000):
    t = random.choice(threads)
    now += random.randrange(1, 400)
    free = [n for n in names if n not in [o[0] for o in t["open"]]]
    if i < 19900 and free and (not t["open"] or random.random() < .5):
        n = random.choice(free)
        t["open"].append((n, now))
        out(t, n + "(1, 2)")
    elif t["open"]:
        n, start = t["open"].pop()
        count[n] = count.get(n, 0) + 1
        total[n] = total.get(n, 0) + now - start
        out(t, n + random.choice(["_ret(3)", "_err(2)"]))
for t in threads:
    while t["open"]:
        n, start = t["open"].pop()
        now += 5
        count[n] = count.get(n, 0) + 1
        total[n] = total.get(n, 0) + now - start
        out(t, n + "_ret(0)")
with open("want", "w") as f:
    for n in sorted(count):
        f.write("%d,%d,%s\n" % (count[n], total[n], n))
END
}

totals() {
	kst-osv log 2>err | kst-span --summary --csv |
		awk -F, 'NR > 1 { print $1 "," $3 "," $NF }' | sort -t, -k3
}

@test "totals agree with the truth, to the nanosecond" {
	truth init '>init' 'a b' worker
	totals | diff want -
	[ ! -s err ]
}

# Before the first begin that shows it, nothing tells that they are several.
@test "threads of one name: told apart by CPU as long as they stay there" {
	truth pool pool pool pool
	totals | paste -d, want - >both
	[ "$(wc -l <both)" = 4 ]
	awk -F, '$1 != $4 || $2 / $5 > 1.001 || $5 / $2 > 1.001' both >off
	[ ! -s off ]
	grep 'told apart by CPU' err
}
