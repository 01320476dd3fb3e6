# SPDX-License-Identifier: ISC

golden=$BATS_TEST_DIRNAME/golden/kst-clean

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

@test "cleaning what is clean changes nothing" {
	for f in "$golden"/*.in; do
		kst-clean "$f" >once 2>/dev/null || true
		kst-clean once >twice
		cmp once twice || {
			echo "not idempotent: $f"
			return 1
		}
	done
}

@test "every frame of gdb's real output keeps a name" {
	for f in "$golden"/gdb-*.in; do
		kst-clean "$f" >out
		! grep -n -E '^#[0-9]+ *$' out
		! grep -n -E '^#[0-9]+ +(::|.*(0x[0-9a-f]+ in|<[^s]| \(\.\.\.\)))' out |
			grep -v -E 'operator(<|>|->)'
	done
}

@test "as many frames as gdb printed" {
	for f in cpp-plain cpp-presence rust-debug-presence rust-v0-presence \
		rust-v0-nodebug kernel-irq riscv-multicluster; do
		want=$(grep -c '^#[0-9]' "$golden/gdb-$f.in")
		# the first line of a sample is a comment
		got=$(kst-clean "$golden/gdb-$f.in" | grep -c '^#[0-9]')
		[ "$want" = "$got" ]
	done
}

@test "kinds of -frame-info and bt full give the same stacks" {
	for k in location location-and-address; do
		kst-clean "$golden/gdb-frame-info-$k.in" | grep '^#' >"$k"
		cmp location "$k"
	done
	kst-clean "$golden/gdb-frame-info-source-and-location.in" |
		grep '^#' | cmp location -
	kst-clean "$golden/gdb-bt-full.in" | grep '^#' | cmp location -
}

@test "a live pipe is not delayed" {
	mkfifo pipe
	{
		printf '#0  0x1 in first ()\n'
		sleep 5
	} >pipe &
	feeder=$!
	kst-clean <pipe >out &
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ ! -s out ] || break
		sleep 0.1
	done
	cat out
	grep -q '^#0  first$' out
	kill $feeder
}

@test "a line of 1 MiB, a NUL byte and broken UTF-8 come through" {
	{
		printf '#0  '
		head -c 1048576 /dev/zero | tr '\0' x
		printf ' ()\n#1  a\0b ()\n#2  \377\376 ()\n'
	} >in
	kst-clean in >out
	[ "$(sed -n 1p out | wc -c)" = 1048581 ]
	[ "$(tail -n 2 out | od -An -c | tr -d ' \n')" = '#1a\0b\n#2377376\n' ]
}

@test "a line beyond the limit is cut, said, and the rest still read" {
	{
		printf 'x\n#0  '
		head -c 17000000 /dev/zero | tr '\0' y
		printf ' ()\n#1  after ()\n'
	} >in
	run kst-clean in
	[ "$status" = 1 ]
	echo "$output" | grep -q '^kst-clean: in:2: line longer than'
	echo "$output" | grep -q '^#1  after$'
}

@test "CRLF, no final newline, empty input" {
	printf '#0  0x1 in a ()\r\n#1  b ()' | kst-clean >out
	[ "$(cat out)" = "$(printf '#0  a\n#1  b')" ]
	kst-clean </dev/null >out
	[ ! -s out ]
	printf 'a;b<c> 1\r\nd 2' | kst-clean >out
	[ "$(cat out)" = "$(printf 'a;b 1\nd 2')" ]
}

@test "head closes the pipe quietly" {
	yes '#0  f ()' | head -n 300000 >in
	kst-clean in 2>err | head -n 1 >out
	[ ! -s err ]
}

@test "a full disk is a failure" {
	run kst-clean "$golden/design-names.in" >/dev/full
	kst-clean "$golden/design-names.in" >/dev/full 2>err && return 1
	grep -q '^kst-clean: cannot write the output' err
}

@test "memory is bounded whatever the names" {
	# 400,000 frames that are all different, 100 MB
	awk 'BEGIN { s = sprintf("%200s", ""); gsub(/ /, "n", s)
		for (i = 0; i < 400000; i++)
			printf "#%d  f_%d_%s ()\n", i % 20, i, s }' >in
	kst-clean -r guest in >/dev/null
	if [ -z "${SANITIZED:-}" ]; then
		/usr/bin/time -f %M -o mem kst-clean in >/dev/null
		[ "$(cat mem)" -lt 16384 ]
		/usr/bin/time -f %M -o mem kst-clean -u -r guest in >/dev/null
		[ "$(cat mem)" -lt 16384 ]
	fi
}
