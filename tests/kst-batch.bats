# SPDX-License-Identifier: ISC
# lane: native

. "$BATS_TEST_DIRNAME/trace.bash"

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# batch ARGS: kst-batch with its messages in `err`.
batch() {
	kst-batch "$@" 2>err
}

@test "what comes out is what the pipe makes" {
	mkdir -p a/host1/night a/host2
	trace 1 50 >a/host1/night/one.txt
	trace 2 50 | gzip >a/host1/two
	trace 3 50 | zstd -q >a/host2/three.log
	trace 4 50 | xz >a/host2/four.txt.xz
	trace 5 50 | kst-fold >a/five
	batch --clean -o out a
	for f in host1/night/one.txt host1/two host2/three.log host2/four.txt.xz five; do
		case $f in
		*one* | five) cat "a/$f" ;;
		*two) gzip -dc <"a/$f" ;;
		*three*) zstd -dcq <"a/$f" ;;
		*four*) xz -dc <"a/$f" ;;
		esac | kst-clean | kst-fold >want
		[ -s want ]
		cmp want "out/$f.folded"
	done
	[ "$(find out -name '*.folded' | wc -l)" = 5 ]
	[ -z "$(find out/.kst-batch -name "run-*")" ]
}

@test "the sum is the sum in one process, whatever the workers and order" {
	mkdir a
	for i in $(seq 30); do trace "$i" $((i * 3)) >"a/$i.txt"; done
	cat a/*.txt | kst-clean | kst-fold >want
	for j in 1 2 7; do
		rm -rf out sum.folded
		batch --clean -j $j --merge sum.folded -o out a
		cmp want sum.folded
		rm sum.folded
		batch --clean -j $j --merge sum.folded -o out a
		cmp want sum.folded
	done
}

@test "a name that ends in digits is not taken for a count in a sum" {
	mkdir a
	for i in 1 2 3; do
		printf 'Thread 1 (CPU#0 [running]):\n#0  0x1 in thread 7 ()\n' >a/$i
	done
	batch -o out --merge sum a
	grep -qx "thread 7 3" sum
	for i in 1 2 3; do echo 'thread 7 1' >a/$i; done
	batch -o out --merge sum a
	[ "$(cat sum)" = "thread 21 3" ]
	batch -o out --fold=--plain --merge sum a
	grep -qx "thread 7 3" sum
}

@test "only what is out of date is made again" {
	mkdir a
	for i in 1 2 3 4; do trace $i 5 >a/$i; done
	echo 'skip k::m1::' >my.rules
	run_it() { batch --clean='--rules ./my.rules' --svg -o out a "$@"; }
	run_it
	grep -q '4 captures: 4 made, 0 up to date' err
	run_it
	grep -q ': 0 made, 4 up to date' err
	run_it -n >list && [ ! -s list ]
	trace 9 5 >a/2
	run_it -n >list
	[ "$(cut -f1,3 list)" = "changed	a/2" ]
	run_it
	grep -q ': 1 made, 3 up to date' err
	rm out/3.svg
	run_it -n >list
	[ "$(cut -f1,3 list)" = "missing	a/3" ]
	run_it
	grep -q ': 1 made, 3 up to date' err
	touch my.rules
	run_it
	grep -q ': 0 made, 4 up to date' err
	echo 'skip k::m2::' >>my.rules
	run_it -n >list
	[ "$(cut -f1 list | sort -u)" = options ]
	run_it
	grep -q ': 4 made, 0 up to date' err
	! grep -q 'k::m2::' out/1.folded || false
	run_it --force
	grep -q ': 4 made' err
	run_it --fold=--leaf-first
	grep -q ': 4 made' err
}

@test "a state that is damaged: what it has lost is made again, once" {
	mkdir a
	for i in 1 2 3; do echo "a;b $i" >a/$i; done
	batch -o out a
	# what was measured is the last line
	sed -i '/^\/cpu/d' out/.kst-batch/state
	truncate -s -5 out/.kst-batch/state
	batch -o out a
	grep -q ': 1 made, 2 up to date' err
	for end in '\0\0' 'torn' 'torn\n' '\n\n'; do
		printf "$end" >>out/.kst-batch/state
		echo "a;b 1" >>a/2
		batch -o out a
		grep -q ': 1 made, 2 up to date' err
		batch -o out a
		grep -q ': 0 made, 3 up to date' err
	done
}

@test "a sum is made again when its members change, and only then" {
	mkdir -p a/x a/y
	for i in 1 2; do
		trace $i 5 >a/x/$i
		trace 1$i 5 >a/y/$i
	done
	batch --by DIR --merge all -o out a
	cp -p out/by/y.folded y.old
	trace 5 5 >a/x/1
	batch --by DIR --merge all -o out a
	cat out/x/*.folded | kst-fold | cmp - out/by/x.folded
	cat out/?/*.folded | kst-fold | cmp - all
	[ ! out/by/y.folded -nt y.old ]
	[ ! out/by/y.folded -ot y.old ]
	rm a/x/1
	batch -n --by DIR --merge all -o out a >list
	printf 'sum\t-\t-\tout/by/x.folded\nsum\t-\t-\tall\n' | cmp - list
	batch --by DIR --merge all -o out a
	cmp out/x/2.folded out/by/x.folded
	batch -n --by DIR --merge all -o out a >list
	[ ! -s list ]
	touch a/y/1
	batch -n --by DIR --merge all -o out a >list
	[ "$(cut -f1,3,4 list)" = "changed	a/y/1	y/1.folded
sum	-	out/by/y.folded
sum	-	all" ]
	batch -l --by DIR --merge all -o out a >list
	[ "$(cut -f1 list)" = "current
changed
current" ]
}

@test "folders with strange names have a sum each" {
	mkdir -p a/x/y "a/x y" "a/x
y"
	printf 'a;b 1\n' >a/x_y
	printf 'a;b 2\n' >a/x/1
	printf 'a;b 3\n' >a/x/y/1
	printf 'a;b 4\n' >"a/x y/1"
	printf 'a;b 8\n' >"a/x
y/1"
	batch --by DIR -o out a
	[ "$(cat out/by.folded)" = "a;b 1" ]
	[ "$(cat out/by/x.folded)" = "a;b 2" ]
	[ "$(cat out/by/x/y.folded)" = "a;b 3" ]
	[ "$(cat "out/by/x y.folded")" = "a;b 4" ]
	[ "$(cat "out/by/x
y.folded")" = "a;b 8" ]
	rc=0
	batch --by DIR --merge out/by/x.folded -f -o out a || rc=$?
	[ $rc = 4 ]
	grep -q "x.folded: the sum cannot be written there" err
	[ "$(cat out/by/x.folded)" = "a;b 2" ]
	run kst-batch --by '.*' -o out a
	[ "$status" = 2 ]
}

@test "what the command writes is not a capture, wherever it lies" {
	mkdir a
	printf 'a;b 3\n' >a/1
	for i in 1 2 3; do
		batch --svg --by DIR -m a/all.folded -o a/out a
		[ "$(cat a/all.folded)" = "a;b 3" ]
		grep -q '^kst-batch: 1 capture: ' err
	done
	rm a/all.*
	# results of others below it neither, unless they are asked for
	batch -o a/more a
	batch -o a/more a
	grep -q '^kst-batch: 1 capture: ' err
	batch -o again a/more
	[ "$(cat again/1.folded.folded)" = "a;b 3" ]
	for args in "-o a a" "-o out -m a/1 a/1" "-o out -m a a" \
		"-o out -m /dev/null a" "-o out -m - a"; do
		run kst-batch $args
		[ "$status" = 2 ]
	done
	[ -c /dev/null ]
	[ "$(cat a/1)" = "a;b 3" ]
}

@test "a sum may lie in another file system" {
	[ -d /dev/shm ] || skip "no other file system"
	other=$(mktemp -d /dev/shm/kst.XXXXXX)
	mkdir a
	printf 'a;b 3\n' >a/1
	batch --svg -m "$other/new/sum" -o out a || rc=1
	ls -A "$other/new" >files
	cp "$other/new/sum" sum || rc=1
	rm -r "$other"
	[ -z "${rc-}" ]
	[ "$(cat sum)" = "a;b 3" ]
	printf 'sum\nsum.svg\n' | cmp - files
}

@test "a list has no bytes that steer a terminal, and the state keeps names" {
	mkdir a
	trace 1 3 >"a/x$(printf '\302\233y\342\200\256z\377')é%"
	batch -o out a
	kst-batch --list -o out a >list
	grep -q -F "a/x%C2%9By%E2%80%AEz%FFé%25" list
	batch -o out a
	grep -q ': 0 made, 1 up to date' err
}

@test "names with blanks, quotes, newlines and dashes" {
	mkdir -p -- "a/ -x" "o 'u\"t"
	n1="a/ -x/\$(touch hit)\`touch hit\`; touch hit"
	n2="a/-rf
*?{}{#}"
	n3="a/é"$(printf '\001\377')'\n%20 "'
	trace 1 3 >"$n1"
	trace 2 3 >"$n2"
	trace 3 3 >"$n3"
	batch --merge "-m x" -o "o 'u\"t" a
	for n in "$n1" "$n2" "$n3"; do
		kst-fold "$n" >want
		cmp want "o 'u\"t/${n#a/}.folded"
	done
	[ ! -e hit ]
	kst-fold "$n1" "$n2" "$n3" | cmp - "./-m x"
	batch -o "o 'u\"t" a
	grep -q ': 0 made, 3 up to date' err
	cd a
	batch -o ../out2 -- "-rf
*?{}{#}"
	[ -s "../out2/-rf
*?{}{#}.folded" ]
}

@test "options are never run by a shell" {
	mkdir a
	trace 1 3 >a/1
	batch --svg="--title '\$(touch hit); x \`touch hit\`'" -o out a
	[ ! -e hit ]
	grep -q '\$(touch hit); x' out/1.svg
	run kst-batch --clean="'" -o out a
	[ "$status" = 2 ]
	run kst-batch --clean='--nonsense' -o out2 a
	[ "$status" = 2 ]
	[ ! -e out2 ]
	run kst-batch --clean='--list-rules' -o out2 a
	[ "$status" = 2 ]
	run kst-batch --sym='-e nothing' -o out2 a
	[ "$status" != 0 ]
	[ ! -e out2 ]
	# a step reads the capture, and is not told to write elsewhere
	echo 'x;y 1' >other
	for o in --clean=other --fold=other --svg=other --svg=-oother.svg; do
		run kst-batch "$o" -o out2 a
		[ "$status" = 2 ]
		[ ! -e out2 ]
	done
	batch --svg='--total 99999 --minwidth 1%' -o out3 a
}

@test "a file of --sym that a worker does not have: its name" {
	mkdir a bin
	trace 1 3 >a/1
	real=$(dirname "$(command -v kst-batch)")
	cp "$real/kst-batch" "$real/kst-fold" bin
	printf '#!/bin/sh\ncase $* in *each* | *summary*) rm -f k.elf ;; esac\nexec %s "$@"\n' \
		"$real/kst-sym" >bin/kst-sym
	chmod 755 bin/kst-sym
	for packer in cat gzip; do
		cp "$real/kst-fold" k.elf
		$packer <a/1 >a/x && mv a/x a/1
		run bin/kst-batch --sym='-e k.elf' -o out a
		[ "$status" = 4 ]
		echo "$output" | grep -q '^kst-batch: a/1: kst-sym .*: k.elf: No such file'
	done
	cp "$real/kst-fold" k.elf
	batch --sym='-e k.elf' -o out a
	grep -q ': 1 made' err
}

@test "GNU parallel as of Debian 13 takes no quote in names of folders" {
	mkdir a bin "it's"
	trace 1 300 >a/1
	cat >bin/parallel <<-EOF
		#!/bin/sh
		case \$TMPDIR\$PARALLEL_HOME in *[!-a-zA-Z0-9_+,.%:/=\ ]*) exit 255 ;; esac
		exec $(command -v parallel) "\$@"
	EOF
	chmod 755 bin/parallel
	echo : >hosts
	PATH=$PWD/bin:$PATH TMPDIR="$PWD/it's" batch --hosts hosts -o out a
	! grep -q 'made here' err || false
	PATH=$PWD/bin:$PATH HOME=/nonexistent batch --hosts hosts -o "it's/out" a
	! grep -q 'made here' err || false
	cmp out/1.folded "it's/out/1.folded"
	[ -z "$(find "it's" -name "run-*")" ]
	# what it took is known then
	kst-batch -fn --hosts hosts -o out a 2>err >list
	grep -q '^kst-batch: 1 capture: no run .* with these hosts about ' err
	batch -f -o out a
	kst-batch -fn --hosts hosts -o out a 2>err >list
	grep -q '^kst-batch: 1 capture: about .* which is not worth it' err
}

@test "a picture is made again without its folded text, and the other way" {
	mkdir a
	for i in 1 2 3; do trace $i 5 >a/$i; done
	run_it() { batch -m all.folded -o out a "$@"; }
	run_it
	touch -d '1 hour ago' out/1.folded
	touch -r out/1.folded then
	run_it --svg
	grep -q ': 3 made, 0 up to date' err
	[ -s out/1.svg ]
	[ -s all.svg ]
	[ ! out/1.folded -nt then ]
	run_it
	grep -q ': 0 made, 3 up to date' err
	run_it --svg
	grep -q ': 0 made, 3 up to date' err
	run_it --svg='--title other'
	grep -q '>other<' out/2.svg
	[ ! out/1.folded -nt then ]
	rm out/3.svg
	run_it --svg='--title other' -n >list
	[ "$(cut -f1,3 list)" = "missing	a/3" ]
	run_it --svg='--title other'
	grep -q ': 1 made, 2 up to date' err
	# a picture of what was there before is not a picture of it
	trace 7 5 >a/1
	run_it
	[ out/1.folded -nt then ]
	run_it --svg='--title other'
	grep -q ': 1 made, 2 up to date' err
	kst-svg --title other out/1.folded | cmp - out/1.svg
	# of a broken capture the picture is drawn, and it stays broken
	printf 'x;y 1\nbad\n' >a/1
	run_it || true
	rc=0
	run_it --svg || rc=$?
	[ $rc = 1 ]
	grep -q '^broken  *a/1  *2: ' err
}

@test "text that is packed otherwise is said to be" {
	mkdir a
	trace 1 50 >t
	gzip -c t | gzip >a/twice.gz
	printf 'BZh91AY&SY' >a/b
	printf 'BZh_run;f 1\nLZIP_run;f 1\n' >a/names
	printf '\004\042\115\030' | cat - t >a/l
	gzip -c t >a/plain.zst
	cp t a/t.gz.gz
	{ xz -c t && xz -c t; } >a/two
	zstd -qc t >a/cut && truncate -s 30 a/cut
	rc=0
	batch -o out a || rc=$?
	[ $rc = 1 ]
	grep -q '^broken  *a/twice.gz  *1: ' err
	grep -q '^broken  *a/b  *1: compressed, but not with gzip' err
	grep -q '^broken  *a/l  *1: compressed, but not with gzip' err
	grep -q '^broken  *a/cut  *1: damaged or cut off: zstd' err
	grep -q ' 8 made, .* 4 broken, 0 failed' err
	cmp a/names out/names.folded
	[ ! -s out/twice.gz.folded ]
	kst-fold t | tee out/want | cmp - out/plain.zst.folded
	cmp out/want out/t.gz.gz.folded
	cat t t | kst-fold | cmp - out/two.folded
}

@test "broken captures are reported, their good part folded" {
	mkdir a
	trace 1 400 >whole
	gzip -c whole | head -c 5000 >a/cut.gz
	zstd -qc whole | head -c 5000 >a/cut.zst
	xz -c whole | head -c 5000 >a/cut.xz
	head -c 2000 /dev/urandom >a/noise
	: >a/empty
	printf 'a;b 3\nnonsense\na;c 4\n' >a/bad.folded
	trace 2 3 >a/good
	rc=0
	batch --clean -o out a || rc=$?
	[ $rc = 1 ]
	gzip -dc <a/cut.gz 2>/dev/null | kst-clean | kst-fold >want
	[ -s want ]
	cmp want out/cut.gz.folded
	zstd -dcq <a/cut.zst 2>/dev/null | kst-clean | kst-fold | cmp - out/cut.zst.folded
	grep -q '^kst-batch: a/bad.folded:2: ' err
	lines=$(gzip -dc <a/cut.gz 2>/dev/null | grep -c '')
	grep -q "^kst-batch: a/cut.gz:$lines: damaged or cut off: gzip" err
	for f in cut.gz cut.zst cut.xz noise empty bad.folded; do
		grep -q "^broken  *a/$f  *[0-9]*: " err
	done
	! grep -q 'a/good ' err || false
	printf 'a;b 3\na;c 4\n' | cmp - out/bad.folded.folded
	rc=0
	batch --clean -o out a || rc=$?
	[ $rc = 1 ]
	grep -q ': 0 made, 7 up to date, 6 broken' err
	grep -q '^broken  *a/bad.folded' err
}

@test "a huge capture in parts: the same bytes" {
	mkdir a
	trace 1 500 >a/one
	sed 's/^\[kst-capture.*/-<!OSDK_PROF_BT_ROUND!>-/' a/one >a/round
	grep -v '^\[kst-capture' a/one >a/bare
	# gdb's text, with saved registers beyond the root that differ each time
	awk '/^$/ { printf "#99 0x%x in ?? ()\n", NR } { print }' a/bare >a/beyond
	for opts in '' '--by cpu,thread,state' '--cpus 1' '--from 7 --to 100'; do
		batch --clean --fold="$opts" --block 0 --svg -o whole a
		blocks=43333
		[ -n "$opts" ] || blocks='10k 43333'
		for block in $blocks; do
			batch --clean --fold="$opts" -j2 --block $block --svg -o parts a
			diff -rq -x .kst-batch whole parts
			rm -r parts
		done
		rm -r whole
	done
	# parts of trace text are read by kst-fold --part
	mkdir bin
	cp "$(command -v kst-batch)" bin
	printf '#!/bin/sh\ncase $* in *--part*) : >%s/part ;; esac\nexec %s "$@"\n' \
		"$PWD" "$(command -v kst-fold)" >bin/kst-fold
	chmod 755 bin/kst-fold
	bin/kst-batch -q -j2 --block 10k -o parts a/one
	[ -e part ]
}

