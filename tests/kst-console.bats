# SPDX-License-Identifier: ISC
# kst-console: what needs more than a pair of files.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	golden=$BATS_TEST_DIRNAME/golden/kst-console
	share=$BATS_TEST_DIRNAME/../share
}

# same SED: the log with these prefixes has the same stacks, with other times.
same() {
	sed -E "$1" "$golden/linux.in" | kst-console >out 2>/dev/null
	diff <(sed -E 's/ time=[0-9.]+//' "$golden/linux.out") \
		<(sed -E 's/ time=[0-9.]+//' out)
}
@test "a log's prefixes, line ends and colours change nothing" {
	same 's/^/Nov 22 10:00:00 host kernel: /'
	same 's/^/2026-11-22T10:00:00.123456+01:00 host kernel: /; s/$/\r/'
	same 's/^/2026-11-22 10:00:00 /'
	same 's/^/[10:00:00.123] /; s/$/\r\r/'
	same 's/^/[2026-11-22 10:00:00.123] /'
	same 's/^\[ *[0-9.]+\] /[Tue Jan  4 19:33:12 2023] /'
	same 's/^\[ *[0-9.]+\] //'
	same 's/^/<4>/'
	same 's/^(\[ *[0-9.]+\])/kern  :warn  : \1/'
	same "s/^/$(printf '\033')[33m/; s/\$/$(printf '\033')[0m/"
	same 's/^/\t/'
	same 's/^(\[ *[0-9.]+\])/\1[  T4711]/'
	same 's/^(\[ *[0-9.]+\])/1763689923.123456 \1/'
	sed -E 's/^\[ *[0-9.]+\] /1763689923.123456 /' "$golden/linux.in" |
		kst-console 2>/dev/null | grep 'time=1763689923.123456\]'
}

@test "lines of 60 CPUs interleave, of more than 64 the oldest stack ends" {
	for n in 60 100; do
		for l in ' Call Trace:' '  a+0x1/0x2' '  b+0x1/0x2'; do
			for c in $(seq $n); do
				printf '[    1.000000][%6s]%s\n' "C$c" "$l"
			done
		done >log
		kst-console log 2>/dev/null | kst-fold --by cpu --no-trailer >out
		whole=$(grep -c 'CPU#[0-9]*;b;a 1' out) || true
		case $n in 60) [ "$whole" = 60 ] ;; *) [ "$whole" -lt 60 ] ;; esac
	done
}

@test "symbols, cleaning, CPUs, states and times work on it" {
	kst-console "$golden/linux.in" 2>/dev/null >trace
	kst-clean trace | kst-fold --by cpu,state --no-trailer >out
	grep '^CPU#2;halted;native_safe_halt 1$' out
	grep '^CPU#1;running;.*;vsnprintf;format_decode 1$' out
	kst-fold --by time=1s trace >out
	grep '^\[1.000s\];' out
	a=$(nm "$B/kst-console" | sed -n 's/ T main$//p')
	printf '0x%x\n' $((0x$a + 1)) | kst-console --rules addresses |
		kst-sym -e "$B/kst-console" | grep 'in main'
}

@test "rules: a file, a line that two of them read, a name that is none" {
	mkdir -p own/console
	cp "$share/console/prefix" own/console
	printf 'rename ^Oops(.*) [kst-begin comm="$1"]\nrename ^at\\s(\\w+)$ [kst-frame name="$1"]\n' \
		>own/console/a.rules
	printf 'rename ^Oops.* [kst-begin]\n' >own/console/b.rules
	printf 'Oops here\nat f\nat g\n' >log
	kst-console -r own/console/a.rules log | kst-fold --no-trailer >out
	[ "$(cat out)" = 'g;f 1' ]
	# the first frame tells whose it is, unless both know it
	KST_SHARE=own kst-console log 2>err | kst-fold --no-trailer >out
	[ "$(cat out)" = 'g;f 1' ]
	grep -x 'kst-console: 1 stacks by rules a' err
	printf 'rename ^Oops.* [kst-begin][kst-end]\n' >own/console/c.rules
	KST_SHARE=own kst-console log 2>/dev/null | kst-fold --no-trailer | cmp - out
	rm own/console/c.rules
	printf 'rename ^at\\s.* [kst-frame name="b"]\n' >>own/console/b.rules
	rc=0
	KST_SHARE=own kst-console log >out 2>err || rc=$?
	[ $rc = 1 ]
	[ ! -s out ]
	grep -x "kst-console: log:2: 'at f' fits rules a and b: choose with --rules" err
	grep -x 'kst-console: 1 stacks without a frame left out' err
	printf 'rename ^Oops.* [kst-begin][kst-frame name="o"][kst-end]\n' |
		tee own/console/a.rules >own/console/b.rules
	run env KST_SHARE=own kst-console log
	[ "$status" = 1 ]
	[[ $output = *"log:1: 'Oops here' fits rules a and b"* ]]
	echo 'rename (' >own/console/c.rules
	run kst-console -r own/console/c.rules log
	[ "$status" = 2 ]
	[[ $output = *"c.rules:1: "* ]]
}

