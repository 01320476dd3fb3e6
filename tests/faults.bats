#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# What happens to files and statuses when the machine fails, not the input.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf 'a;b 1\n' >in
}

@test "-o: the old picture stays until the new one is whole" {
	kst-svg -o fg.svg in
	chmod 640 fg.svg
	ln fg.svg old
	ln -s fg.svg link
	kst-svg -o link --title zebra in
	[ -L link ]
	[ "$(stat -c %a fg.svg)" = 640 ]
	grep -q zebra fg.svg
	run ! grep -q zebra old
	cp fg.svg old.svg
	run -4 bash -c 'trap "" XFSZ; ulimit -f 8; kst-svg -o fg.svg in 2>&1 | cat
		exit ${PIPESTATUS[0]}'
	[[ $output = *'cannot write the output: File too large' ]]
	cmp fg.svg old.svg
	run -4 bash -c 'exec kst-svg -o no/where in'
	mkfifo fifo
	kst-svg -o fg.svg --title new fifo &
	until compgen -G '.kst-*' >/dev/null; do sleep 0.02; done
	kill $!
	wait $! || true
	cmp fg.svg old.svg
	run -1 compgen -G '.kst-*'
}

@test "-o: a worse picture never replaces a better one" {
	kst-svg -o p.svg in
	cp p.svg keep
	echo '{"other": 1}' >other
	printf 'a;c 1\nno count\n' >damaged
	run -1 kst-svg -o p.svg typo
	[[ $output = *'p.svg was not replaced' ]]
	run -1 bash -c 'kst-fold typo 2>/dev/null | kst-svg -o p.svg'
	run -1 kst-svg -o p.svg other
	run -1 kst-svg -o p.svg damaged
	cmp p.svg keep
	run -1 kst-svg --partial -o p.svg damaged
	grep -q '<title>c ' p.svg
	run -1 kst-svg --partial -o p.svg typo
	run ! grep -q '<title>c ' p.svg
	run -1 kst-svg -o new.svg damaged
	grep -q '<title>c ' new.svg
	run -1 compgen -G '.kst-*'
}

@test "-o: a capture stays if no new one is taken" {
	printf "[kst-capture-info version=0]\n" >capture
	cp capture keep
	run -1 kst-capture -q --no-check -r "./none" -o capture
	cmp capture keep
	run -1 compgen -G ".kst-*"
}

@test "-o: inputs and other programs' files are not replaced" {
	cp in keep
	run -2 kst-svg -o in in
	[[ $output = *'in: is one of the inputs' ]]
	run -2 kst-svg --force -o in - <in
	run -2 kst-svg -o keep in
	[[ $output = *'not written by kst'* ]]
	cmp in keep
	: >empty
	kst-svg -o empty in
	kst-svg --force -o keep in
	cmp empty keep
	kst-svg -o /dev/stdout in | cmp - keep
}

@test "an input that cannot be read to its end is status 4" {
	seq -f 'a;b%.0f 1' 60000 >long
	kst-svg -o fg.svg in
	cp fg.svg keep
	for c in clean fold 'svg -o fg.svg' 'svg -o fg.svg --flamechart' \
		'diff in'; do
		run -4 strace -qqo /dev/null -P long \
			-e inject=read:error=EIO:when=2+ kst-$c long
		[[ $output = *'long: Input/output error'* ]]
	done
	cmp fg.svg keep
	run -4 env KST_NO_SANDBOX=1 strace -qqo /dev/null -P long \
		-e inject=openat:error=EMFILE kst-fold long in
	[[ $output = *'Too many open files'*'a;b 1'* ]]
	echo 'skip x' >x.rules
	run -4 strace -qqo /dev/null -P x.rules -e inject=read:error=EIO \
		kst-clean -r x.rules in
	run -4 strace -qqo /dev/null -P "$KST_SHARE/rules/asterinas.rules" \
		-e inject=all:error=EIO:when=1 kst-clean -r asterinas in
	run -1 kst-fold in none
}

