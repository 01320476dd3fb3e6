# SPDX-License-Identifier: ISC
# kst-osv: what needs more than a pair of files.

bats_require_minimum_version 1.5.0

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

@test "sampled stacks of a tracefile reach kst-fold" {
	kst-osv --stacks -t sampler_tick "$golden/tracefile.in" 2>/dev/null |
		kst-fold --no-trailer >out
	grep -E ' 2$' out
	[ "$(wc -l <out)" = 1 ]
}

@test "a live console: nothing is held back for long" {
	{
		printf 'init              0  0.000000100 sched_load(load=3)\n'
		while [ ! -s out ]; do sleep 0.05; done
	} | kst-osv | {
		read -t 100 -r line || :
		echo "$line" >out
	}
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
	[ "$status" = 0 ]
	[ -z "$output" ]
}

@test "bytes that are not text, a long line" {
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

# dumps ENDIAN: the same records of two CPUs as `dump` and as `tracefile`.
dumps() {
	perl -e '
		my $e = $ARGV[0] eq "big" ? ">" : "<";
		my %size = (c => 1, B => 1, H => 2, I => 4, i => 4, Q => 8,
			P => 8, p => 1, "*" => 2);
		sub value {
			my ($sig, $v) = @_;
			return pack("C", $v) if $sig =~ /[cB]/;
			return pack("S$e", $v) if $sig eq "H";
			return pack("L$e", $v & 0xffffffff) if $sig =~ /[Ii]/;
			return pack("Q$e", $v) if $sig =~ /[QP]/;
			return pack("C a49", length $v, $v) if $sig eq "p";
			return pack("S$e", length $v) . $v;
		}
		sub aligned {
			my ($s, $to) = @_;
			$s .= "\0" while length($s) % $to;
			return $s;
		}
		sub args {
			my ($sig, @v) = @_;
			my $s = "";
			for my $c (split //, $sig) {
				$s = aligned($s, $size{$c}) .
				    value($c, shift @v);
			}
			return $s;
		}
		my @points = ([0x1000, "vfs_open", "piH", q("%s" 0x%x 0%0o)],
			[0x2000, "vfs_open_ret", "i", "%d"],
			[0x3000, "sampler_tick", "", ""],
			[0x4000, "net_packet_in", "B*QP", "n=%d %s %d %p"]);
		my %sig = map { $_->[0] => $_->[2] } @points;
		# CPU, time, key, thread, name, frames, arguments
		my @records = (
			[0, 100, 0x1000, 7, "init", [], "/dev/null", 2, 0644],
			[1, 150, 0x3000, 9, "a name of 16 by", [5, 6, 7]],
			[1, 160, 0x4000, 9, "a name of 16 by", [], 3, "E\0\1",
				1 << 40, 0xffff800012345678],
			[0, 170, 0x2000, 7, "init", [8], -1 & 0xffffffff],
			[1, 180, 0x1000, 7, "init", [], "x" x 49, 1, 0],
			[1, 190, 0x2000, 7, "init", [], 5],
			[0, 200, 0x3000, 7, "init", [1 .. 10]]);
		my $t = pack("L$e", 3) . "\0" x 0 . pack("Q$e", scalar @points);
		for (@points) {
			my ($key, $name, $s, $format) = @$_;
			$s =~ s/p/50p/;
			$t .= pack("Q$e", $key);
			$t .= pack("S$e", length) . $_ for $name, $s, $format;
		}
		for (@records) {
			my ($cpu, $time, $key, $thread, $name, $bt, @v) = @$_;
			$t .= pack("Q$e Q$e a16 Q$e L$e", $key, $thread, $name,
				$time, $cpu);
			$t .= pack("Q$e*", @$bt, 0) . args($sig{$key}, @v);
		}
		my $d = pack("L$e x4 Q$e L$e L$e", 0x4f535654, 0, 1, 1);
		$d .= pack("L$e x4 Q$e", 0x4d4f4453, 5) . "12345";
		$d = aligned($d, 8) . pack("L$e x4 Q$e", 0x54524344, 0);
		$d .= pack("L$e L$e", 10, scalar @points);
		for (@points) {
			my ($key, $name, $s, $format) = @$_;
			$d = aligned($d, 8) . pack("Q$e", $key);
			$d = aligned($d, 2) . pack("S$e", length) . $_
				for "id_$name", $name, "", $format;
			$d = aligned($d, 4) . pack("L$e", length $s);
			$d = aligned($d, 2) . pack("S$e", 3) . "arg" . $_
				for split //, $s;
		}
		for my $of (0, 1) {
			my $r = "";
			for (@records) {
				my ($cpu, $time, $key, $thread, $name, $bt, @v) =
				    @$_;
				next if $cpu != $of;
				$r .= pack("Q$e Q$e a16 Q$e L$e L$e", $key,
					$thread, $name, $time, $cpu, @$bt > 0);
				$r .= pack("Q${e}10", @$bt, (0) x 10) if @$bt;
				$r = aligned($r . args($sig{$key}, @v), 8);
			}
			$r .= "\0" x (8 * $of);
			$d = aligned($d, 8);
			$d .= pack("L$e x4 Q$e", 0x54524353, length $r) . $r;
		}
		open F, ">", "tracefile"; print F $t;
		open F, ">", "dump"; print F $d;
	' "$1"
}

@test "a dump of the trace buffers is read as a tracefile is" {
	for endian in little big; do
		dumps $endian
		kst-osv tracefile >want 2>want.err
		kst-osv dump >got 2>got.err
		cmp got want
		cmp got.err want.err
		[ "$(wc -l <got)" = 7 ]
		grep -q -P '\tE\tvfs_open\t! cpu=0 -1$|\tE\tvfs_open\t= ' got
		for option in --backtrace --wakeups --stacks; do
			kst-osv $option tracefile >want 2>want.err
			kst-osv $option <dump >got 2>got.err
			cmp got want
			cmp got.err want.err
		done
		[ "$(grep -c '^#' got)" = 14 ]
	done
}

@test "a damaged dump: what can be read is, and the rest said" {
	dumps little
	size=$(wc -c <dump)
	for ((n = 8; n < size; n += 37)); do
		head -c $n dump >cut
		run -1 kst-osv cut
		[[ "$output" == *"kst-osv: cut: "* ]]
	done
	perl -0777 -ne 'my $at = rindex $_, pack("Q<Q<", 0x4000, 9);
		substr($_, $at, 2) = "\x01\x50"; print' dump >key
	run -1 kst-osv key
	[[ "$output" == *": a record of an unknown tracepoint"* ]]
	# The other CPU's records are all there.
	[ "$(grep -c cpu=0 <<<"$output")" -ge 2 ]
}

@test "with backtraces the spans are the same, and frames have no own time" {
	python3 "$BATS_TEST_DIRNAME/osv-tracefile.py" 5 2000 moving >tf
	list() { kst-span --list 2>/dev/null | cut -f1,2,4- |
		grep -v '\(0x[0-9a-f]*()\|~\)$' | sort; }
	kst-osv tf 2>/dev/null | list >flat
	kst-osv -b tf 2>/dev/null | list | diff flat -
	[ "$(wc -l <flat)" -gt 1000 ]
	kst-osv -b tf 2>/dev/null | kst-span --no-trailer >tree
	run ! grep '0x[0-9a-f]* [0-9]*$' tree
}

@test "what happens while a thread waits: idle time and wake-ups, hand-made" {
	log() { printf '%-15s %3d %12.9f %s\n' "$@"; }
	{
		log a 0 0.000001000 'sched_wait()'
		log idle0 0 0.000002000 'sched_idle()'
		log b 0 0.000003000 'sched_wait()'
		log idle0 0 0.000005000 'sched_idle_ret()'
		log a 0 0.000006000 'sched_wait_ret()'
		log idle0 0 0.000007000 'sched_idle()'
		log b 0 0.000009000 'sched_wait_ret()'
		log b 1 0.000010000 'sched_wait()'
		log c 1 0.000012000 'sched_load(load=2)'
	} >log
	kst-osv --idle log 2>err | kst-span --by track --no-trailer >out
	diff out - <<'TREE'
a;sched_wait 2000
a;sched_wait;idle 3000
b;sched_wait 4000
b;sched_wait;idle 4000
TREE
	kst-osv --wakeups log 2>err >out
	grep 'does not say which thread is woken' err
	kst-osv --cpu-load log | diff - <(printf '12000\tcpu1\t%s\tload=2\n' B E)
	run kst-osv --by cpu log
	[ "$status" = 2 ]
	run kst-osv --cpu-load --stacks log
	[ "$status" = 2 ]
}

@test "a wake-up: from the first one on, also to another CPU" {
	perl -e '
		my @names = qw(sched_wait sched_wait_ret sched_wake);
		print pack("l<Q<", 3, 3);
		for (0 .. 2) {
			print pack("Q<", $_ + 1);
			print pack("S<", length) . $_
				for $names[$_], $_ == 2 ? ("P", "wake %p") : ("", "");
		}
		# key, thread, name, time, CPU; the woken thread
		for ([1, 7, "a", 1000, 0], [3, 9, "b", 3000, 1, 7],
			[3, 9, "b", 4000, 1, 7], [2, 7, "a", 5500, 1]) {
			print pack("Q<Q<a16Q<L<Q<", @$_[0 .. 4], 0);
			print pack("Q<", $_->[5]) if @$_ > 5;
		}
	' >tf
	kst-osv --wakeups --no-cpu tf >out
	diff out - <<-'EVENTS'
	1000	a	B	sched_wait
	3000	a	B	wakeup
	5500	a	E	wakeup
	5500	a	E	sched_wait
	EVENTS
}

@test "a thousand threads that wait on a CPU that is often idle" {
	awk 'BEGIN {
		for (i = 0; i < 6000; i++)
			line("t" i, i, "sched_wait()")
		for (i = 0; i < 100; i++) {
			line("idle0", 7000 + 2 * i, "sched_idle()")
			line("idle0", 7001 + 2 * i, "sched_idle_ret()")
		}
	}
	function line(t, ns, text) {
		printf "%-15s %3d %12.9f %s\n", t, 0, ns / 1e9, text
	}' >log
	kst-osv --idle log 2>err >out
	[ "$(wc -l <out)" = $((6000 * 2 + 4096 * 100 * 2)) ]
	grep '^kst-osv: 1904 waits without their idle or wake-up time' err
}