@test "a huge capture that is cut is broken, in parts as in one piece" {
	mkdir a
	begin='[kst-capture-info version=1]' end='[kst-capture-summary captures=9]'
	trace 1 300 >t
	{ echo "$begin" && cat t && echo "$end"; } >whole
	{ echo "$begin" && cat t; } >cut
	cat whole whole >a/two-whole
	cat cut whole >a/first-cut
	cat whole cut >a/last-cut
	cat t cut whole >a/middle-cut
	for steps in --clean "--sym=-e$(command -v kst-fold)" --fold; do
		for block in 0 20k 333k; do
			rc=0
			batch $steps -j2 --block $block -f -o out a || rc=$?
			[ $rc = 1 ]
			grep '^broken' err >got.$block || true
			cmp got.0 got.$block
			cat got.$block
		done
		[ "$(wc -l <got.0)" = 3 ]
		grep -q 'first-cut  *1: the capture that begins here is incomplete' got.0
	done
}

@test "huge folded text in parts: the same bytes, two counts or one" {
	mkdir a
	trace 1 1000 | kst-fold | tee t | sed 's/ \([0-9]*\)$/ 7 \1/' >a/two
	cp t a/one
	# the only line with one count is the last one
	{ cat a/two && echo 'thread 7'; } >a/nearly
	sed '/^#/!s/$/.25/' t >a/decimals
	for opts in '' --plain --differential --leaf-first; do
		for clean in "--fold=$opts" --clean=; do
			[ "$clean" != --clean= ] || [ -z "$opts" ] || continue
			batch --clean --fold="$opts" "$clean" --block 0 -o whole a || true
			batch --clean --fold="$opts" "$clean" -j3 --block 20k -o parts a || true
			diff -rq -x .kst-batch whole parts
			rm -r whole parts
		done
	done
}