@test "half an ELF file is damaged" {
	prog=$(command -v kst-fold)
	printf '#0  0x1 in ?? ()\n' >raw
	kst-sym -e "$prog" raw
	head -c $(($(stat -c %s "$prog") / 2)) "$prog" >half
	run -1 kst-sym -e half raw
	[[ $output = *'half: the file is truncated: parts of it are missing'* ]]
}

@test "an ELF file's page that the disk does not give is status 4, a cut file 1" {
	cc -g -o prog -x c - <<<'int main(void) { return 0; }'
	cc -shared -fPIC -D_GNU_SOURCE -o shim.so "$BATS_TEST_DIRNAME/faults/shim.c"
	kst-fold in >/dev/null
	printf '0x%s 1\n' "$(nm prog | sed -n 's/ T main//p')" >raw
	[[ $(kst-sym -e prog raw) = 'main 1' ]]
	pages='1 4'
	# A sanitizer's own library must be loaded first.
	[ -z "${SANITIZED-}" ] || pages=
	for page in $pages; do
		run -4 --separate-stderr env LD_PRELOAD="$PWD/shim.so" \
			FAULT_PAGE=$page kst-sym -e prog raw
		[[ $stderr = *'cannot be read: Input/output error'* ]]
	done
	# Cut after kst-sym has mapped it, and before it reads the raw addresses.
	mkfifo fifo
	kst-sym -l -d -e prog fifo >out 2>err 3>&- &
	exec 5>fifo
	echo '#0  0x1 in ?? ()' >&5
	until [ -s out ]; do
		kill -0 $!
		sleep 0.02
	done
	truncate -s 5000 prog
	sed 's/^\(.*\) 1/#0  \1 in ?? ()/' raw >&5
	exec 5>&-
	rc=0
	wait $! || rc=$?
	[ $rc = 1 ]
	grep -q 'cut short while it was read' err
}

# libdw 0.188 uses a pointer here that it could not allocate.
@test "debug information for which there is no memory is status 4" {
	[ -z "${SANITIZED-}" ] || return 0
	cc -gdwarf-4 -gz -o prog -x c - <<<'int main(void) { return 0; }'
	cc -shared -fPIC -D_GNU_SOURCE -o shim.so "$BATS_TEST_DIRNAME/faults/shim.c"
	printf '0x%s 1\n' "$(nm prog | sed -n 's/ T main//p')" >raw
	kst-sym -l -e prog raw >good
	FAULT_ALLOC=0 FAULT_COUNT=n LD_PRELOAD="$PWD/shim.so" kst-sym -l -e prog raw
	for i in $(seq "$(cat n)"); do
		run --separate-stderr env FAULT_ALLOC="$i" LD_PRELOAD="$PWD/shim.so" \
			kst-sym -l -e prog raw
		[[ $status = 4 && $stderr = 'kst-sym: '* ]] ||
			[[ $status = 0 && $output = "$(cat good)" ]]
	done
}

# A preloaded library does what hostile input might make of a filter: some 120
# calls, each of which does nothing. Prints those that the system did not refuse.
hook() {
	local uid=0
	for uid in ${HOOK_UIDS-$(id -u)}; do
		rm -f new.svg cg.out
		HOOK_UID=$uid LD_PRELOAD="$PWD/hook.so" "$@" 2>&1 >/dev/null |
			sed -n 's/^hook: //p' >tried
		[ "$(wc -l <tried)" -gt 100 ] || echo "$*: few attempts"
		sed -n 's/: done$//p' tried
	done | sort -u
}

set_hook() {
	cc -shared -fPIC -D_GNU_SOURCE -o hook.so "$BATS_TEST_DIRNAME/faults/hook.c"
	printf 'hook;hostile 1\n' >in
	: >own
	chmod 777 .
	chmod 666 in own
	[ "$(id -u)" != 0 ] || HOOK_UIDS='0 65534'
	# a kernel without landlock or seccomp, as in some containers, refuses less
	grep -q '^Seccomp' /proc/self/status
}

