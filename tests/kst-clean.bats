# SPDX-License-Identifier: ISC

golden=$BATS_TEST_DIRNAME/golden/kst-clean

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

@test "cleaning what is clean changes nothing" {
	for f in "$golden"/*.in; do
		kst-clean "$f" >once 2>/dev/null || true
		kst-clean once >twice 2>/dev/null || true
		cmp once twice || {
			echo "not idempotent: $f"
			return 1
		}
	done
}

@test "every frame of gdb's real output keeps a name" {
	for f in "$golden"/gdb-*.in; do
		[[ $f != *nameless.in ]] || continue
		kst-clean "$f" >out || [[ $f = *source-line.in ]]
		! grep -n -E '^#[0-9]+ *$' out || false
		! grep -n -E '^#[0-9]+ +(::|.*(0x[0-9a-f]+ in|<[^s]| \(\.\.\.\)))' out |
			grep -v -E 'operator(<|>|->)|0x[0-9a-f]+ in \?\?$' || false
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
		exec sleep 1000
	} >pipe 3>&- &
	feeder=$!
	kst-clean <pipe >out 3>&- &
	for _ in $(seq 300); do
		[ ! -s out ] || break
		sleep 0.1
	done
	kill $feeder
	cat out
	grep -q '^#0  first$' out
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
	rc=0
	kst-clean in >out 2>err || rc=$?
	[ "$rc" = 1 ]
	grep -q '^kst-clean: in:2: line longer than' err
	grep -q '^#1  after$' out
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
	rc=0
	kst-clean "$golden/design-names.in" >/dev/full 2>err || rc=$?
	[ $rc = 4 ]
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

@test "a stack too deep for rules keeps all its frames and is said" {
	awk 'BEGIN { for (i = 0; i < 70000; i++)
		printf "f%d%s", i % 100, i < 69999 ? ";" : " 3\n"
		print "a;b 1" }' >folded
	kst-clean folded | cmp - folded
	run kst-clean --trim-unknown folded
	[ "$status" = 1 ]
	[ "${lines[0]}" = "kst-clean: folded:1: a stack has more than 65536 frames or too much text: rules for whole stacks were not applied to it" ]
	kst-clean --trim-unknown folded 2>/dev/null | cmp - folded
	awk 'BEGIN { print "Thread 2 (Thread 1.2 (CPU#1 [running])):"
		for (i = 0; i < 70000; i++)
			printf "#%-2d f%d\n", i, i % 100
		print "Thread 1 (Thread 1.1 (CPU#0 [running])):\n#0  a\n#1  ??" }' >trace
	kst-clean trace | cmp - trace
	run kst-clean --trim-unknown trace
	[ "$status" = 1 ]
	kst-clean --trim-unknown trace 2>/dev/null >out || true
	sed '$d' trace | cmp - out
}

@test "a folded file whose first line is beyond 64 KiB is known as one" {
	{
		awk 'BEGIN { for (i = 0; i < 30000; i++) printf "f<%d>;", i % 100 }'
		echo 'leaf 7'
	} >in
	[ "$(kst-clean in | tr ';' '\n' | sort -u | tr '\n' ' ')" = 'f leaf 7 ' ]
	[ "$(kst-clean in | kst-fold | tr ';' '\n' | wc -l)" = 30001 ]
}

@test "cleaning a damaged file twice changes nothing either" {
	cat "$golden"/gdb-*.in "$golden"/names-odd.in >all
	for seed in 1 2 3 4 5 6; do
		awk -v seed=$seed 'BEGIN { srand(seed)
			n = split("<|>|(|)| (|()| ()| at | from | in |::|operator|->|{|}|[|]|;|const| as |<impl | for |*)|&&| <|+0x1f|::h0123456789abcdef|??|_[k]|0x1 in |[clone .x]|$", word, "|") }
			{ for (k = int(rand() * 3); k > 0; k--) {
				at = 1 + int(rand() * length($0))
				$0 = substr($0, 1, at - 1) word[1 + int(rand() * n)] \
					substr($0, at + int(rand() * 4)) }
			print }' all >in
		for o in '' -g --keep-impl --keep-offset -u; do
			kst-clean $o in >once 2>/dev/null || true
			kst-clean $o once 2>/dev/null | cmp once -
		done
	done
}

@test "a file in the working folder does not replace installed rules" {
	echo 'drop .' >asterinas
	echo 'drop .' >own
	echo 'drop .' >guest.rules
	printf 'Thread 1 (Thread 1.1 (CPU#0 [running])):\n#0  f (...)\n' >in
	kst-clean --rules asterinas in | grep -q '^#0  f'
	[ -z "$(kst-clean --rules own in | grep '^#')" ]
	[ -z "$(kst-clean --rules guest.rules in | grep '^#')" ]
}

@test "stacks that come again: the same bytes as when they came first" {
	cat "$golden"/*.in >all
	for seed in 1 2 3 4 5 6; do
		awk -v seed=$seed 'BEGIN { srand(seed); print "[kst-capture 1]" }
			{ if (rand() < .02) print ""
			if (rand() < .01) print "--Type <RET> for more--" $0
			else if (rand() < .01) print "#" int(rand() * 20) "  again ()"
			else if (rand() >= .01) print }' all >once
		for rules in '' '--skip=^[a-m] --rename=e=E'; do
			# shellcheck disable=SC2086
			set -- --shape trace $rules
			kst-clean "$@" once >first 2>/dev/null || true
			cat first first first first >want
			cat once once once once |
				kst-clean "$@" 2>/dev/null | cmp want -
			for i in 1 2 3 4; do dd if=once bs=3001 2>/dev/null; done |
				kst-clean "$@" 2>/dev/null | cmp want -
		done
	done
}

@test "stacks that come again: their leaf may go, and more frames may follow" {
	for i in 1 2 3 4 5; do
		for leaf in a gone b; do
			printf '#0  %s ()\n#1  c ()\n#2  gone ()\n#3  d ()\n' $leaf
			[ $((i % 2)) = 0 ] || printf '#4  gone ()\n#5  e ()\n'
			printf '\n'
		done
		printf '#0  gone ()\n#1  gone ()\n#2  gone ()\n\n'
	done >in
	for i in 1 2 3 4 5; do
		for leaf in a gone b; do
			n=0
			for f in $leaf c d $([ $((i % 2)) = 0 ] || echo e); do
				[ $f = gone ] || printf '#%d  %s\n' $((n++)) $f
			done
		done
	done >want
	kst-clean -v --skip '^gone$' in 2>err | cmp want -
	grep -q '20 stacks, 93 frames, 0 truncated, 5 dropped by rules' err
}