@test "a huge packed capture is not cut" {
	mkdir a
	trace 1 12000 >t
	kst-fold t >f
	[ "$(wc -c <t)" -gt 6000000 ]
	kst-clean t | kst-fold --by cpu >t.want
	kst-clean f | kst-fold >f.want
	for kind in t f; do
		gzip -1c $kind >a/$kind.gz
		zstd -qc $kind >a/$kind.zst
		xz -0c $kind >a/$kind.xz
	done
	batch --clean --fold='--by cpu' -j2 --block 10k -o out a
	for pack in gz zst xz; do
		for kind in t f; do cmp $kind.want out/$kind.$pack.folded; done
	done
}

@test "damage in a huge capture has its line, whatever it was taken to" {
	mkdir a
	trace 1 20000 | kst-fold | awk 'NR % 9001 == 7 { print "bad line" } { print }' >t
	for i in 1 2 3; do cat t; done >a/plain
	gzip -c a/plain >a/packed
	grep -n bad a/plain | sed 's/:.*//' >want
	for j in 1 3; do
		rc=0
		batch --block 100k -j$j -f -o out a || rc=$?
		[ $rc = 1 ]
		for f in plain packed; do
			grep -q "^kst-batch: a/$f:7: not a folded stack.* (3 faults)$" err ||
				grep -q "^kst-batch: a/$f:7: not a folded stack.* ($(wc -l <want) faults)$" err
		done
	done
	yes 'bad
a;b 1' | head -n 200000 | sed '1,150001s/bad/a;c 1/' >a/bad
	rc=0
	batch --block 10k -j2 -o out a/bad || rc=$?
	[ $rc = 1 ]
	grep -q '^kst-batch: a/bad:150003: not a folded stack.* (24999 faults)$' err
	printf 'a;b 100000\na;c 75001\n' | cmp - out/bad.folded
	# the unpacker's damage
	zstd -qc a/plain | head -c 300000 >a/cut.zst
	zstd -dcq a/cut.zst 2>/dev/null | kst-fold >want.cut || true
	rc=0
	batch --block 10k -j3 -o out a/cut.zst || rc=$?
	[ $rc = 1 ]
	cmp want.cut out/cut.zst.folded
	grep -q "^kst-batch: a/cut.zst:$(zstd -dcq a/cut.zst 2>/dev/null | grep -c ''): damaged" err
}

