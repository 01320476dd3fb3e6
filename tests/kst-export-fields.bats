#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# kst-export: fields of pprof's format that kst-import does not need.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# fields TRAILER LINE ...: what the file has after these lines of folded text.
fields() {
	printf '%s\n' "${@:2}" "#kst:unit=samples,$1" | kst-export -f pprof 2>err |
		python3 "$BATS_TEST_DIRNAME/fixtures/pprof.py"
}

@test "times and the period" {
	fields begin=1700000000.25,end=1700000002,rate=100 'a 1' >out
	grep -qx 'os 255' out
	grep -qx 'time 1700000000250000000' out
	grep -qx 'duration 1750000000' out
	grep -qx 'period 10000000' out
	# what was sampled, not from the first sample to the last one
	fields begin=1700000000,end=1700000002,seconds=1.5 'a 1' >out
	grep -qx 'duration 1500000000' out
	run ! grep -q '^period' out
	fields rate=0.001 'a 1' >out
	grep -q '^period' out
	fields rate=0 'a 1' >out
	run ! grep -q '^period' out
	fields rate=100 'a 1' >out
	grep -qx 'period type' out
	# the last second that fits into the format
	fields begin=9223372035,seconds=1 'a 1' >out
	grep -qx 'time 9223372035000000000' out
	fields begin=9223372036,seconds=1 'a 1' >out
	run ! grep -q '^time' out
}

@test "the labels of samples: what is known of them" {
	for i in 0 1; do
		printf '[kst-capture seq=%s time=%s.0]\n' $i $i
		printf 'Thread 1 (Thread 1.1 (CPU#%s [running])):\n#0  0x1 in f ()\n\n' $i
	done >trace
	kst-export -f pprof trace | python3 "$BATS_TEST_DIRNAME/fixtures/pprof.py" >out
	[ "$(grep '^sample' out)" = "$(printf '%s\n' \
		'sample cpu=CPU#0 state=running' 'sample cpu=CPU#1 state=running')" ] ||
		{ cat out; false; }
	fields rate=100 'a 1' >out
	grep -qx sample out
}

# mapping HEADER ADDRESS ...: of samples at these addresses.
mapping() {
	{
		printf '[kst-capture-info version=0.1.0 backend=native %s]\n' "$1"
		for a in "${@:2}"; do
			printf '[kst-capture seq=1 time=1.0]\nThread 1 (Thread 1.1 (CPU#0 [running])):\n'
			printf '#0  0x%s in f ()\n\n' "$a"
		done
		printf '[kst-capture-end samples=%d]\n' $(($# - 1))
	} | kst-export -f pprof 2>err | python3 "$BATS_TEST_DIRNAME/fixtures/pprof.py" |
		sed -n 's/^mapping 1=0x1 \(.*\) 5=.* 7=0x1 8=0x1 9=0x1$/\1/p'
}

@test "the kernel's mapping holds its addresses" {
	id=build-id=0123456789abcdef0123456789abcdef01234567
	run -0 mapping $id ffffffff80000200 ffffffff80000100 ffffffff80000150
	[ "$output" = '2=0xffffffff80000100 3=0xffffffff80000201' ]
	run -0 mapping $id ffffffff80000100 ffffffffffffffff
	[ "$output" = '2=0xffffffff80000100 3=0xffffffffffffffff' ]
	run -0 mapping interval=0.1 ffffffff80000100
	[ "$output" = '' ]
}
