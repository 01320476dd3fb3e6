# SPDX-License-Identifier: ISC
# kst-sym, with ELF files made by the compiler here and now.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	gcc -nostdlib -static -Wl,-Ttext=0x10000,-e,first,--build-id=0xabcd0001 \
		-o labels "$BATS_TEST_DIRNAME/fixtures/sym/labels.S"
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return 1
}

# names ARGS...: folds each address of stdin through kst-sym as a leaf.
names() {
	sed 's/$/ 1/' | kst-sym --shape folded "$@" | sed 's/ 1$//' | paste -sd' '
}

@test "sizes, labels without size, aliases, gaps" {
	run -0 names -e labels <<-EOF
	0x10000
	0x10008
	0x1000f
	0x10010
	0x10020
	0x1002f
	0x10030
	0x1003f
	0x10040
	0x10050
	0x1005f
	0x10060
	EOF
	[ "$output" = "first first first 0x10010 chosen chosen asm_entry \
asm_entry _ZN3vec4pushEi last_label last_label 0x10060" ]
}

@test "a stripped program of Go: the names of its own table" {
	run -0 names -e "$BATS_TEST_DIRNAME/fuzz/unwind.seeds/x86_64-go" \
		<<<"0x4000b4"
	[ "$output" = main.leaf ]
}

@test "folded: return addresses less one, the leaf and interrupted frames not" {
	run -0 kst-sym -e labels <<-EOF
	0x10010;0x10020;0x10040 3
	0x10030;<signal handler called>;first;0x10030 1 2
	chosen+0x1f;[0x10000];0x10010x;0x0 1
	EOF
	[ "${lines[0]}" = "first;0x10020;_ZN3vec4pushEi 3" ]
	[ "${lines[1]}" = "asm_entry;<signal handler called>;first;asm_entry 1 2" ]
	[ "${lines[2]}" = "chosen+0x1f;[0x10000];0x10010x;0x0 1" ]
}