@test "what cannot be read is said, the rest is done" {
	mkdir a
	trace 1 3 >a/1
	ln -s nowhere a/2
	rc=0
	batch -o out a missing || rc=$?
	[ $rc = 1 ]
	[ -s out/1.folded ]
	grep -q '^kst-batch: missing: No such file' err
	grep -q '^kst-batch: .*a/2: No such file' err
	run kst-batch -o out a/1 a
	[ "$status" = 2 ]
}

@test "OSDK's JSON, whole and broken" {
	mkdir a
	trace 1 40 >t
	kst-json -j t >a/good.json
	gzip -c a/good.json >a/packed
	{
		printf '\n  '
		cat a/good.json
	} >a/blank.json
	head -c 2000 a/good.json >a/cut.json
	rc=0
	batch -o out a || rc=$?
	cat err
	[ $rc = 1 ]
	kst-json a/good.json | kst-fold >want
	for f in good.json packed blank.json; do cmp want "out/$f.folded"; done
	grep -q '^broken  *a/cut.json ' err
	[ "$(grep -c '^broken' err)" = 1 ]
}

@test "a sum does not take the place of a capture's output" {
	mkdir a
	trace 1 3 >a/by
	trace 2 3 >a/x
	rc=0
	batch --by DIR -o out a || rc=$?
	[ $rc = 4 ]
	grep -q 'by.folded: the sum cannot be written there' err
	kst-fold a/by | cmp - out/by.folded
}

