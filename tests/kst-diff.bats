# SPDX-License-Identifier: ISC

# lane: long
root=$BATS_TEST_DIRNAME/..
golden=$BATS_TEST_DIRNAME/golden/kst-diff

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

simulate() {
	python3 "$root/tests/simulate.py" "$@"
}

# alarms PAIRS: how many of the pairs 1.txt 2.txt, 3.txt 4.txt ... fail the
# smallest gate, and in how many anything at all is said to have changed.
alarms() {
	gate=0 any=0
	for i in $(seq 1 2 $((2 * $1))); do
		rc=0
		kst-diff --gate +0.01% "$i.txt" $((i + 1)).txt >out 2>err || rc=$?
		[ $rc = 5 ] || [ $rc = 3 ] || return 1
		[ $rc = 5 ] || gate=$((gate + 1))
		grep -q '^slower in 0 functions, faster in 0,' out ||
			any=$((any + 1))
	done
	echo "$gate at the gate, $any at all, of $1"
}

@test "200 resamplings of an archive: at most 5 % false alarms" {
	simulate 1000 1 500 .6 .5 .5
	simulate 1 400 resample 1000.txt
	alarms 200
	[ $gate -le 10 ]
	[ $any -le 10 ]
}

@test "the same truth twice, CPUs alike and long phases: at most 5 % false alarms" {
	simulate 1 200 500 .6 .5 .5
	alarms 100
	[ $gate -le 5 ]
	[ $any -le 5 ]
	simulate 1 200 1500 .6 .2 .9
	alarms 100
	[ $gate -le 5 ]
	[ $any -le 5 ]
}

@test "60 and 66 %: found in 18 of 20 with as many samples as kst-diff asks for" {
	simulate 1 2 1000 .6 .5 .5
	kst-diff --gate hot=+3% --inconclusive pass 1.txt 2.txt >out
	n=$(sed -n 's/^INCONCLUSIVE hot .*: about \([0-9]*\) samples .*/\1/p' out)
	[ "$n" -gt 4000 ]
	[ "$n" -lt 100000 ]
	simulate 100 20 $((n / 4)) .60 .5 .5
	simulate 200 20 $((n / 4)) .66 .5 .5
	found=0
	for i in $(seq 0 19); do
		rc=0
		kst-diff --gate hot=+3% $((100 + i)).txt $((200 + i)).txt \
			>out 2>err || rc=$?
		[ $rc != 3 ] || found=$((found + 1))
	done
	echo "$found of 20 with $n samples"
	[ $found -ge 18 ]
}

@test "a difference between folders of files is found, and none is not" {
	for side in 0 1 2; do
		mkdir $side
		(cd $side && simulate ${side}0 5 1000 .6 .2 .2)
	done
	mkdir more
	(cd more && simulate 50 5 1000 .7 .2 .2)
	kst-diff --gate +30% 0 1
	rc=0
	kst-diff --gate +0.01% 0 1 || rc=$?
	[ $rc = 5 ]
	rc=0
	kst-diff --gate +3% 2 more >out 2>err || rc=$?
	[ $rc = 3 ]
	grep -q '^REGRESSION hot ' out
}

@test "--folded is the union of both, exactly" {
	simulate 1 2 300 .6 .2 .2
	kst-fold 1.txt >a
	kst-fold 2.txt >b
	kst-diff --folded a b >got
	awk '/^#/ { next } { n = $NF; sub(/ [^ ]*$/, ""); count[$0, FILENAME] = n
		all[$0] = 1 } END { for (s in all) printf "%s %d %d\n", s,
		count[s, "a"], count[s, "b"] }' a b | LC_ALL=C sort | cmp - got
	kst-diff --folded 1.txt 2.txt | cmp - got
	kst-fold got | cmp - got
	kst-diff -a --csv got >one 2>err
	kst-diff -a --csv a b 2>err | cmp - one
}