@test "filters give up the rights that they do not need" {
	# A sanitizer's own library must be loaded first.
	[ -z "${SANITIZED-}" ] || return 0
	set_hook
	for c in clean fold json osv span btrace top svg 'svg -o new.svg' perf \
		console import 'export -f pprof' 'export -f callgrind -o cg.out'; do
		run hook kst-$c in
		[ "$output" = "" ] || { echo "$c: $output"; false; }
	done
	[ -s cg.out ] # of the last one
	[ ! -e hook.made ]
	run hook kst-diff in in
	[ "$output" = recvmsg ]
	# these read further files of debug information, symbols and programs
	run hook kst-sym -e "$B/kst-fold" in
	[ "$(xargs <<<"$output")" = \
		'ftruncate getdents64 memfd_create open open to read readlinkat' ]
	same=$output
	run hook kst-count -e in -- true
	[ "$output" = "$same" ]
	[ ! -e hook.made ]
	# without its rights given up, each attempt would get somewhere
	HOOK_UIDS=$(id -u)
	KST_NO_SANDBOX=1 hook kst-fold in >all
	[ "$(wc -l <all)" -gt 60 ]
	grep -qx 'TIOCSTI' all
	[ -e hook.made ]
}

# hostile VARIABLE=N: a stub at the socket `s`, see tests/stub.py.
hostile() {
	rm -f s
	env "$@" python3 "$BATS_TEST_DIRNAME/stub.py" qemu s "$(command -v kst-fold)" \
		401000 >stub.log 3>&- &
	until [ -S s ]; do sleep 0.02; done
	chmod 777 s
}

# What is left to kst-capture is what its watchdog needs, if another is started.
@test "kst-capture gives up its rights before it hears a guest" {
	[ -z "${SANITIZED-}" ] || return 0
	set_hook
	guards='ftruncate memfd_create setsid socketpair wait4' uids=${HOOK_UIDS-$(id -u)}
	for n in 0 1 3; do
		for HOOK_UIDS in $uids; do
			hostile HOSTILE=$n
			run hook kst-capture -b rsp -r s -n 3 -i 0 --timeout 60
			kill -9 $!
			echo "$n as $HOOK_UIDS: $output"
			[ "$(xargs <<<"$output")" = "$guards" ]
		done
	done
	rm s
	python3 -c 'import socket
import os
s = socket.socket(socket.AF_UNIX)
s.bind("s~")
s.listen()
os.rename("s~", "s")
while True: s.accept()[0].sendall(b"hook;hostile\n")' 3>&- &
	until [ -S s ]; do sleep 0.02; done
	chmod 777 s
	run hook kst-capture -r qmp:s -n 3 --timeout 60
	echo "qmp: $output"
	[ "$(xargs <<<"$output")" = \
		"${guards%setsid*}rmdir setsid socketpair unlink unlinkat wait4" ]
	kill $!
	# what gdb says
	hostile HOSTILE=-1
	printf '#!/bin/sh\necho "hook;hostile"; sleep 1\n' >gdb
	chmod 755 gdb
	run hook kst-capture --gdb ./gdb -r s -n 3 --timeout 60
	[ "$(xargs <<<"$output")" = "$guards" ]
	kill $!
	[ ! -e hook.made ]
}

@test "rights that cannot be given up are status 4, but where the system has no way" {
	[ -z "${SANITIZED-}" ] || return 0
	for call in landlock_create_ruleset landlock_add_rule \
		landlock_restrict_self seccomp; do
		for error in EIO ENOMEM E2BIG; do
			run -4 env -u KST_NO_SANDBOX strace -qqo /dev/null \
				-e inject=$call:error=$error kst-fold in
			[[ $output = "kst-fold: $call: "*'rights cannot be given up'* ]]
		done
	done
	for error in ENOSYS EPERM EOPNOTSUPP; do
		[ "$(strace -qqo /dev/null -e "inject=landlock_create_ruleset:error=$error" \
			kst-fold in)" = 'a;b 1' ]
	done
	for call in seccomp prctl landlock_restrict_self; do
		[ "$(strace -qqo /dev/null -e inject=$call:error=EPERM \
			kst-fold in)" = 'a;b 1' ]
	done
	run -4 strace -qqo /dev/null -P in -e inject=openat:error=EIO:when=1 kst-fold in
	[[ $output = *'kst-fold: in: Input/output error: rights'* ]]
	strace -qqo /dev/null -P in -e inject=openat:error=EACCES:when=1 kst-fold in &&
		false
	printf 'a;b 1\n' | strace -qqo log kst-fold
	grep -q '^seccomp' log
}

