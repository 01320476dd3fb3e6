# SPDX-License-Identifier: ISC
# --summary-fd: the line that programs read, of each command that has it.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	printf 'Thread 1 (Thread 1.1 (CPU#0 [running])):\n#0  0x1 in f<u8> ()\n#1  main ()\n' >t
}

# summary COMMAND...: the line, with the output in `out` and messages in `err`.
summary() {
	"$@" --summary-fd 9 9>line >out 2>err
}

@test "what was read and counted" {
	summary kst-clean t
	[ "$(cat line)" = 'command=kst-clean status=0 bytes=73 lines=3 stacks=1 frames=2 truncated=0 dropped=0 other=0 faults=0 line=0 what=""' ]
	summary kst-fold t t
	[ "$(cat line)" = 'command=kst-fold status=0 bytes=146 lines=6 captures=2 stacks=2 left-out=0 truncated=0 faults=0 line=0 what=""' ]
	summary kst-sym -e "$B/kst-fold" t
	[ "$(cat line)" = 'command=kst-sym status=0 bytes=73 lines=3 named=0 unnamed=0 inlined=0 faults=0 line=0 what=""' ]
	kst-json -j t >j
	summary kst-json j
	grep -q '^command=kst-json status=0 bytes=.* captures=1 stacks=1 faults=0 line=0 what=""$' line
}

@test "the first fault, its line, and how many there are" {
	printf 'a 1\nb \\"c\n\001\nx\ny\nz\n' >f
	! summary kst-fold --shape folded f
	grep -q ' status=1 .* faults=5 line=2 what="[^"]*\\\\\\"c[^"]*"$' line
	printf '{"stack_traces":[x' >j
	! summary kst-json j
	grep -q ' line=0 what="byte [0-9]*: ' line
	# a file that is missing has no line
	! summary kst-fold f.missing
	grep -q ' faults=0 line=0 what="f.missing: No such file or directory"$' line
	# the longest message fits
	{
		printf 'a 1\n'
		head -c 5000 /dev/zero | tr '\0' '"'
	} >f
	! summary kst-fold --shape folded f
	[ "$(wc -l <line)" = 1 ] && [ "$(wc -c <line)" -lt 4096 ]
}

@test "no memory: status 4, and the line says it" {
	[ -z "${SANITIZED-}" ] || return 0
	rc=0
	awk 'BEGIN { for (i = 0; i < 300000; i++) print "a;b" i ";" rand() " 1" }' >f
	(ulimit -v 30000 && summary kst-fold f) || rc=$?
	[ $rc = 4 ] && grep -q ' status=4 .*what="out of memory' line
}

@test "--each: operands on their own, and a line for each of them" {
	cp t t.in
	sed 's/main/idle/' t >u.in
	printf 'a;b 1\nx\n' >v.in
	for c in kst-clean kst-fold "kst-sym -e $B/kst-fold"; do
		rc=0
		$c --each .in:.out:.sum t missing v u >out 2>err || rc=$?
		[ $rc = 4 ] && [ ! -s out ] && [ ! -e missing.out ]
		for f in t v u; do
			$c <$f.in 2>/dev/null | cmp - $f.out
			rm $f.out
		done
		cat t.sum missing.sum v.sum u.sum | cut -d' ' -f1-2 >got
		printf "command=${c%% *} status=%s\n" 0 4 1 0 | cmp - got
		grep -q ' faults=0 .*what="missing.in: No such' missing.sum
		grep -q ' lines=2 .* faults=1 line=2 ' v.sum
		grep -q ' lines=3 .* faults=0 line=0 what=""' u.sum
		rm ./*.sum
	done
	for e in .in .in:.in:.x a:b : a:b:b a:b:c:d; do
		run kst-fold --each $e t
		[ "$status" = 2 ]
	done
}

@test "a descriptor that is not open, or a wrong number, is wrong usage" {
	for n in 77 x 0 -1 99999999999; do
		run kst-fold --summary-fd $n t
		[ "$status" = 2 ]
	done
}
