# SPDX-License-Identifier: ISC
# slow
# lane: long
# Two hundred archives of mixed kind, size and health, and what may happen to
# a run over them.

. "$BATS_TEST_DIRNAME/trace.bash"

setup_file() {
	cd "$BATS_FILE_TMPDIR" || exit 1
	mkdir a
	for i in $(seq 200); do
		d=a/host$((i % 3))/night$((i % 7))
		mkdir -p $d
		n=$((i % 10 == 0 ? 400 : i % 23 + 1))
		trace "$i" "$n" >t
		case $((i % 9)) in
		0) cp t "$d/$i.txt" ;;
		1) gzip -c t >"$d/$i.txt.gz" ;;
		2) zstd -qc t >"$d/$i.zst" ;;
		3) xz -c t >"$d/$i" ;;
		4) kst-fold t >"$d/$i.folded" ;;
		5) kst-json -j t >"$d/$i.json" ;;
		6) kst-json -j t | gzip >"$d/$i.json.gz" ;;
		7) kst-fold t | zstd -q >"$d/$i.x" ;;
		8) sed 's/$/\r/' t >"$d/$i dos.txt" ;;
		esac
		f=$(ls -t "$d"/$i* | head -n 1)
		size=$(stat -c %s "$f")
		case $((i % 40)) in
		11) truncate -s $((size * 2 / 3)) "$f" ;;
		19) head -c 500 /dev/urandom >"$f" ;;
		25) : >"$f" ;;
		38) printf '\377\000\001' | dd of="$f" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null ;;
		esac
	done
	rm t
	rc=0
	kst-batch --clean --svg -j1 --merge want.sum --by DIR -o want a 2>want.err || rc=$?
	[ $rc = 1 ]
}

setup() {
	cd "$BATS_FILE_TMPDIR" || exit 1
}

# whole: every output that is there is as it should be.
whole() {
	! diff -rq -x .kst-batch out want | grep -v '^Only in want'
}

whole_but_by() { rm -rf out/by && whole; }

# leftovers: processes that work on this test's files.
leftovers() {
	for p in $(pgrep '^kst-'); do
		[ "$(readlink "/proc/$p/cwd")" != "$PWD" ] || echo "$p"
	done
}

# none_left: those of a killed run end at once.
none_left() {
	for i in $(seq 600); do
		[ -n "$(leftovers)" ] || return 0
		sleep 0.1
	done
	leftovers | xargs ps -o pid,args
	return 1
}

# made N: until so many captures are made, or $pid has ended.
made() {
	for i in $(seq 6000); do
		[ "$(find out -path out/.kst-batch -prune -o -name '*.folded' \
			-print 2>/dev/null | wc -l)" -lt $1 ] || return 0
		kill -0 $pid 2>/dev/null || return 0
		sleep 0.01
	done
	return 1
}

@test "the reference: each is what the pipe makes, and what is broken is said" {
	n=0
	for f in $(cd a && find . -name '*.txt' ! -name '* *' | sed 's|^\./||'); do
		kst-clean "a/$f" 2>/dev/null | kst-fold 2>/dev/null |
			cmp - "want/$f.folded"
		n=$((n + 1))
	done
	[ $n -gt 15 ]
	[ "$(find want -name '*.folded' ! -path 'want/by/*' | wc -l)" = 200 ]
	broken=$(grep -c '^broken ' want.err)
	[ "$broken" -ge 10 ]
	[ "$broken" -lt 30 ]
	find want -name '*.folded' ! -path 'want/by/*' -print0 |
		sort -rz | xargs -0 kst-fold | cmp - want.sum
}

@test "any number of workers, with parts: the same bytes" {
	for j in 2 5; do
		rm -rf out got.sum*
		kst-batch --clean --svg -j$j --block 8k --merge got.sum \
			--by DIR -o out a 2>err || [ $? = 1 ]
		diff -rq -x .kst-batch want out
		cmp want.sum got.sum
	done
}

@test "kill -9 in mid-run, again and again" {
	rm -rf out got.sum*
	for i in $(seq 1 20); do
		setsid kst-batch --clean --svg -j3 --merge got.sum \
			--by DIR -o out a 2>err &
		pid=$!
		sleep 0.$((RANDOM % 7))$((RANDOM % 10))
		# the command alone, or with all that it has started
		if [ $((i % 2)) = 0 ]; then
			kill -9 $pid || true
		else
			kill -9 -- -$pid || true
		fi
		rc=0
		wait $pid || rc=$?
		whole
		[ $rc != 1 ] || break
	done
	rc=0
	kst-batch --clean --svg --merge got.sum --by DIR -o out a 2>err || rc=$?
	[ $rc = 1 ]
	diff -rq -x .kst-batch want out
	cmp want.sum got.sum
	none_left
	[ -z "$(find out/.kst-batch -name "run-*")" ]
}

@test "kill -9 of each of its processes, at any time, leaves nothing" {
	for i in $(seq 12); do
		rm -rf out
		setsid kst-batch -q --clean -j$((i % 4 < 2 ? 2 : 8)) -o out a 2>err &
		pid=$!
		sleep "$(printf '0.%02d' $((i * 3)))"
		# the process that waits, the one that works, or a filter
		case $((i % 3)) in
		0) kill -9 $pid || true ;;
		1) pkill -9 -P $pid || true ;;
		2) pkill -9 -P "$(pgrep -P $pid)" kst-fold || true ;;
		esac
		wait $pid || true
		none_left
		whole_but_by
	done
}