@test "totals are kst-fold's, and a function's those of the stacks it is in" {
	simulate 1 2 300 .6 .2 .2
	kst-diff --json 1.txt 2.txt >out
	for i in 1 2; do
		total=$(kst-fold --no-trailer $i.txt | awk '{ s += $NF } END { print s }')
		[ "$(grep -o '"total":[0-9]*' out | sed -n "${i}p")" = "\"total\":$total" ]
	done
	kst-fold --no-trailer 1.txt >a
	for by in total self; do
		kst-diff -a --csv --$by --sort name a a 2>err |
			awk -F, 'NR > 1 { print $1, $2 }' >got
		awk -v by=$by '{ n = $NF; sub(/ [^ ]*$/, ""); k = split($0, f, ";")
			split("", seen)
			for (i = by == "self" ? k : 1; i <= k; i++)
				if (!seen[f[i]]++)
					w[f[i]] += n
			} END { for (name in w) print name, w[name] }' a |
			LC_ALL=C sort >want
		cmp want got
	done
}

@test "a recursive function is counted once" {
	printf '%s\n' 'a;b;a;b;a 3' 'a;a;a 2' 'c;a 5' >in
	[ "$(kst-diff -a --csv --sort name in in 2>err | cut -d, -f1-3 |
		tail -n +2 | tr '\n' ' ')" = 'a,10,10 b,3,3 c,5,5 ' ]
}

@test "packed files are read, and one that is cut is said to be" {
	simulate 1 2 300 .6 .2 .2
	kst-diff 1.txt 2.txt >want
	gzip -k 1.txt
	xz -k 2.txt
	kst-diff 1.txt.gz 2.txt.xz | cmp - want
	kst-diff - 2.txt.xz <1.txt | cmp - want
	head -c 3000 1.txt.gz >cut.gz
	rc=0
	kst-diff cut.gz 2.txt >out 2>err || rc=$?
	[ $rc = 1 ]
	grep -q '^kst-diff: cut.gz: could not be decompressed' err
}

@test "a file that is not there is not said to have two counts" {
	mkdir before
	echo 'a;b 1 2' >before/1
	ln -s nowhere before/2
	echo 'a;b 1' >after
	rc=0
	kst-diff before after >out 2>err || rc=$?
	cat err
	[ $rc = 1 ]
	grep -q '^kst-diff: before/1 is differential' err
	[ "$(grep -c . err)" = 2 ]
}

@test "one file a side that could be read gives no interval" {
	mkdir before after
	printf 'a;b 100\na;c 50\n' >before/1
	printf 'a;b 70\na;c 80\n' >after/1
	ln -s nowhere before/2
	ln -s nowhere after/2
	rc=0
	kst-diff before after >out 2>err || rc=$?
	cat out err
	[ $rc = 1 ]
	grep -q '^no verdict: only one file of each side could be read' out
	! grep -q ' \.\. ' out
}

@test "how many runs would decide does not count files that could not be read" {
	cp -r "$golden/renamed-before" before
	cp -r "$golden/renamed-after" after
	kst-diff --gate run=+5% before after >whole || [ $? = 5 ]
	grep -q 'about 14 runs on each side would decide' whole
	for i in 1 2 3 4 5 6; do
		ln -s nowhere before/lost$i
		ln -s nowhere after/lost$i
	done
	rc=0
	kst-diff --gate run=+5% before after >out 2>err || rc=$?
	cat out err
	[ $rc = 1 ]
	cmp whole out
}

@test "an unpacker that is killed is a failure of the system" {
	simulate 1 2 300 .6 .2 .2
	gzip -k 1.txt
	mkdir bin
	printf '#!/bin/sh\nkill -9 $$\n' >bin/gzip
	chmod 755 bin/gzip
	rc=0
	PATH=$PWD/bin:$PATH kst-diff 1.txt.gz 2.txt >out 2>err || rc=$?
	cat err
	[ $rc = 4 ]
	grep -q '^kst-diff: 1.txt.gz: its unpacker was killed by signal 9$' err
}