@test "an end of an end of an end takes the memory of its line" {
	{
		printf 't 0 0.001000000 a'
		printf '_ret%.0s' {1..60000}
		echo '(1)'
	} >deep
	( [ "${SANITIZED-}" ] || ulimit -v 200000
		kst-osv deep >out )
	[ "$(head -c 21 out | tr '\t' ' ')" = '1000000 t E a_ret_ret' ]
	[ "$(wc -c <out)" = 240014 ]
}

# Each record is sought in all CPUs' records: 2,000,000 of them would take hours.
@test "a dump of more CPUs than there can be" {
	python3 - <<'END'
import struct
points = struct.pack("<IIQ", 1, 1, 7)
for s in (b"id", b"tp", b"pr", b""):
    points += struct.pack("<H", len(s)) + s
points += struct.pack("<I", 0)
dump = struct.pack("<I4xQII", 0x4f535654, 0, 1, 1)
dump += struct.pack("<I4xQ", 0x54524344, len(points)) + points
dump += bytes(-len(dump) % 8)
for i in range(1025):
    dump += struct.pack("<I4xQ", 0x54524353, 48)
    dump += struct.pack("<QQ16sQII", 7, 1, b"t", 1000 + i, i, 0)
open("dump", "wb").write(dump)
END
	rc=0
	kst-osv dump >out 2>err || rc=$?
	cat err
	[ $rc = 1 ]
	[ "$(wc -l <out)" = 1024 ]
	grep -q 'byte 65[0-9]*: records of more than 1024 CPUs' err
}