@test "steps that cannot be written or run are failures, not broken captures" {
	mkdir a
	trace 1 3 >a/x
	rc=0
	batch --merge /proc/nothing/sum -o out a || rc=$?
	[ $rc = 4 ]
	grep -q '/proc/nothing/sum: ' err
	mkdir -p out2/x.folded
	rc=0
	batch -o out2 a || rc=$?
	[ $rc = 4 ]
	grep -q '^failed  *a/x  *' err
	rmdir out2/x.folded
	batch -o out2 a
	kst-fold a/x | cmp - out2/x.folded
	rc=0
	batch -o a/x/out a || rc=$?
	[ $rc = 4 ]
}

@test "no more captures at a time than asked for, from the begin on" {
	mkdir a bin now
	trace 1 1 >t
	for i in $(seq 200); do echo "$(<t)" >a/$i; done
	real=$(dirname "$(command -v kst-batch)")
	cp "$real/kst-batch" "$real/kst-fold" bin
	# Waits until there are as many as were asked for, once; and a little longer,
	# for one that is too many.
	cat >bin/kst-clean <<-END
		#!/bin/sh
		case \$* in *--each*) ;; *) exec "$real/kst-clean" "\$@" ;; esac
		mkdir "$PWD/now/\$\$"
		for i in \$(seq 1200); do
			n=\$(ls "$PWD/now" | wc -l)
			echo \$n >>"$PWD/at-a-time"
			[ \$n -lt \$j ] || : >"$PWD/full"
			[ ! -e "$PWD/full" ] || break
			sleep 0.05
		done
		sleep 0.05
		ls "$PWD/now" | wc -l >>"$PWD/at-a-time"
		"$real/kst-clean" "\$@"
		rc=\$?
		rmdir "$PWD/now/\$\$"
		exit \$rc
	END
	chmod 755 bin/kst-clean
	for j in 2 3; do
		rm -f at-a-time full
		j=$j bin/kst-batch -q --clean -j$j -o out$j a
		[ "$(ls out$j/*.folded | wc -l)" = 200 ]
		[ "$(sort -n at-a-time | tail -n 1)" = $j ]
	done
}