@test "the same bytes each time, none on a full disk" {
	simulate 1 2 300 .6 .2 .2
	for o in --csv --json --markdown --folded; do
		kst-diff $o 1.txt 2.txt >a
		kst-diff $o 1.txt 2.txt | cmp - a
		rc=0
		kst-diff $o 1.txt 2.txt >/dev/full 2>err || rc=$?
		[ $rc = 4 ]
	done
	python3 -m json.tool <"$golden/json.out" >parsed
}

@test "a terminal: colours, names cut at the left; NO_COLOR" {
	long=$(printf 'deep::%.0s' $(seq 40))
	printf '%s\n' "main;${long}leaf 600" 'main;other 400' >a
	printf '%s\n' "main;${long}leaf 700" 'main;other 300' >b
	script -qec 'stty cols 80; kst-diff a b 2>err' /dev/null >out </dev/null
	grep -q "$(printf '\033')\\[31m.*\\.\\..*deep::leaf$(printf '\033')\\[0m" out
	script -qec 'stty cols 80; NO_COLOR=1 kst-diff a b 2>err' /dev/null >out \
		</dev/null
	! grep -q "$(printf '\033')" out || false
	tr -d '\r' <out | awk 'NR > 1 && length > 80' >wide
	[ ! -s wide ]
	[ "$(kst-diff a b 2>err | grep -c "${long}leaf")" = 1 ]
}

@test "names of control characters and markup are shown, not obeyed" {
	printf 'a\033[31m;<img src=x>|`b` 50\n\302\233;\377 50\n' >in
	kst-diff in in 2>err >out
	! grep -q "$(printf '\033')" out || false
	kst-diff --markdown in in 2>err | grep -q '&lt;img src=x\\>\\|\\`b\\`'
	kst-diff --json in in 2>err | python3 -m json.tool >parsed
	printf 'a 5\n#kst:unit=<b>x</b>|y\n' >in
	kst-diff --markdown in in 2>err >out
	grep -q '&lt;b\\>x' out
	! grep -q '<b>' out
}

@test "kst-svg draws what --folded writes" {
	kst-diff --folded "$golden/before.folded" "$golden/after.folded" |
		kst-svg >out.svg
	grep -q '<svg' out.svg
}

@test "--elf: functions whose own code differs come first; those that did not run are a line" {
	cat >old.c <<'E'
int x;
__attribute__((noinline)) int same(int a) { return x * a; }
__attribute__((noinline)) int worse(int a) { return x + a; }
__attribute__((noinline)) int never(int a) { return x - a; }
int main(void) { return same(1) + worse(2) + (x ? never(3) : 0); }
E
	sed 's/return x + a/x += a * 7; return x/; s/return x - a/return x - a * 7/' \
		old.c >new.c
	for f in old new; do gcc -O1 -o $f.elf $f.c; done
	printf 'main;same 500\nmain;worse 100\nmain;other 10\n' >old.folded
	printf 'main;same 900\nmain;worse 101\nmain;other 500\n' >new.folded
	kst-diff --elf old.elf,new.elf old.folded new.folded >out 2>err
	sed -n 3p out | grep -q ' worse \[code differs\]$'
	[ "$(grep -c 'code differs\]' out)" = 1 ]
	[ "$(tail -n 1 out)" = '1 function whose code differs was in no sample: never' ]
	for f in old new; do
		{ cat $f.folded; echo '#kst:unit=instructions,exact=1'; } >$f.exact
	done
	kst-diff --elf old.elf,new.elf old.exact new.exact 2>err | tail -n 1 >last
	[ "$(cat last)" = '1 function whose code differs never ran: never' ]
	# with debug information, where it does
	for f in old new; do gcc -g -O1 -o $f.g "$PWD/$f.c"; done
	kst-diff --elf old.g,new.g old.exact new.exact >out 2>err
	sed -n 3p out | grep -q ' worse \[code differs: new.c:3\]$'
	[ "$(tail -n 1 out)" = '1 function whose code differs never ran: never (new.c:4)' ]
	# two builds of one source are equal, and the order is that of before
	kst-diff --elf old.elf,old.elf old.folded new.folded >same 2>err
	kst-diff old.folded new.folded 2>err | cmp - same
	[ "$(kst-diff --elf old.elf,new.elf --csv old.folded new.folded 2>err |
		sed -n 's/^\([a-z]*\),.*,\([a-z]*\)$/\1 \2/p' | head -n 2 | xargs)" = \
		'function code worse differs' ]
	kst-diff --elf old.elf,new.elf --json old.folded new.folded 2>err |
		python3 -c 'import json, sys
rows = {r["name"]: r["code"] for r in json.load(sys.stdin)["rows"]}
assert rows == {"worse": "differs", "same": "equal", "other": "equal", "main": "equal"}, rows'
	for wrong in '--elf old.elf' '--elf ,b' '-b stack --elf a,b' '-f --elf a,b'; do
		run kst-diff $wrong old.folded new.folded
		[ "$status" = 2 ]
	done
	# code that cannot be compared: the rest is
	run -1 kst-diff --elf old.elf,none old.folded new.folded
	[[ $output == *none* ]]
	printf 'f: bx lr\n' | arm-linux-gnueabi-as -o other.o
	arm-linux-gnueabi-ld -Ttext 0x1000 -e 0x1000 -o other.elf other.o
	run -1 --separate-stderr kst-diff --elf other.elf,other.elf old.folded new.folded
	[[ $stderr == *'for x86_64, i386, aarch64 and riscv, and'* ]]
	[ "$output" = "$(cat same)" ]
}