@test "trace: frames, their tails, and what is left alone" {
	run -0 kst-sym -e labels <<-EOF
	[kst-capture seq=1]
	Thread 1 (Thread 1.1 (CPU#0 [running])):
	#0  0x0000000000010030 in ?? ()
	#1  0x0000000000010030 in ?? () from /lib/x
	#2  <signal handler called>
	#3  0x0000000000010030 in ?? ()
	#4  0x10010
	#5  0x0000000000010020 in named (a=0x10020)
	#6  0x0000000000070000 in ?? ()
	#7  inlined ()
	#8  0x0000000000010030 in <signal handler called>
	#9  0x0000000000010030 in ?? ()
	#10 0x0000000000070000 in <signal handler called>
	Backtrace stopped: it ends
	EOF
	[ "$output" = "[kst-capture seq=1]
Thread 1 (Thread 1.1 (CPU#0 [running])):
#0  0x0000000000010030 in asm_entry ()
#1  0x0000000000010030 in chosen () from /lib/x
#2  <signal handler called>
#3  0x0000000000010030 in asm_entry ()
#4  0x10010 in first ()
#5  0x0000000000010020 in named (a=0x10020)
#6  0x0000000000070000 in ?? ()
#7  inlined ()
#8  0x0000000000010030 in chosen ()
#9  0x0000000000010030 in asm_entry ()
#10 0x0000000000070000 in <signal handler called>
Backtrace stopped: it ends" ]
}

@test "a second run changes nothing" {
	printf '#0  0x10030 in ?? ()\n#1  0x10030 in ?? ()\n' >raw
	kst-sym -e labels raw >once
	kst-sym -e labels once >twice
	cmp once twice
	! cmp -s raw once
}

@test "a base, an offset, a process's own file" {
	echo 0x510040 | {
		run -0 names -e labels@50f000 # the ELF header is at 0xf000
		[ "$output" = "_ZN3vec4pushEi" ]
	}
	echo 0x510040 | {
		run -0 names -d -e labels@+0x500000
		[ "$output" = "vec::push(int)" ]
	}
	cp labels labels@10
	echo 0x10040 | {
		run -0 names -e labels@10
		[ "$output" = "_ZN3vec4pushEi" ]
	}
	cp labels shell
	run -0 kst-sym -e labels@+10 -e ./shell <<-EOF
	#0  0x10040 in ?? ()
	[kst-process pid=3 name="shell" mode=user]
	#0  0x10040 in ?? ()
	Thread 1 (LWP 2):
	#0  0x10040 in ?? ()
	EOF
	[ "${lines[0]}" = "#0  0x10040 in asm_entry ()" ]
	[ "${lines[2]}" = "#0  0x10040 in _ZN3vec4pushEi ()" ]
	[ "${lines[4]}" = "#0  0x10040 in asm_entry ()" ]
}

@test "another build-id is a warning that names both" {
	printf '%s\n' '[kst-capture-info build-id=abcd0001]' '#0  0x10040 in ?? ()' \
		'[kst-capture-summary taken=1]' |
		kst-sym -e labels 2>err
	[ ! -s err ]
	printf '[kst-capture-info build-id=%s]\n#0  0x10040 in ?? ()
[kst-capture-summary taken=1]\n' abcd0099 abcd0099 | kst-sym -e labels >out 2>err
	[ "$(cat err)" = "kst-sym: warning: the capture is of build-id abcd0099, \
but labels has build-id abcd0001: names may be wrong" ]
	grep -q vec out
}

@test "no ELF file: status 2; none that can be read: 1" {
	run -2 kst-sym </dev/null
	[ "${lines[0]}" = "kst-sym: no ELF file given: -e FILE" ]
	run -1 kst-sym -e nothing </dev/null
	[ "$output" = "kst-sym: nothing: No such file or directory" ]
	echo text >text
	run -1 kst-sym -e text </dev/null
	[ "$output" = "kst-sym: text: not an ELF file" ]
	run -1 kst-sym -e . </dev/null
	[ "$output" = "kst-sym: .: not a regular file" ]
}

@test "live: a named frame is there before the input ends" {
	mkfifo live.in live.out
	kst-sym -e labels <live.in >live.out 3>&- &
	pid=$!
	exec 5>live.in 6<live.out
	echo '#0  0x10030 in ?? ()' >&5
	read -r -t 100 line <&6
	exec 5>&- 6<&-
	wait $pid
	[ "$line" = "#0  0x10030 in asm_entry ()" ]
}

# inline_elf NAME FLAGS...: builds the program with inlined calls.
inline_elf() {
	name=$1
	shift
	gcc -nostdlib -static -O2 -fno-pic -no-pie -o "$name" "$@" \
		"$BATS_TEST_DIRNAME/fixtures/sym/inline.c"
}

# like_addr2line ELF: each instruction's calls and lines are those of binutils.
like_addr2line() {
	# without the padding between functions
	objdump -d --no-show-raw-insn "$1" | grep -v -E 'nop|xchg +%ax,%ax' |
		sed -n 's/^ *\([0-9a-f]*\):.*/0x\1/p' >addrs
	[ "$(wc -l <addrs)" -gt 50 ] || return 1
	addr2line -a -f -i -e "$1" <addrs |
		awk -f "$BATS_TEST_DIRNAME/fixtures/sym/compare.awk" |
		sed 's/outer at/outer.cold at/' >want.both
	sed 's/$/ 1/' addrs | kst-sym --shape folded --lines -e "$1" |
		sed -E 's/ at [^;]*\// at /g' >got
	grep -q ';.*;' got || return 1
	# the symbol table calls the cold part outer.cold, DWARF outer
	sed 's/outer at/outer.cold at/' got >got.both
	diff want.both got.both
}

@test "inlined calls and lines: what addr2line says, for each instruction" {
	for v in 2 3 4 5; do
		inline_elf "inline$v" -gdwarf-$v
		like_addr2line "inline$v"
	done
	inline_elf inlinez -g -gz
	like_addr2line inlinez
}

@test "a function that GCC has split and joined again is one frame" {
	gcc -nostdlib -static -fno-pic -no-pie -O3 -g -o split -Wl,-e,0 \
		-Wl,--unresolved-symbols=ignore-all \
		"$BATS_TEST_DIRNAME/fixtures/sym/split.c"
	readelf --debug-dump=info split | grep -A9 DW_TAG_inlined_sub |
		grep -q 'DW_AT_call_line *: 12$'
	objdump -d --no-show-raw-insn split |
		sed -n 's/^ *\([0-9a-f]*\):.*/0x\1 1/p' >addrs
	kst-sym --shape folded --lines -e split addrs | sort -u >got
	grep -q '^append at [^;]*split.c:20 1$' got # in the part
	run ! grep 'append.*append' got
	grep -q 'fact at [^;]*;fact at ' got # a recursion, which stays
	kst-sym --shape folded -e split addrs >plain
	grep -q '^append 1$' plain
	run ! grep 'append.*append' plain
}

# two_units CC FLAGS...: builds inline.c twice, as two units, into `two`.
two_units() {
	cc=$1
	shift
	cp "$BATS_TEST_DIRNAME/fixtures/sym/inline.c" .
	sed 's/far_away\|_start\|outer\|sink/&_2/g' inline.c >second.c
	for f in inline second; do
		$cc -O2 -fno-pic "$@" -c -o $f.o $f.c || return 1
	done
	gcc -nostdlib -static -no-pie -Wl,--build-id -o two inline.o second.o
}

# positions ELF: of each instruction, the lines, innermost first, from kst-sym
# to `got`, with the names to `both`, and the lines from elfutils to `want`.
positions() {
	objdump -d --no-show-raw-insn "$1" | grep -v -E 'nop|xchg +%ax,%ax' |
		sed -n 's/^ *\([0-9a-f]*\):.*/0x\1/p' >addrs
	sed 's/$/ 1/' addrs | kst-sym --shape folded --lines -e "$1" >both ||
		return 1
	grep -q 'middle at .*;innermost at' both || return 1
	awk '{
		n = split($0, frame, ";")
		for (; n > 0; n--)
			if (match(frame[n], /:[0-9]+/))
				printf "%s ", substr(frame[n], RSTART + 1,
				    RLENGTH - 1)
		print ""
	}' both >got
	eu-addr2line -a -i -e "$1" <addrs | awk '
		/^0x/ { if (NR > 1) print ""; next }
		{ split($0, part, ":"); printf "%s ", part[2] }
		END { print "" }' >want
}

# eu-addr2line of elfutils 0.188 has only the innermost lines of split DWARF.
@test "split DWARF: elfutils' lines, and all that the same has unsplit" {
	for v in 4 5; do
		two_units gcc -gdwarf-$v
		positions two
		diff want got
		cp both both.plain
		two_units gcc -gdwarf-$v -gsplit-dwarf
		[ -s inline.dwo ]
		positions two
		diff <(cut -d' ' -f1 want) <(cut -d' ' -f1 got)
		diff both.plain both
	done
	rm inline.dwo second.dwo
	run -1 kst-sym -e two <<-EOF
	#0  $(head -n 1 addrs) in ?? ()
	EOF
	[[ "$output" = *"kst-sym: two: split unit without its .dwo file"* ]]
	# a .dwo that would block for ever
	mkfifo inline.dwo second.dwo
	echo "#0  $(head -n 1 addrs) in ?? ()" |
		timeout 100 kst-sym -e two >out || [ $? = 1 ]
	grep -q '^#0  .* in .* ()' out
	rm inline.dwo second.dwo
}

@test "packages of split DWARF: libdw reads them since 0.191, and a message" {
	for how in "gcc 4 $(command -v dwp || echo llvm-dwp)" "clang 5 llvm-dwp"; do
		set -- $how
		# make check does without
		command -v "$1" >/dev/null || continue
		two_units "$1" "-gdwarf-$2" -gsplit-dwarf
		positions two
		mv both both.dwo
		"$3" -e two -o two.dwp
		rm inline.dwo second.dwo
		if pkg-config --atleast-version=0.191 libdw; then
			positions two
			diff both.dwo both
		else
			run -1 kst-sym -e two <<-EOF
			#0  $(head -n 1 addrs) in ?? ()
			EOF
			[[ "$output" = *"kst-sym: two: split unit not found: libdw reads .dwp files since 0.191, at "* ]]
		fi
		rm two.dwp
	done
	# one that would block for ever
	mkfifo two.dwp
	echo "#0  $(head -n 1 addrs) in ?? ()" |
		timeout 100 kst-sym -e two >out || [ $? = 1 ]
	grep -q '^#0  .* in .* ()' out
}

@test "dwz's supplementary file: the same as without" {
	for v in 4 5; do
		two_units gcc -gdwarf-$v
		cp two one
		positions two
		mv both both.plain
		dwz -m common.debug one two
		readelf -SW two | grep -q gnu_debugaltlink
		positions two
		diff both.plain both
		diff want got
		rm common.debug
		run -1 kst-sym -e two </dev/null
		[[ "$output" = *"its supplementary file is missing: "*common.debug ]]
	done
}

@test "compressed debug information: the same as without" {
	two_units gcc -g
	positions two
	mv both both.plain
	for z in zlib zlib-gnu; do
		objcopy --compress-debug-sections=$z two packed
		readelf -SW packed | grep -q 'zdebug_info\|debug_info.* C '
		positions packed
		diff both.plain both
	done
}

@test "compressed lines of many units, without the code: the same as without" {
	awk 'BEGIN {
		srand(1)
		for (i = 1; i <= 20; i++) {
			print "volatile int v" i ";" >"u" i ".c"
			print "f" i "_1" >"names"
			for (k = 1; k <= 250; k++) {
				print "int f" i "_" k "(int x) {" >"u" i ".c"
				for (n = 3 + int(rand() * 9); n > 0; n--)
					print "v" i " += x * " int(rand() * 999) \
						";\nif (x == v" i ") x ^= " \
						int(rand() * 99) ";" >"u" i ".c"
				print "return x; }" >"u" i ".c"
			}
		}
	}'
	echo 'int main(void) { return 0; }' >m.c
	gcc -g -O0 u*.c m.c -o plain
	objcopy --only-keep-debug --compress-debug-sections=zlib plain packed
	nm plain | grep -w -F -f names | sed 's/^0*\([^ ]*\).*/#0  0x\1 in ?? ()/' >addrs
	[ "$(wc -l <addrs)" = 20 ]
	kst-sym -l -e plain addrs >want
	[ "$(grep -c ' at .*u[0-9]*\.c:' want)" = 20 ]
	kst-sym -l -e packed addrs >out
	diff want out
}

@test "trace: inlined calls are frames of their own, numbers follow" {
	inline_elf inline -g
	addr=0x$(nm inline | sed -n 's/ T outer$//p')
	a=$(objdump -d --no-show-raw-insn inline |
		sed -n 's/^ *\([0-9a-f]*\):.*/0x\1/p' |
		sed 's/$/ 1/' | kst-sym --shape folded -a -e inline |
		grep -n -m1 -x 'outer;middle_\[i\];innermost_\[i\] 1')
	addr=$(objdump -d --no-show-raw-insn inline |
		sed -n 's/^ *\([0-9a-f]*\):.*/0x\1/p' | sed -n "${a%%:*}p")
	run -0 kst-sym -a -e inline <<-EOF
	#0  $addr in ?? ()
	#1  <signal handler called>
	#2  $addr in ?? ()
	#8  $addr in known ()
	    its arguments
	#9  $addr in ??
	Thread 2 (LWP 1):
	#0  $addr in ?? ()
	#0  $addr in known ()
	EOF
	[ "${lines[0]}" = "#0  $addr in innermost_[i] ()" ]
	[ "${lines[1]}" = "#1  middle_[i] ()" ]
	[ "${lines[2]}" = "#2  outer ()" ]
	[ "${lines[3]}" = "#3  <signal handler called>" ]
	[ "${lines[4]}" = "#4  $addr in innermost_[i] ()" ]
	[ "${lines[6]}" = "#6  outer ()" ]
	[ "${lines[7]}" = "#12 $addr in known ()" ]
	[ "${lines[8]}" = "    its arguments" ]
	[[ "${lines[9]}" = "#13 $addr in "* ]]
	run -0 kst-sym --no-inline --lines -e inline <<-EOF
	#0  $addr in ?? ()
	EOF
	[[ "$output" =~ ^"#0  $addr in outer () at "/.*/inline.c:3[0-9]$ ]]
}

@test "trace: a second run over inlined frames changes nothing" {
	inline_elf inline -g
	objdump -d --no-show-raw-insn inline |
		sed -n 's/^ *\([0-9a-f]*\):.*/0x\1/p' |
		awk '{ print "#" NR - 1 "  " $1 " in ?? ()" }' >raw
	for o in "" -a -l --no-inline; do
		kst-sym $o -e inline raw >once
		kst-sym $o -e inline once | cmp - once
		sed -n 's/^#\([0-9]*\) .*/\1/p' once | awk '$1 != NR - 1 { exit 1 }'
	done
}

@test "trace: --lines of a text that has names gives what the raw one gets" {
	inline_elf inline -g
	objdump -d --no-show-raw-insn inline |
		sed -n 's/^ *\([0-9a-f]*\):.*/0x\1/p' |
		awk '{ print "#" (NR - 1) % 7 "  " $1 " in ?? ()" }' >raw
	for o in "" -a --no-inline; do
		kst-sym $o -l -e inline raw >want
		kst-sym $o -e inline raw >named
		kst-sym -l -e inline named | cmp - want
		kst-sym -l -e inline want | cmp - want
	done
	grep -q 'outer () at ' want
	# where all have a line already, there is nothing to warn of
	run -0 --separate-stderr kst-sym -l -e inline <<<'#0  0x1000 in f () at f.c:1'
	[ -z "$stderr" ]
	# another name than the file has, and what has a place already
	addr=$(sed -n 's/.*\(0x[0-9a-f]*\) in outer ().*/\1/p' want | head -n 1)
	run -0 --separate-stderr kst-sym -l -e inline <<-EOF
	#0  $addr in ?? ()
	#1  $addr in other ()
	#2  middle ()
	#3  $addr in outer () at x.c:1
	#4  $addr in outer () from x.so
	EOF
	[ "${lines[1]}" = "#1  $addr in other ()" ]
	[ "${lines[2]}" = "#2  middle ()" ]
	[ "${lines[3]}" = "#3  $addr in outer () at x.c:1" ]
	[ "${lines[4]}" = "#4  $addr in outer () from x.so" ]
	[ -z "$stderr" ]
	# named without inlined calls
	kst-sym --no-inline -e inline raw | kst-sym -l -e inline |
		grep -c 'outer () at .*:[0-9]*$' >some
	[ "$(cat some)" -gt 10 ]
}

@test "--lines without a line says what it takes" {
	inline_elf inline -g0
	addr=0x$(nm inline | sed -n 's/ T outer$//p')
	run -1 --separate-stderr kst-sym -l -e inline <<<"#0  $addr in ?? ()"
	[ "$output" = "#0  $addr in outer ()" ]
	[[ "$stderr" = *': no frame has a line: --lines needs '* ]]
	run -1 --separate-stderr kst-sym -l -e inline <<<'a;b 1'
	[[ "$stderr" = *': no frame has a line: --lines needs '* ]]
	run -0 --separate-stderr kst-sym -l -e inline </dev/null
	[ -z "$stderr" ]
}

@test "--addresses keeps addresses before the names in folded text" {
	inline_elf inline
	addr=0x$(nm inline | sed -n 's/ T outer$//p')
	addr=0x$(printf %x "$addr")
	run -0 kst-sym --addresses -e inline <<<"$addr;b;$addr 1"
	[[ "${lines[0]}" = *"b;$addr in outer 1" ]]
	# the second run finds names
	run -0 kst-sym --addresses -e inline <<<"$addr in outer 1"
	[ "$output" = "$addr in outer 1" ]
}

@test "debug information made to be expensive: named all the same, and soon" {
	for kind in LOOP DEEP SHARED OVERLAP BOMB FILES; do
		gcc -nostdlib -static -Wl,-Ttext=0x10000,-e,victim -D$kind \
			-o "$kind" "$BATS_TEST_DIRNAME/fixtures/sym/hostile.S"
		# 18 bytes that say they are 2^40
		[ $kind != BOMB ] || {
			printf 'ZLIB\0\0\1\0\0\0\0\0\170\234\0\0\0\0' >bomb
			objcopy --add-section .zdebug_info=bomb BOMB
		}
		rc=0
		echo '#0  0x10004 in ?? ()' | (
			[ -n "${SANITIZED-}" ] || ulimit -v 500000
			ulimit -t 10
			kst-sym --lines -e "$kind"
		) >out 2>err || rc=$?
		grep -q '^#[0-9]*  *\(0x10004 in \)\?victim ()' out
		[ $kind = LOOP ] && [ $rc = 0 ] && continue
		[ $rc = 1 ]
		grep -q "^kst-sym: \($kind: \|no frame has a line: \)" err
		[ "$(wc -l <err)" = 1 ]
	done
}

@test "a file's name cannot end a line" {
	printf '#line 7 "a\\012#9  0x1 in \\033b.c"\nvoid _start(void) {}\n' >odd.c
	gcc -g -nostdlib -static -o odd odd.c
	addr=0x$(nm odd | sed -n 's/ T _start$//p')
	run -0 kst-sym -l -e odd <<-EOF
	#0  $addr in ?? ()
	EOF
	[ "$output" = "#0  $addr in _start () at a?#9  0x1 in ?b.c:7" ]
}

@test "odd input: passed through, the good part named" {
	printf '' | kst-sym -e labels | cmp - /dev/null
	printf '#0  0x10030 in ?? ()' | kst-sym -e labels >out
	[ "$(cat out)" = "#0  0x10030 in asm_entry ()" ]
	printf '#0  0x10030 in ?? ()\r\nnoise\r\n' | kst-sym -e labels >out
	printf '#0  0x10030 in asm_entry ()\nnoise\r\n' | cmp - out
	printf '#0  a\0b\377 ()\n#1  0x10030 in ?? ()\n' | kst-sym -e labels >out
	printf '#0  a\0b\377 ()\n#1  0x10030 in chosen ()\n' | cmp - out
	{
		head -c 1048576 /dev/zero | tr '\0' x
		printf '\n#0  0x10030 in ?? ()\n'
	} >long
	kst-sym -e labels long | tail -n 1 >out
	[ "$(cat out)" = "#0  0x10030 in asm_entry ()" ]
	[ "$(kst-sym -e labels long | wc -c)" = 1048605 ]
	printf '#0  0x10030 in ?? ()\n' >good
	run -1 kst-sym -e labels good missing - <good
	[[ "$output" = *"missing: No such file"* ]]
	[ "$(printf %s "$output" | grep -c asm_entry)" = 2 ]
	printf '0x10030 1\r\n# note\n\nbad line\n0x10030;0x1 2.5\n' >f
	run -1 kst-sym --shape folded -e labels f
	[[ "$output" = *$'asm_entry 1\r\n# note\n'* ]]
	[[ "$output" = *"f:4: not a folded stack: 'bad line'"* ]]
	[[ "$output" = *"chosen;0x1 2.5"* ]]
}

@test "a frame that a pager has cut in two is named" {
	printf '\033[m#0  0x100--Type <RET> for more, q to quit, c to continue without paging--\n30 in ?? ()\n#1  0x10030 in ?? ()\n' |
		kst-sym --shape trace -e labels >out
	printf '#0  0x10030 in asm_entry ()\n#1  0x10030 in chosen ()\n' | cmp - out
}

@test "an object that is not linked, and one without symbols" {
	gcc -c -o rel.o "$BATS_TEST_DIRNAME/fixtures/sym/labels.S"
	run -1 kst-sym -e rel.o </dev/null
	[ "$output" = "kst-sym: rel.o: not linked, so it has no addresses yet (for Linux modules see kst-capture(1))" ]
	cp labels bare
	strip bare
	run -0 kst-sym -v -e bare <<-EOF
	#0  0x10030 in ?? ()
	EOF
	[[ "$output" = *"warning: bare has no symbols: give "* ]]
	[[ "$output" = *"#0  0x10030 in ?? ()"* ]]
	[[ "$output" = *"0 addresses named, 1 not, 0 inlined calls"* ]]
}

@test "a file cut short anywhere gives names or a message" {
	inline_elf whole -g
	size=$(stat -c %s whole)
	addr=0x$(nm whole | sed -n 's/ T outer$//p')
	for at in $(seq 0 512 "$size"); do
		head -c "$at" whole >cut
		rc=0
		echo "#0  $addr in ?? ()" | kst-sym -l -e cut >out 2>err || rc=$?
		[ $rc = 0 ] || { [ $rc = 1 ] && grep -q '^kst-sym: ' err; }
		[ $rc = 1 ] && [ ! -s out ] || grep -q "^#0  $addr in" out
	done
}

@test "debug information by build-id from a server, unless it is not wanted" {
	mkdir -p served
	printf '%s\n' 'static __attribute__((noinline)) int hidden(int a)' \
		'{ __asm__ volatile(""); return a * 3; }' \
		'int main(int c, char **v) { (void)v; return hidden(c) + 1; }' >served.c
	gcc -g -O1 -Wl,--build-id -o plain served.c
	addr=$(nm plain | awk '$3 == "hidden" { print "0x" $1 }')
	objcopy --only-keep-debug plain served/plain.debug
	strip plain
	export DEBUGINFOD_CACHE_PATH=$PWD/cache
	for _ in 1 2 3; do
		port=$((20000 + RANDOM % 20000))
		debuginfod -F -p $port -d :memory: served >server.log 2>&1 3>&- &
		server=$!
		for _ in $(seq 600); do
			if [ "$(sed 's/$/ 1/' <<<"$addr" | DEBUGINFOD_URLS=http://127.0.0.1:$port \
				kst-sym --shape folded -l -e plain 2>err)" = \
				"hidden at served.c:2 1" ]; then
				break
			fi
			rm -rf cache # which remembers what was not found
			kill -0 $server || break
			sleep 0.1
		done
		kill $server || continue
		wait $server || :
		break
	done
	[ -n "$(find cache -name debuginfo)" ]
	# From the cache, without the server; and not.
	run -0 --separate-stderr kst-sym --shape folded -e plain <<<"$addr 1"
	[ "$output" = "$addr 1" ]
	export DEBUGINFOD_URLS=http://127.0.0.1:$port
	run -0 --separate-stderr kst-sym --shape folded -e plain <<<"$addr 1"
	[ "$output" = "hidden 1" ]
	run -0 --separate-stderr kst-sym --no-debuginfod --shape folded -e plain <<<"$addr 1"
	[ "$output" = "$addr 1" ]
}

@test "what debuginfod has for a build-id is not taken without it" {
	printf 'int f(void) { return 1; }\nint main(void) { return f(); }\n' >a.c
	gcc -g -Wl,--build-id -o plain a.c
	gcc -g -O2 -Wl,--build-id -o other a.c
	addr=$(nm plain | awk '$3 == "f" { print "0x" $1 }')
	id=$(readelf -n plain | awk '/Build ID:/ { print $3 }')
	strip plain
	export DEBUGINFOD_CACHE_PATH=$PWD/cache DEBUGINFOD_URLS=http://127.0.0.1:1
	mkdir -p "cache/$id"
	for file in other a.c; do
		cp $file "cache/$id/debuginfo"
		run -1 --separate-stderr kst-sym --shape folded -e plain <<<"$addr 1"
		[ "$output" = "$addr 1" ]
		[[ "$stderr" == *"plain: debuginfod gave a file without its build-id" ]]
	done
}

# Functions with loops, calls, tables, texts and variables, some inlined.
differ_source() {
	cat <<'C'
#ifdef MORE
__attribute__((section(".data.other"))) volatile int more;
__attribute__((noipa)) void grown(int n) { for (; n; n--) more += n * 7 + (more >> 3); }
#else
__attribute__((noipa)) void grown(int n) { (void)n; }
#endif
static int table[64];
static const char *const texts[] = {"a", "bb", "ccc"};
int number = 5;
__attribute__((noinline)) int pick(int i) { return texts[i % 3][0] + table[i & 63]; }
__attribute__((noinline)) int loops(int n) { int s = 0; for (int i = 0; i < n; i++) for (int k = 0; k < i; k++) { s += table[k & 63] ^ i; if (s > 999) s -= pick(k); } return s; }
__attribute__((noinline)) int choose(int n) { switch (n) { case 0: return pick(3); case 1: return loops(n); case 2: return number; case 3: return pick(9) + 1; case 4: return -4; case 5: return n * 77; default: return 0; } }
static inline int in(int n) {
#ifdef INLINED
	number += n;
#endif
	return n + number; }
__attribute__((noinline)) int calls(int n) { grown(n); return in(n) + choose(n) + loops(n + 1); }
__attribute__((noinline)) static int tail(int n) { return calls(n - 1); }
void _start(void) { for (;;) { number = tail(number); table[number & 63]++;
#ifdef NOP
	__asm__ volatile("nop");
	number++;
#endif
	} }
C
}

@test "--compare names the functions with other code, and no other" {
	differ_source >d.c
	for cc in gcc 'gcc -m32' aarch64-linux-gnu-gcc riscv64-linux-gnu-gcc; do
		for how in "-O2 -fno-pie -no-pie" "-Os -fno-pie -no-pie" "-O2 -fpie -static-pie"; do
			build="$cc $how -ffreestanding -fno-stack-protector -nostdlib d.c"
			case $cc$how in
			riscv64*) build="$build -mcmodel=medany" ;;
			*-m32*static-pie) continue ;; # it counts on how far its data is
			esac
			$build -o old
			$build -o same -Wl,-Ttext-segment=0x7000000
			$build -DMORE -o more
			$build -DINLINED -o inlined
			$build -DMORE -DNOP -o both
			echo "$build"
			run -0 kst-sym --compare -e old -e old
			[ "$output" = "" ]
			run -0 kst-sym --compare -e old -e same
			[ "$output" = "" ]
			run -0 kst-sym --compare -e old -e more
			[ "$output" = "differs	grown" ]
			run -0 kst-sym --compare -e old -e inlined
			[ "$output" = "differs	calls" ]
			run -0 kst-sym --compare -e old -e both
			[ "$output" = "differs	_start
differs	grown" ]
		done
	done
}

@test "--compare: added, removed and mangled functions, and other processors" {
	printf 'void _start(void) {} void a(void) {} void _Z1fi(int i) { (void)i; }' >a.c
	printf 'void _start(void) {} void b(void) {} void _Z1fi(int i) { for (;;) (void)i; }' >b.c
	gcc -O2 -nostdlib -o a a.c
	gcc -O2 -nostdlib -o b b.c
	run -0 kst-sym --compare -e a -e b
	[ "$output" = "differs	_Z1fi	f(int)
removed	a
added	b" ]
	aarch64-linux-gnu-gcc -O2 -nostdlib -o c b.c
	run -1 kst-sym --compare -e a -e c
	[ "$output" = "kst-sym: the two files are for two processors" ]
	printf '.globl f\n.type f, %%function\nf: bx lr\n' | arm-linux-gnueabi-as -o d.o -
	arm-linux-gnueabi-ld -e f -o d d.o
	run -1 kst-sym --compare -e d -e d
	[[ "$output" = "kst-sym: code is compared for x86_64, i386, aarch64 and riscv, and the two files are for another processor: kst flame --base"* ]]
	run -2 kst-sym --compare -e a
	[[ "$output" == *"--compare takes -e OLD -e NEW, and no input"* ]]
}

# where_source: a file of C; the macros of OLD and NEW choose what it does.
where_source() {
	cat <<'C'
#ifdef NEW
/* the lines
 * have moved
 */
#define PERIOD 50
#else
#define PERIOD 1000
#endif
volatile int timer, state;
static inline void set_timer(int n)
{
	if (n > PERIOD)
		n = PERIOD;
	timer = n;
}
__attribute__((noinline)) void runloop(int n)
{
	state = 1;
	set_timer(n * 3);
	state = 2;
}
__attribute__((noinline)) void loses(int n)
{
	state = n;
#ifndef NEW
	timer = n;
#endif
	state = n + 9;
}
__attribute__((noinline)) void turns(int n)
{
	for (int i = 0; i < n; i++)
#ifdef NEW
		if (state != i)
#else
		if (state == i)
#endif
			timer += 7;
}
void _start(void)
{
	for (;;) {
		runloop(state);
		loses(state);
		turns(state);
	}
}
C
}

# line PATTERN [FILE]: the number of the only line with it.
line() {
	grep -n "$1" "${2:-where.c}" | cut -d: -f1
}

@test "--compare says in which lines code differs, also of inlined calls" {
	where_source >where.c
	for cc in gcc 'gcc -m32' aarch64-linux-gnu-gcc riscv64-linux-gnu-gcc; do
		build="$cc -O2 -fno-pie -no-pie -ffreestanding -fno-stack-protector -nostdlib where.c"
		echo "$build"
		case $cc in riscv64*) build="$build -mcmodel=medany" ;; esac
		$build -g -o old
		$build -g -DNEW -o new
		$build -DNEW -o bare
		kst-sym --compare -e old -e new >out
		cut -f1,2 out >names
		printf 'differs\t%s\n' loses runloop turns | cmp - names
		# what has gone was before the line that follows it
		# (riscv64 and aarch64 load the address of `state` with the line before)
		grep -q "^differs	loses		.*where.c:\($(line 'state = n;')\|$(line 'state = n + 9')\)" out || return 1
		grep -q "^differs	runloop		set_timer at where.c:$(line 'n > PERIOD')\(,.*\)*$" out || return 1
		grep -q "^differs	turns		.*where.c:$(line 'state != i')" out || return 1
		run -0 kst-sym --compare -e old -e bare
		[ "$output" = "$(cat names)" ]
	done
}

@test "--compare: lines of mangled names, of jumps only, and of very many functions" {
	cat >jump.cpp <<'C'
volatile int a;
namespace n {
__attribute__((noinline)) void
work(int i)
{
	__asm__ volatile(
#ifdef NEW
	    "jmp 2f\n1: incl %0\n2: decl %0\n"
#else
	    "jmp 1f\n1: incl %0\n2: decl %0\n"
#endif
	    : "+m"(a));
	a = i;
}
}
extern "C" void _start(void) { for (;;) n::work(a); }
C
	g++ -O1 -g -nostdlib -static -o old jump.cpp
	g++ -O1 -g -DNEW -nostdlib -static -o new jump.cpp
	run -0 kst-sym --compare -e old -e new
	[ "$output" = "differs	_ZN1n4workEi	n::work(int)	jump.cpp:6" ]
	# of more than 200 it takes --lines; a function may change much
	seq 1 201 | sed 's/.*/void f&(void) { a = X + &; }/' |
		sed '1s/^/volatile int a; /' >many.c
	awk 'BEGIN {
		printf "volatile int a; void big(void) {"
		for (i = 1; i < 1500; i++) printf "\na = %d + (X %% 2 ? 0 : %d);", i * 3, i
		print "}" }' >big.c
	for x in 1 2; do
		gcc -O1 -g -nostdlib -static "-DX=$x" -o "many$x" many.c -Wl,-e,f1
		gcc -O1 -g -nostdlib -static "-DX=$x" -o "big$x" big.c -Wl,-e,big
	done
	kst-sym --compare -e many1 -e many2 >out
	[ "$(wc -l <out)" = 201 ]
	run ! grep many.c out
	kst-sym --compare --lines -e many1 -e many2 >out
	[ "$(grep -c 'many.c:[0-9]*$' out)" = 201 ]
	grep -qx 'differs	f77		many.c:77' out
	kst-sym --compare -e big1 -e big2 >out
	grep -q '^differs	big		big.c:2, big.c:3, big.c:4$' out
}

@test "--sources: the files of functions, by DWARF and by FILE symbols" {
	mkdir -p mm fs
	echo 'static __attribute__((noinline)) void slab(void) {asm("");} void mm_a(void) {slab();}
		static __attribute__((noinline)) void end(void) {asm("");} void mm_z(void) {end();}' >mm/slab.c
	echo 'static inline __attribute__((always_inline)) void in_head(void) {asm volatile("nop");}' >fs/head.h
	echo '#include "head.h"
		void _start(void) {in_head();}' >fs/main.c
	gcc -g -O1 -nostdlib -static -o elf fs/main.c mm/slab.c
	printf '%s\n' slab mm_a mm_z nosuch in_head _start slab >names
	kst-sym --sources -e elf names | LC_ALL=C sort >got
	printf '%s\t%s\n' _start fs/main.c in_head fs/head.h mm_a mm/slab.c mm_z mm/slab.c \
		slab mm/slab.c | cmp - got
	gcc -O1 -fno-toplevel-reorder -nostdlib -static -o bare fs/main.c mm/slab.c
	kst-sym --sources -e bare <names | LC_ALL=C sort >got
	printf '%s\tslab.c\n' mm_a slab | cmp - got
	# nothing is asked: nothing is read
	kst-sym --sources -e nosuch </dev/null
	run kst-sym --sources -e nosuch names
	[ "$status" = 1 ]
	run kst-sym --sources -e elf -e bare names
	[ "$status" = 2 ]
	run kst-sym --sources --compare -e elf names
	[ "$status" = 2 ]
}