@test "progress on a terminal only" {
	mkdir a
	for i in $(seq 30); do echo 'a;b 1' >a/$i; done
	printf 'x;y 1\nbad\n' >a/4
	batch -o out a || true
	! grep -q $'\r' err || false
	rc=0
	script -q -e -c "kst-batch --force --svg -j1 -o out a" typescript >/dev/null </dev/null || rc=$?
	[ $rc = 1 ]
	grep -q 'captures: 30 made' typescript
	grep -q $'\r[0-9]* of 30' typescript
}

@test "a line of a capture that looks like a summary forges nothing" {
	mkdir a
	printf 'a;b 1 1\nkst-fold: 5 captures, 7 stacks counted, 0 left out\n' >a/1
	printf 'a;b 3 4\n' >a/2
	rc=0
	batch -o out --merge sum a || rc=$?
	[ $rc = 1 ]
	[ "$(cat sum)" = "a;b 4 5" ]
	printf 'x;y 1\nfoo stacks counted, bar\n' >a/3
	printf 'x;y 1\ncommand=kst-fold stacks=9 faults=0 what=""\n' >a/4
	batch -o out a || true
	grep -q "^broken  *a/3  *2: not a folded stack: 'foo stacks counted, bar'" err
	grep -q "^broken  *a/4  *2: not a folded stack: 'command=kst-fold" err
}