# exact UNIT FILE: a file of kst-count from lines on standard input.
exact() {
	{ cat; echo "#kst:unit=$1,exact=1"; } >"$2"
}

@test "--per-call tells what costs more in each call from what is called more often" {
	exact instructions old <<<$'a 1000\na;often 100\na;dear 100\na;dear;inl 50\nb;mixed 1000\na;mixed 100\na;<signal handler called>;tick 70'
	exact calls old.calls <<<$'a;often 10\na;dear 10\na;mixed 10\nb;mixed 10'
	# `mixed` is called more by b, where it always cost 100
	exact instructions new <<<$'a 1000\na;often 200\na;dear 110\na;dear;inl 50\nb;mixed 3000\na;mixed 100\na;<signal handler called>;tick 900'
	exact calls new.calls <<<$'a;often 20\na;dear 10\na;mixed 10\nb;mixed 30'
	rc=0
	kst-diff --per-call old.calls,new.calls --gate x1.01 old new >out || rc=$?
	cat out
	[ $rc = 3 ]
	[ "$(grep -c '^REGRESSION' out)" = 1 ]
	grep -qx 'REGRESSION dear 15 -> 16 (x1.067), limit x1.01' out
	sed -n 4p out | grep -q '^ *15 *16 *+6.67% *10 10  dear$'
	grep -q '^ *10 *10 *= *10 20  often$' out
	grep -q '^ *- *- *= *0 0  tick$' out
	kst-diff --json --per-call old.calls,new.calls old new >out
	grep -q '"name":"dear".*"before":15,"after":16.*,"calls_before":10,"calls_after":10,"calls_compared":10}' out
	grep -q '"name":"often".*"calls_before":10,"calls_after":20,"calls_compared":20}' out
	[ "$(grep -c 'callee\|same_work' out)" = 0 ]
	kst-diff --csv --per-call old.calls,new.calls old new >out
	grep -q ',significant,calls_before,calls_after,calls_compared$' out
	grep -q '^often,100,200,.*,10,20,20$' out
	for wrong in "--gate +2%" "--gate dear=x1.1" "--work 1,2" "--total" "--by stack" "--folded"; do
		rc=0
		kst-diff --per-call old.calls,new.calls $wrong old new 2>err >out || rc=$?
		[ $rc = 2 ]
	done
	run kst-diff --per-call old,new old new
	[ "$status" = 1 ]
	[[ $output == *"counts instructions, not calls"* ]]
	run kst-diff --per-call old,missing old new
	[ "$status" = 1 ]
}