@test "kill -9 does not undo what was made" {
	rm -rf out
	kst-batch --clean --svg -j2 -o out a 2>err &
	pid=$!
	made 30
	kill -9 $pid || true
	wait $pid || true
	kst-batch --clean --svg -n -o out a >list
	[ "$(wc -l <list)" -le 180 ]
}

@test "kill -9 while a huge capture is in parts" {
	mkdir -p huge
	[ -s huge/x ] || for i in 1 2 3 4 5 6; do trace 7 12000; done >huge/x
	kst-clean huge/x | kst-fold >huge.want
	for i in 1 2 3 4 5; do
		rm -rf out got.sum*
		setsid kst-batch --clean -q -j3 --block 1M -o out huge 2>err &
		pid=$!
		sleep 0.$((i * 7 / 10))$((i * 7 % 10))
		if [ $((i % 2)) = 0 ]; then
			kill -9 $pid || true
		else
			kill -9 -- -$pid || true
		fi
		wait $pid || true
		[ ! -e out/x.folded ] || cmp huge.want out/x.folded
		kst-batch --clean -q -j3 --block 1M -o out huge
		cmp huge.want out/x.folded
		[ -z "$(find out/.kst-batch -name 'run-*')" ]
	done
	none_left
}

@test "interrupted: what was made counts, nothing is left running" {
	rm -rf out
	setsid kst-batch --clean --svg -j2 -o out a 2>err &
	pid=$!
	made 5
	kill -TERM $pid || true
	rc=0
	wait $pid || rc=$?
	[ $rc = 143 ] || [ $rc = 1 ] || [ $rc = 4 ]
	[ -z "$(leftovers)" ]
	whole
	kst-batch --clean --svg --by DIR -o out a 2>err || [ $? = 1 ]
	diff -rq -x .kst-batch want out
}

@test "two runs at once on one folder" {
	rm -rf out
	kst-batch --clean --svg --by DIR -j2 -o out a 2>err1 &
	p1=$!
	# which stands still until the others have come: its child is the one that works
	until compgen -G 'out/.kst-batch/run-*' >/dev/null; do sleep 0.02; done
	works=$(pgrep -P $p1)
	kill -STOP $works
	kst-batch --clean --svg --by DIR -j2 -o out a 2>err2 &
	p2=$!
	kst-batch --svg -j2 -o out a 2>err3 &
	p3=$!
	for f in err2 err3; do
		until grep -q 'waiting for another kst-batch' $f; do sleep 0.02; done
	done
	kill -CONT $works
	for p in $p1 $p2 $p3; do
		rc=0
		wait $p || rc=$?
		[ $rc = 1 ]
	done
	kst-batch --clean --svg --by DIR -j2 -o out a 2>err || [ $? = 1 ]
	diff -rq -x .kst-batch want out
}

@test "a filter that is killed is not the end of the others" {
	rm -rf out
	mkdir worker
	real=$(dirname "$(command -v kst-batch)")
	cp "$real/kst-batch" "$real/kst-fold" "$real/kst-json" "$real/kst-svg" worker
	printf '#!/bin/sh\ncase $* in *--each*) mkdir %s/worker/one 2>/dev/null && kill -9 $$ ;; esac\nexec %s/kst-clean "$@"\n' \
		"$PWD" "$real" >worker/kst-clean
	chmod 755 worker/kst-clean
	rc=0
	worker/kst-batch --clean --svg -j2 --by DIR -o out a 2>err || rc=$?
	[ $rc = 4 ]
	[ -e worker/one ]
	[ "$(grep -c '^failed .*ended without a result' err)" = 1 ]
	whole_but_by
	kst-batch --clean --svg --by DIR -o out a 2>err || [ $? = 1 ]
	diff -rq -x .kst-batch want out
}

@test "a full disk" {
	[ "$(id -u)" = 0 ] || skip "only root can mount a small file system"
	mkdir -p small
	mount -t tmpfs -o size=600k none small
	rc=0
	kst-batch --clean --svg -j2 -o small/out a 2>err || rc=$?
	bad=$(cd small/out && find . -path ./.kst-batch -prune -o -type f -print |
		while IFS= read -r f; do cmp -s "$f" "../../want/$f" || echo "$f"; done)
	made=$(find small/out -name '*.folded' | wc -l)
	mount -o remount,size=100M small
	kst-batch --clean --svg --by DIR -j2 -o small/out a 2>err2 || true
	diff -rq -x .kst-batch want small/out && same=yes
	umount small
	[ $rc = 4 ]
	[ -z "$bad" ]
	[ "$made" -lt 200 ]
	grep -q '^kst-batch: .*: No space left on device' err
	[ "$same" = yes ]
}

@test "a sum on another disk that is full" {
	[ "$(id -u)" = 0 ] || skip "only root can mount a small file system"
	mkdir -p tiny b
	mount -t tmpfs -o size=64k none tiny
	seq -f 'a;b%.0f 1' 20000 >b/1
	rc=0
	kst-batch -m tiny/sum -o out b 2>err || rc=$?
	ls -A tiny >files
	umount tiny
	cat err
	[ $rc = 4 ]
	[ ! -s files ]
	grep -q 'tiny/sum: No space left on device' err
}