# What ends a filter leaves no file, and the other process ends, too.
@test "-o: what a filter may not do, another process does" {
	[ -z "${SANITIZED-}" ] || return 0
	kst-svg -o fg.svg in
	cp fg.svg keep
	mkfifo fifo
	for sig in TERM HUP KILL; do
		kst-svg -o fg.svg "$PWD/fifo" &
		until compgen -G '.kst-*' >/dev/null; do sleep 0.02; done
		grep -q '^Seccomp:.2' /proc/$!/status || sleep 0.2
		env kill -s $sig $!
		wait $! || true
		# that one ends after its last system call on a file
		for _ in $(seq 300); do
			compgen -G '.kst-*' >/dev/null ||
				pgrep -f "kst-svg -o fg.svg $PWD/fifo" || break
			sleep 0.1
		done
		run -1 compgen -G '.kst-*'
		run -1 pgrep -f "kst-svg -o fg.svg $PWD/fifo"
	done
	cmp fg.svg keep
	# it is awaited, so that nothing is left to whoever waits for all
	strace -f -qqo log kst-svg -o new.svg in
	# a call during which the other one runs takes a second line, `resumed`
	[ "$(grep -c 'exit_group(' log)" = 2 ]
	grep -q "^$(head -n1 log | cut -d' ' -f1) .*wait4.* = [0-9]" log
	run -4 strace -f -qqo /dev/null -e inject=rename:error=EIO \
		kst-svg -o fg.svg --title new in
	[[ $output = *'cannot write the output: Input/output error'* ]]
	run -4 strace -qqo /dev/null -e inject=clone:error=EAGAIN \
		kst-svg -o fg.svg --title new in
	cmp fg.svg keep
	run -1 compgen -G '.kst-*'
}

@test "a file for which no descriptor is left is not taken for a forbidden one" {
	[ -z "${SANITIZED-}" ] || return 0
	echo 'a 1' >in
	# the 3rd is the set of rules', where the system has them
	run env -u KST_NO_SANDBOX bash -c 'ulimit -n 4; exec kst-fold in' 3>&-
	[[ $status = 0 || ($status = 4 && $output = *'in: Too many open files'*) ]]
	[[ $output != *denied* ]]
}

# OpenBSD's calls, which print what they are called with, instead of a system.
@test "the rights that are kept on OpenBSD" {
	cat >bsd.h <<-'E'
		#include <stdio.h>
		#define pledge(p, e) ((void)(e), printf("pledge %s\n", (p)) < 0)
		#define unveil(p, m) printf("unveil %s %s\n", (p), (m))
	E
	cat >bsd.c <<-'E'
		#include "rights/rights.h"
		int main(int argc, char **argv)
		{
			char *const files[] = {(char *)"a", (char *)"b"};
			const struct rights r[] = {{.reads = files},
			    {.reads = files, .n_reads = 2},
			    {.reads = rights_all, .n_reads = 1,
				.also = RIGHTS_RUN},
			    {.removes = "d", .also = RIGHTS_GUARD, .child = 7},
			    {.also = RIGHTS_PEER}};
			for (int i = 1; i < argc; i++)
				rights_keep(&r[argv[i][0] - '0']);
		}
	E
	local common=$BATS_TEST_DIRNAME/../common
	# Sources alone: an object of a sanitizer build needs its runtime.
	cc -std=c11 -Wall -Wextra -Werror -U__linux__ -D__OpenBSD__ -include bsd.h \
		-D_GNU_SOURCE -I"$common" -o bsd bsd.c "$common/rights/rights.c" \
		"$common"/base/*.c
	cat >want <<-'E'
		pledge stdio tty
		unveil a r
		unveil b r
		pledge stdio tty rpath
		unveil / rx
		pledge stdio tty rpath proc exec sendfd
		unveil d rc
		pledge stdio tty cpath proc
		pledge stdio tty proc
		pledge stdio tty rpath
	E
	# files are named before the first pledge alone
	for a in 0 1 2 3 '4 1'; do
		env -u KST_NO_SANDBOX ./bsd $a
	done | diff want -
}