@test "--per-call says what a function whose code differs calls more, less, or no longer" {
	cat >old.c <<'E'
int x;
__attribute__((noinline)) int same(int a) { return x * a; }
__attribute__((noinline)) int worse(int a) { return x + a; }
int main(void) { return same(1) + worse(2); }
E
	sed 's/return x + a/return x + a * 7/' old.c >new.c
	for f in old new; do gcc -O1 -o $f.elf $f.c; done
	tell() {
		kst-diff --elf old.elf,new.elf --per-call old.calls,new.calls old new |
			grep 'a call of\|no longer calls' || true
	}
	exact instructions old <<<$'m;worse 100\nm;worse;get 100\nm;same 100\nm;same;get 100'
	exact calls old.calls <<<$'m 1\nm;worse 10\nm;worse;get 2\nm;same 10\nm;same;get 10'
	# as much for each call: nothing
	exact instructions new <<<$'m;worse 210\nm;worse;get 200\nm;same 100\nm;same;get 100'
	exact calls new.calls <<<$'m 1\nm;worse 20\nm;worse;get 4\nm;same 10\nm;same;get 10'
	[ "$(tell)" = '' ]
	# `same` calls it less often, and costs what it did: its code is equal
	exact calls new.calls <<<$'m 1\nm;worse 20\nm;worse;get 20\nm;same 10\nm;same;get 1'
	[ "$(tell)" = 'a call of worse calls get 1.00 times, 0.20 before' ]
	# it was inlined
	exact calls new.calls <<<$'m 1\nm;worse 20\nm;same 10\nm;same;get 10'
	[ "$(tell)" = '' ]
	exact instructions new <<<$'m;worse 210\nm;same 100\nm;same;get 100'
	[ "$(tell)" = 'worse no longer calls get (0.20 times a call before)' ]
	exact calls new.calls <<<$'m 1\nm;worse 20\nm;worse;put 40\nm;same 10\nm;same;get 10'
	exact instructions new <<<$'m;worse 210\nm;worse;put 99\nm;same 100\nm;same;get 100'
	[ "$(tell)" = 'a call of worse calls put 2.00 times, never before: 5.0 of its 15.4 instructions' ]
	# of several, the one that costs more
	exact calls new.calls <<<$'m 1\nm;worse 20\nm;worse;get 4\nm;worse;few 60\nm;worse;put 40\nm;worse;put;one 40'
	exact instructions new <<<$'m;worse 210\nm;worse;few 60\nm;worse;put 99\nm;worse;put;one 201\nm;worse;get 10'
	[ "$(tell)" = 'a call of worse calls put 2.00 times, never before: 15.0 of its 28.5 instructions' ]
	exact calls new.calls <<<$'m 1\nm;worse 20\nm;worse;put 40\nm;same 10\nm;same;get 10'
	exact instructions new <<<$'m;worse 210\nm;worse;put 99\nm;same 100\nm;same;get 100'
	# the same as data
	kst-diff --json --elf old.elf,new.elf --per-call old.calls,new.calls old new >out
	grep -q '"name":"worse".*"callee":"put","callee_before":0,"callee_after":2}' out
	grep -q '"name":"same".*"callee":null,"callee_before":null,"callee_after":null}' out
	kst-diff --csv --elf old.elf,new.elf --per-call old.calls,new.calls old new >out
	grep -q ',code,calls_before,calls_after,calls_compared,callee,callee_before,callee_after$' out
	grep -q '^worse,.*,differs,10,20,20,put,0,2$' out
	grep -q '^same,.*,equal,10,10,10,,,$' out
	# the first row whose code is equal, if its cost is another
	exact instructions new <<<$'m;worse 100\nm;worse;get 100\nm;same 160\nm;same;get 300'
	exact calls new.calls <<<$'m 1\nm;worse 10\nm;worse;get 2\nm;same 10\nm;same;get 30'
	[ "$(tell)" = 'a call of same calls get 3.00 times, 1.00 before' ]
	exact instructions new <<<$'m;worse 100\nm;worse;get 100\nm;same 140\nm;same;get 100'
	[ "$(tell)" = '' ]
}