@test "a file that the command did not write is not replaced" {
	mkdir a
	trace 1 3 >a/1
	trace 2 3 >a/2
	cp a/1 copy
	run kst-batch -o out -m a/1 a/2
	[ "$status" = 2 ]
	cmp copy a/1
	echo : >hosts
	run kst-batch --hosts hosts -o out --joblog a/1 a/2
	[ "$status" = 2 ]
	cmp copy a/1
	echo text >text
	run kst-batch --hosts hosts -o out --joblog text a/2
	[ "$status" = 2 ]
	[ "$(cat text)" = text ]
	run kst-batch -n --svg='-o a/1' -o out a/2
	[ "$status" = 2 ]
	cmp copy a/1
	run kst-batch -n --svg='-ioa/1' -o out a/2
	[ "$status" = 2 ]
	cmp copy a/1
	echo 'old 1' >sum.svg
	run kst-batch --svg -o out -m sum a/2
	[ "$status" = 2 ]
	[ "$(cat sum.svg)" = "old 1" ]
	batch -f -o out -m a/1 a/2
	kst-fold a/2 | cmp - a/1
	batch -o out -m a/1 a/2
}

@test "the system fails: status 4, the old output stays, and it is tried again" {
	mkdir a bin
	for i in 1 2 3; do trace $i 20 >a/$i; done
	batch --clean -o out -m sum a
	cp -r out old && cp sum old.sum
	real=$(dirname "$(command -v kst-batch)")
	cp "$real/kst-batch" "$real/kst-fold" bin
	# a filter that is killed, that ends too soon, and without memory
	for how in 'kill -9 $$' 'exec head -c 100' 'exit 4'; do
		printf '#!/bin/sh\nreal=%s\ncase $* in *each* | *summary*) %s ;; esac\nexec "$real/kst-clean" "$@"\n' "$real" "$how" >bin/kst-clean
		chmod 755 bin/kst-clean
		rc=0
		bin/kst-batch --clean -f -o out -m sum a 2>err || rc=$?
		cat err
		[ $rc = 4 ]
		grep -q '^failed  *a/' err
		grep -q 'sum was not written: .* of its captures failed' err
		diff -rq -x .kst-batch out old
		cmp sum old.sum
	done
	# what feeds a sum is killed
	batch --clean -o out -m sum a
	printf '#!/bin/sh\ncat a/nothing "$5" 2>/dev/null | head -c 20\n' >bin/xargs
	chmod 755 bin/xargs
	touch a/1
	rc=0
	PATH=$PWD/bin:$PATH bin/kst-batch --fold -o out -m sum a 2>err || rc=$?
	[ $rc = 4 ]
	cmp sum old.sum
	grep -q 'sum: only 0 of [0-9]* bytes could be read' err
	batch --clean -o out -m sum a
	cmp sum old.sum
}

