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
	printf '#0  0x1 in a ()\n' >trace
	printf 'a;c 1\nno count\n' >damaged
	run -1 kst-svg -o p.svg typo
	[[ $output = *'p.svg was not replaced' ]]
	run -1 bash -c 'kst-fold typo 2>/dev/null | kst-svg -o p.svg'
	run -1 kst-svg -o p.svg trace
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
	run -4 strace -qqo /dev/null -P long \
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
	[[ $output = *'half: the file is cut: parts of it are missing'* ]]
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

# A preloaded library does what hostile input might make of a filter.
@test "filters give up the rights that they do not need" {
	# A sanitizer's own library must be loaded first.
	[ -z "${SANITIZED-}" ] || return 0
	cc -shared -fPIC -D_GNU_SOURCE -o hook.so "$BATS_TEST_DIRNAME/faults/hook.c"
	printf 'hook;hostile 1\n' >in
	mkdir tmp empty
	export TMPDIR=$PWD/tmp
	hook() {
		rm -f hook.made
		LD_PRELOAD="$PWD/hook.so" "$@" in 2>&1 >/dev/null | grep '^hook: '
	}
	printf 'hook: %s\n' 'read: refused' 'write: refused' 'socket: refused' \
		'run: refused' >want
	for c in clean fold json osv span btrace top svg 'svg -o ../tmp/new.svg'; do
		(cd empty && cp ../in ../hook.so . && hook kst-$c) | cmp - want
	done
	# these read further files of debug information, symbols and programs
	sed -i 's/read: refused/read: done/' want
	hook kst-sym -e "$B/kst-fold" | cmp - want
	sed -i 's/run: refused/run: done/' want
	hook kst-diff in | cmp - want
	sed -i 's/refused/done/' want
	KST_NO_SANDBOX=1 hook kst-fold | cmp - want
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
		#define pledge(p, e) ((void)(e), printf("pledge %s\n", (p)))
		#define unveil(p, m) printf("unveil %s %s\n", (p), (m))
	E
	cat >bsd.c <<-'E'
		#include "io/rights.h"
		int main(void)
		{
			char *const files[] = {(char *)"a", (char *)"b"};
			rights_files(files, 0);
			rights_files(files, 2);
			rights_keep(&(struct rights){
			    .reads = rights_all, .n_reads = 1, .runs = true});
			rights_keep(&(struct rights){
			    .reads = files, .n_reads = 1, .dirs = {"d"}});
		}
	E
	cc -std=c11 -Wall -Wextra -Werror -U__linux__ -D__OpenBSD__ -include bsd.h \
		-I"$BATS_TEST_DIRNAME/../common" -o bsd bsd.c \
		"$BATS_TEST_DIRNAME/../common/io/rights.c"
	cat >want <<-'E'
		pledge stdio tty
		unveil a r
		unveil b r
		pledge stdio rpath tty
		unveil / rx
		pledge stdio rpath tty proc exec
		unveil a r
		unveil d rwc
		pledge stdio rpath tty wpath cpath
	E
	env -u KST_NO_SANDBOX ./bsd | diff want -
}