@test "--per-call ends in the functions whose code differs and costs more, and by how much" {
	cat >old.c <<'E'
int x;
__attribute__((noinline)) int same(int a) { return x * a; }
__attribute__((noinline)) int worse(int a) { return x + a; }
__attribute__((noinline)) int label(int a) { return x - a; }
int main(void) { return same(1) + worse(2) + label(3); }
E
	sed 's/return x [+]/return a * 7 +/; s/return x -/return 7 * a -/' old.c >new.c
	for f in old new; do gcc -O1 -o $f.elf $f.c; done
	tell() {
		kst-diff --elf old.elf,new.elf --per-call old.calls,new.calls old new >out
		cat out
	}
	exact instructions old <<<$'m;worse 20000\nm;same 20000\nlabel 500'
	exact calls old.calls <<<$'m 1\nm;worse 2000\nm;same 2000'
	exact instructions new <<<$'m;worse 26000\nm;same 20090\nlabel 600'
	exact calls new.calls <<<$'m 1\nm;worse 2000\nm;same 2000'
	tell
	# what costs less than 0.5 % more, and has equal code, does not count
	grep -q '^a call costs more in 1 function, less in 0, as much in 1;' out
	grep -q '^ *10 *10.045 *+0.45% *2,000 2,000  same$' out
	[ "$(tail -n 2 out)" = '1 function whose code differs was entered by jumps only: label, 600 instructions (500 before)
1 function whose code differs costs more: worse +30 % (+3.0 in each of 2,000 calls)' ]
	kst-diff --per-call old.calls,new.calls old new | grep -q '^a call costs more in 2 functions'
	# data have all rows
	kst-diff --elf old.elf,new.elf --per-call old.calls,new.calls --csv old new |
		grep -q '^label,500,600,'
	# a tail call leads to it: its callers were called half as often, and it costs more
	exact instructions old <<<$'m;worse 20000\nm;same 20000\nm;same;label 4000'
	exact instructions new <<<$'m;worse 10000\nm;same 10000\nm;same;label 3000'
	exact calls new.calls <<<$'m 1\nm;worse 1000\nm;same 1000'
	tell
	[ "$(tail -n 2 out)" = '1 function whose code differs was entered by jumps only: label, 3,000 instructions (4,000 before)
1 function whose code differs costs more: label +50 % in as many calls of its callers' ]
	kst-diff --elf old.elf,new.elf --per-call old.calls,new.calls --found-fd 3 old new 3>found >out
	grep -qx 'dearer label' found
	exact instructions new <<<$'m;worse 10000\nm;same 10000'
	exact instructions old <<<$'m;worse 20000\nm;same 20000'
	tell
	grep -qx '1 function whose code differs never ran: label' out
	# less, or as much
	exact calls new.calls <<<$'m 1\nm;worse 2000\nm;same 2000'
	exact instructions new <<<$'m;worse 19999\nm;same 20000\nlabel 600'
	tell
	[ "$(tail -n 1 out)" = 'no function whose code differs costs more' ]
	# but is called more often, which is what costs
	exact calls new.calls <<<$'m 1\nm;worse 400000\nm;same 2000'
	exact instructions new <<<$'m;worse 2000000\nm;same 20000\nlabel 600'
	tell
	[ "$(tail -n 2 out)" = 'worse, whose code differs, is called 400,000 times, 2,000 before: x200
no function whose code differs costs more' ]
	exact calls new.calls <<<$'m 1\nm;worse 2900\nm;same 2000'
	tell
	[ "$(grep -c 'is called' out)" = 0 ]
	exact calls new.calls <<<$'m 1\nm;worse 2000\nm;same 2000'
	exact instructions new <<<$'m;worse 19999\nm;same 20000\nlabel 600'
	kst-diff --elf old.elf,old.elf --per-call old.calls,new.calls old new >out
	[ "$(grep -c 'code differs' out)" = 0 ]
}

@test "--elf knows functions of C++ and Rust by names as pictures have them, and by the linker's" {
	cat >old.c <<'E'
int x;
int worse(int a) __asm__("_ZN2md5worseIiEEiT_");
int dear(int a) __asm__("_RNvC2md4dear");
__attribute__((noinline)) int worse(int a) { return x + a; }
__attribute__((noinline)) int dear(int a) { return x - a; }
int main(void) { return worse(2) + dear(3); }
E
	sed 's/return x [+]/return a * 7 +/; s/return x -/return 7 * a -/' old.c >new.c
	for f in old new; do gcc -O1 -o $f.elf $f.c; done
	exact instructions old <<<$'m;md::worse 20000\nm;md::dear 20000'
	exact instructions new <<<$'m;md::worse 26000\nm;md::dear 20090'
	kst-diff --elf old.elf,new.elf old new >out
	cat out
	[ "$(grep -c ' md::worse \[code differs\]$\| md::dear \[code differs\]$' out)" = 2 ]
	sed -i 's/md::worse/_ZN2md5worseIiEEiT_/' old new
	kst-diff --elf old.elf,new.elf old new | grep -q ' _ZN2md5worseIiEEiT_ \[code differs\]$'
}

@test "--per-call says which run did not get as far in as many instructions" {
	echo 'int main(void) { return 0; }' >same.c
	gcc -o same.elf same.c
	# NAME CALLS MORE: four functions so often, and two of which time decides
	run_of() {
		exact instructions "$1" <<<"$(seq -f 'm;f%g 100000' 5)"$'\n'"m;f6 $3"
		exact calls "$1.calls" <<<"$(seq -f "m;f%g $2" 4)"$'\nm;f5 300\nm;f6 2'
	}
	tell() {
		kst-diff --elf same.elf,same.elf --per-call old.calls,new.calls old new |
			grep 'as far' || true
	}
	run_of old 1100 100000
	run_of new 1000 100010
	[ "$(tell)" = 'after did not get as far: 1,000 calls of f1 in as many instructions, 1,100 before' ]
	run_of new 1200 100010
	[ "$(tell)" = 'before did not get as far: 1,100 calls of f1 in as many instructions, 1,200 after' ]
	json() {
		kst-diff --elf same.elf,same.elf --per-call old.calls,new.calls --json old new >out
		python3 -c 'import json; print(json.load(open("out")).get("not_as_far"))'
	}
	[ "$(json)" = "{'side': 'before', 'name': 'f1', 'calls_before': 1100, 'calls_after': 1200}" ]
	# as far, about; and of fewer instructions it is no wonder
	run_of new 1085 100010
	[ "$(tell)" = '' ]
	[ "$(json)" = None ]
	run_of new 1000 90000
	[ "$(tell)" = '' ]
	# one more often, the others less
	run_of new 1000 100010
	sed -i 's/f4 1000/f4 1500/' new.calls
	[ "$(tell)" = '' ]
}

@test "--per-call says when the two runs did not do the same work" {
	echo 'int main(void) { return 0; }' >same.c
	gcc -o same.elf same.c
	tell() {
		kst-diff --elf same.elf,same.elf --per-call old.calls,new.calls old new |
			sed -n 2p | grep -c 'not do the same work' || true
	}
	# NAME FIRST LAST: functions f1 and so on, each with 10 instructions
	run_of() {
		exact instructions "$1" <<<"$(seq -f 'main;f%g 10' "$2" "$3")"
		exact calls "$1.calls" <<<"$(seq -f 'main;f%g 1' "$2" "$3")"
	}
	run_of old 1 100
	run_of new 6 104
	[ "$(tell)" = 0 ]
	run_of new 1 89
	kst-diff --elf same.elf,same.elf --per-call old.calls,new.calls old new >out
	[ "$(sed -n 2p out)" = 'the runs did not do the same work: 11 functions ran only before, 0 only after' ]
	kst-diff --elf same.elf,same.elf --per-call old.calls,new.calls --json old new |
		grep -q '^"same_work":false,"only_before":11,"only_after":0'
	# addresses are no functions, and four are too few
	sed -i 's/f/0x/' old new old.calls new.calls
	[ "$(tell)" = 0 ]
	run_of old 1 7
	run_of new 1 3
	[ "$(tell)" = 0 ]
}
