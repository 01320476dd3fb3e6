# SPDX-License-Identifier: ISC
# The trailer of folded text, from the commands that write it to the readers.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# run_of NAME SECONDS: one run of kst-capture, 3 captures of 2 CPUs.
run_of() {
	echo "[kst-capture-info version=1 backend=rsp interval=0.010101 remote=\"x:1\" build-id=ab12 seed=7]"
	for i in 0 1 2; do
		echo "[kst-capture seq=$i time=$2.${i}00000000 stop-ns=100000]"
		for cpu in 0 1; do
			echo "Thread $cpu (Thread 1.$cpu (CPU#$cpu [running])):"
			echo "#0  0x1 in $1$i ()"
		done
		echo "Backtrace stopped: x"
	done
	echo "[kst-capture-summary taken=3 failed=1 missed=0 wall-ns=1500000000 truncated=3]"
}

want='#kst:unit=samples,captures=3,samples=6,cpus=2,rate=99,seconds=1.5,stopped=0.0003,begin=100,end=100.2,build-id=ab12,cut=3,failed=1'

@test "kst-fold says where its counts come from" {
	run_of a 100 >in
	[ "$(kst-fold in | tail -n 1)" = "$want" ]
	[ "$(kst-clean in | kst-fold | tail -n 1)" = "$want" ]
	[ "$(kst-fold --no-trailer in | grep -c '^#')" = 0 ]
}

@test "a part of the time has no length of its own" {
	run_of a 100 >in
	[ "$(kst-fold --to 2 in | tail -n 1)" = '#kst:unit=samples,captures=2,samples=4,cpus=2,rate=99,stopped=0.0002,begin=100,end=100.1,build-id=ab12,cut=2' ]
	[ "$(kst-fold --cpus 1 in | tail -n 1)" = "${want/samples=6,cpus=2/samples=3,cpus=1}" ]
}

@test "an archive in parts adds up to what it is as a whole" {
	run_of a 100 >1
	run_of b 200 >2
	printf '#0  f ()\n' >gdb
	for set in '1 2' '2 1' '1 gdb 2'; do
		for f in $set; do
			kst-fold $f >$f.folded
		done
		kst-fold $set >whole
		kst-fold $(printf '%s.folded ' $set) | cmp - whole
		cat $(printf '%s.folded ' $set) | kst-fold | cmp - whole
	done
	cat 1 2 | kst-fold >whole
	kst-fold 1 2 | cmp - whole
	grep -q ',captures=6,samples=12,.*,begin=100,end=200.2,' whole
}

@test "folded text without a trailer takes what is said of the others" {
	run_of a 100 | kst-fold >a.folded
	echo 'f 3' >plain.folded
	kst-fold a.folded plain.folded >sum
	! grep '^#' sum
}

@test "nanoseconds and samples are not added in silence" {
	run_of a 100 | kst-fold >a.folded
	printf 'f 3\n#kst:unit=ns\n' >ns.folded
	run --separate-stderr kst-fold a.folded ns.folded
	[ "$status" = 1 ]
	[ "$stderr" = 'kst-fold: counts of different units were added up' ]
	! echo "$output" | grep -q unit
}

@test "kst-clean and kst-sym pass it on" {
	printf '# a comment\nf<u8> 3\n#kst:unit=bytes,x=1\n' >in
	[ "$(kst-clean in)" = "$(printf 'f 3\n#kst:unit=bytes,x=1')" ]
	kst-clean -u in | cmp - <(kst-clean in)
	kst-sym -e "$(command -v kst-sym)" in | cmp - in
}

@test "what sed puts before each line leaves the trailer what it is" {
	run_of a 100 | kst-fold >in
	sed 's/^/host 1;/' in >prefixed
	[ "$(kst-fold prefixed | tail -n 1)" = "$want" ]
	kst-svg prefixed >out.svg
	grep -q 'host 1 (6 samples' out.svg
	kst-diff prefixed prefixed >out
	# as earlier kst wrote it
	sed '$s/#kst:/# kst /; $s/,/ /g' in >old
	kst-fold old | cmp - in
}

@test "kst-span and kst-btrace say what they count" {
	printf '1\tt\tB\tf\n8\tt\tE\tf\n' >events
	[ "$(kst-span events)" = "$(printf 'f 7\n#kst:unit=ns')" ]
	[ "$(kst-span --calls events | tail -n 1)" = '#kst:unit=calls' ]
	[ "$(kst-span --no-trailer events)" = 'f 7' ]
	printf '@[\na+0x1\n]: 3\n' >map
	[ "$(kst-btrace map | tail -n 1)" = '#kst:cut=0,failed=0' ]
	[ "$(kst-btrace -c profile map | tail -n 1)" = \
		'#kst:unit=samples,cut=0,failed=0' ]
	[ "$(kst-btrace --unit bytes map | tail -n 1)" = \
		'#kst:unit=bytes,cut=0,failed=0' ]
	[ "$(kst-btrace --no-trailer map)" = 'a 3' ]
}

@test "flamegraph.pl passes it by" {
	run_of a 100 | kst-fold >in
	flamegraph=/usr/share/perl5/Devel/NYTProf/flamegraph.pl
	perl $flamegraph in >got.svg 2>err
	perl $flamegraph <(kst-fold --no-trailer <(run_of a 100)) >want.svg
	[ "$(cat err)" = 'Ignored 1 lines with invalid format' ]
	titles='<title>[^<]*'
	[ "$(grep -o "$titles" want.svg | wc -l)" = 4 ]
	diff <(grep -o "$titles" got.svg | sort) \
		<(grep -o "$titles" want.svg | sort)
}

# What readers take for a stack, as their sources have it: inferno, Firefox
# Profiler and difffolded.pl by these expressions; async-profiler's converter,
# Pyroscope and Perfetto cut at the last blank, and skip a line without one.
# kst-svg-browser.bats has speedscope itself.
@test "other readers pass it by" {
	run_of a 100 | kst-fold --by time=100ms >in
	[ "$(grep -c '^#' in)" = 1 ]
	[ "$(tail -n 1 in | grep -c '[[:blank:]]')" = 0 ]
	for e in '^(.*) (\d+)$' '^(.*)\s+?(\d+(?:\.\d*)?)$' \
		'^(.*)\s+(\d+(?:\.\d*)?)$' '[^;]*(?:;[^;]*)* [0-9]+$' '^(.*) '; do
		[ "$(tail -n 1 in | grep -cP "$e")" = 0 ]
		[ "$(grep -cP "$e" in)" = 3 ]
	done
}

@test "the manual's pipe: nanoseconds are exact" {
	kst-uftrace "$BATS_TEST_DIRNAME/golden/kst-uftrace/qemu.data" |
		kst-span 2>err | tee in | kst-svg >out.svg
	[ "$(tail -n 1 in)" = '#kst:unit=ns' ]
	grep -o '<title>[^<]*' out.svg >titles
	grep -q 'all ([0-9.]* µs, 100.00%)' titles
	! grep '±\|samples' titles || false
	# without the trailer they are samples
	kst-svg <(grep -v '^#' in) | grep '<title>' | grep -q samples
}