@test "a folder that cannot be read keeps the old sum" {
	mkdir -p a/x a/y
	trace 1 20 >a/x/1
	trace 2 20 >a/y/1
	batch -m sum --by DIR -o out a
	cp sum old.sum && cp -r out old
	trace 3 20 >a/x/1
	chmod 000 a/y
	as_user=
	[ "$(id -u)" != 0 ] ||
		as_user='setpriv --bounding-set=-dac_override,-dac_read_search'
	rc=0
	$as_user kst-batch -m sum --by DIR -o out a 2>err || rc=$?
	cat err
	chmod 755 a/y
	[ $rc = 4 ]
	grep -q '^kst-batch: a/y: Permission denied$' err
	grep -q '^kst-batch: .*sum was not written: some of its captures could not be found$' err
	cmp sum old.sum
	# that of the other folder is made
	kst-fold a/x/1 | cmp - out/by/x.folded
	cmp out/by/y.folded old/by/y.folded
	batch -m sum --by DIR -o out a
	cat a/x/1 a/y/1 | kst-fold | cmp - sum
}

@test "a folder whose disk fails is a failure of the system" {
	mkdir -p a
	for i in 1 2 3; do trace $i 20 >a/$i; done
	batch -m sum --by DIR -o out a
	cp sum old.sum && cp -r out old
	echo 'x 1' >a/4
	for call in getdents64:error=EIO:when=1 getdents64:error=EIO:when=2 \
		openat:error=EIO:when=+1; do
		rc=0
		strace -f -o trace -P a -P "$PWD/a" -e "inject=$call" \
			kst-batch -m sum --by DIR -o out a 2>err || rc=$?
		cat err
		[ $rc = 4 ]
		grep -q '^kst-batch: a: Input/output error$' err
		cmp sum old.sum
		cmp out/by.folded old/by.folded
	done
}

@test "a disk that fails is neither wrong usage nor a state to forget" {
	mkdir a
	for i in 1 2; do trace $i 20 >a/$i; done
	echo : >hosts
	batch --hosts hosts -m sum -o out a
	cp out/.kst-batch/state old
	for path in hosts out/.kst-batch/state; do
		for call in openat read; do
			rc=0
			strace -f -o trace -P "$path" -P "$PWD/$path" \
				-e "inject=$call:error=EIO" \
				kst-batch --hosts hosts -m sum -o out a 2>err ||
				rc=$?
			cat err
			[ $rc = 4 ]
			grep -q "^kst-batch: .*$path: Input/output error$" err
			cmp old out/.kst-batch/state
		done
	done
	rc=0
	rm -rf out
	strace -f -o trace -P sum -e inject=newfstatat:error=EIO \
		kst-batch -m sum -o out a 2>err || rc=$?
	[ $rc = 4 ]
	grep -q "^kst-batch: sum: Input/output error$" err
}
