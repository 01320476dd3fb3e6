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
	echo '[kst-capture-info tool=x build-id=abcd0001]' |
		kst-sym -e labels 2>err
	[ ! -s err ]
	printf '[kst-capture-info build-id=%s]\n#0  0x10040 in ?? ()\n' \
		abcd0099 abcd0099 | kst-sym -e labels >out 2>err
	[ "$(cat err)" = "kst-sym: warning: the capture is of build-id abcd0099, \
but labels has build-id abcd0001: names may be wrong" ]
	grep -q vec out
}

@test "no ELF file: status 2; none that can be read: 1" {
	run -2 kst-sym </dev/null
	[ "${lines[0]}" = "kst-sym: no ELF file is given: -e FILE" ]
	run -1 kst-sym -e nothing </dev/null
	[ "$output" = "kst-sym: nothing: No such file or directory" ]
	echo text >text
	run -1 kst-sym -e text </dev/null
	[ "$output" = "kst-sym: text: no ELF file" ]
	run -1 kst-sym -e . </dev/null
	[ "$output" = "kst-sym: .: no regular file" ]
}

@test "live: a named frame is there before the input ends" {
	mkfifo live.in live.out
	kst-sym -e labels <live.in >live.out 3>&- &
	pid=$!
	exec 5>live.in 6<live.out
	echo '#0  0x10030 in ?? ()' >&5
	read -r -t 5 line <&6
	exec 5>&- 6<&-
	wait $pid
	[ "$line" = "#0  0x10030 in asm_entry ()" ]
}