@test "the shipped rules do not take each other's logs, nor code for stacks" {
	for f in "$golden"/*.out; do
		c=$(basename "$f" .out)
		! grep -q 'fits rules' "$golden/$c.err" || false
		[ -e "$golden/$c.in" ] && [ ! -e "$golden/$c.args" ] && [ -s "$f" ] || continue
		r=$(sed -n 's/.* stacks by rules //p' "$golden/$c.err")
		[[ $r != *$'\n'* ]] || continue # logs of two systems
		kst-console --rules "$r" "$golden/$c.in" 2>/dev/null | cmp - "$f"
	done
	cat "$BATS_TEST_DIRNAME"/../common/*/*.c \
		"$BATS_TEST_DIRNAME"/../docs/*.7 "$BATS_TEST_DIRNAME"/*.bats >text
	! kst-console text >out 2>err || false
	[ ! -s out ]
}

# twin NAME: the rules of a kernel whose stacks begin as those of NAME, with other
# frames.
twin() {
	grep -E '\[kst-(begin|about|ignore)|^erase' "$share/console/$1.rules" |
		sed -E 's/\[kst-(leaf|frame|end)[^]]*\]//g'
	echo 'rename ^twin\s(\w+)$ [kst-frame name="$1"]'
}

@test "a rule file whose stacks begin as another's costs that one none" {
	mkdir own
	cp -r "$share/console" own
	for f in "$share"/console/*.rules; do
		twin "$(basename "$f" .rules)" \
			>"own/console/$(basename "$f" .rules)-twin.rules"
		twin "$(basename "$f" .rules)" \
			>"own/console/a-twin-$(basename "$f")"
	done
	for f in "$golden"/*.out; do
		c=${f%.out}
		[ -e "$c.in" ] && [ ! -e "$c.args" ] || continue
		rc=0
		KST_SHARE=own kst-console "$c.in" >out 2>err || rc=$?
		cmp out "$f"
		[ $rc = "$(cat "$c.rc" 2>/dev/null || echo 0)" ]
		diff <(grep ' by rules \|without a frame' "$c.err") \
			<(grep ' by rules \|without a frame' err)
	done
	# the twins' own
	printf 'Backtrace:\n  0: f\n  1: g\n\nx\nx\nx\nx\nBacktrace:\ntwin h\ntwin i\n' >log
	rm own/console/a-twin* own/console/linux*
	KST_SHARE=own kst-console log 2>err | kst-fold --no-trailer >out
	[ "$(cat out)" = "$(printf 'g;f 1\ni;h 1')" ]
	grep -x 'kst-console: 1 stacks by rules arceos-twin' err
}

@test "a missing file among good ones, a full disk, a closed pipe" {
	run kst-console "$golden/xv6.in" /nonexistent "$golden/xv6.in"
	[ "$status" = 1 ]
	[[ "$output" == *"kst-console: /nonexistent: No such file"* ]]
	[[ "$output" == *"2 stacks by rules xv6"* ]]
	rc=0
	kst-console "$golden/xv6.in" >/dev/full 2>err || rc=$?
	[ $rc = 4 ]
	kst-console "$golden/xv6.in" 2>/dev/null | head -n1 >/dev/null
}

@test "memory does not grow with an endless stack, nor with an endless log" {
	{
		echo 'Call Trace:'
		yes ' f+0x1/0x2' | head -n 200000
	} >endless
	rc=0
	( [ "${SANITIZED-}" ] || ulimit -v 300000
		kst-console endless >out 2>err ) || rc=$?
	[ $rc = 1 ]
	[ "$(wc -c <out)" -lt 1100000 ]
	grep 'frame of a stack that is too deep' err
	kst-fold --no-trailer out | cut -c1-10 | grep f
	yes 'backtrace| 2: 0x80001d68' | head -n 60000 >endless
	( [ "${SANITIZED-}" ] || ulimit -v 300000
		kst-console -r nuttx endless >out 2>err ) || [ $? = 1 ]
	[ "$(grep -c Thread out)" = 1 ]
}

@test "hostile lines: long ones, and what makes patterns try many ways" {
	{
		echo 'Call Trace:'
		head -c 1100000 /dev/zero | tr '\0' 'a'
		echo
		for c in ' ' '[' '<' '(' 'a ' '0 ' '? ' '[<a' 'task:a ' "thread #1 name = '" \
			'frame #0: 0x1 a`' ' [inlined] ' '0x1 ' '0x1;' ' 0' 'x::' '[ 1'; do
			for head in '' 'task:' '* thread #1, ' '    frame #0: 0x1 a`b ' \
				'backtrace|1:' ' 80000000' 'CPU: 1 PID: 1 Comm: '; do
				printf '%s' "$head"
				yes "$c" | head -n 4000 | tr -d '\n'
				echo
			done
		done
		printf ' f+0x1/0x2\n'
	} >hostile
	rc=0
	timeout 60 kst-console hostile >out 2>err || rc=$?
	[ $rc -le 1 ]
	for r in "$share"/console/*.rules; do
		rc=0
		timeout 60 kst-console -r "$r" hostile >out 2>err || rc=$?
		[ $rc -le 1 ]
	done
}
