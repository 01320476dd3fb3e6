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
	! summary kst-fold --shape folded f || false
	grep -q ' status=1 .* faults=5 line=2 what="[^"]*\\\\\\"c[^"]*"$' line
	printf '{"stack_traces":[x' >j
	! summary kst-json j || false
	grep -q ' line=0 what="byte [0-9]*: ' line
	# a file that is missing has no line
	! summary kst-fold f.missing || false
	grep -q ' faults=0 line=0 what="f.missing: No such file or directory"$' line
	# the longest message fits
	{
		printf 'a 1\n'
		head -c 5000 /dev/zero | tr '\0' '"'
	} >f
	! summary kst-fold --shape folded f || false
	[ "$(wc -l <line)" = 1 ]
	[ "$(wc -c <line)" -lt 4096 ]
}

@test "no memory: status 4, and the line says it" {
	[ -z "${SANITIZED-}" ] || return 0
	rc=0
	awk 'BEGIN { for (i = 0; i < 300000; i++) print "a;b" i ";" rand() " 1" }' >f
	(ulimit -v 30000 && summary kst-fold f) || rc=$?
	[ $rc = 4 ]
	grep -q ' status=4 .*what="out of memory' line
}

@test "--each: operands on their own, and a line for each of them" {
	cp t 'a b'
	sed 's/main/idle/' t >u
	printf 'a;b 1\nx\n' >v
	mkdir out
	for c in kst-clean kst-fold "kst-sym -e $B/kst-fold"; do
		rc=0
		$c --each out/%.x --summary-fd 9 'a b' missing v u 9>line >out.txt 2>err || rc=$?
		[ $rc = 1 ]
		[ ! -s out.txt ]
		[ ! -e out/missing.x ]
		for f in 'a b' v u; do
			$c <"$f" 2>/dev/null | cmp - "out/$f.x"
			rm "out/$f.x"
		done
		[ -z "$(ls -A out)" ]
		cut -d' ' -f1-2 line >got
		printf "command=${c%% *} status=%s\n" 0 1 1 0 | cmp - got
		grep -q ' faults=0 .*what="missing: No such' line
		grep -q ' lines=2 .* faults=1 line=2 ' line
		grep -q ' lines=3 .* faults=0 line=0 what=""' line
	done
	# what was there is replaced; an input is not
	echo old >t.x
	kst-fold --each %.x t
	kst-fold t | cmp - t.x
	run kst-fold --each % t
	[ "$status" = 2 ]
	[[ $output = *'is one of the inputs'* ]]
	for e in .in '' %%; do
		run kst-fold --each "$e" t
		[ "$status" = 2 ]
	done
	run kst-fold --each %.x
	[ "$status" = 2 ]
}

@test "--each: no other file can be opened, and none be written" {
	[ -z "${SANITIZED-}" ] || return 0
	strace -f -o trace kst-fold --each %.x t t
	# one process opens outputs; the other one has given up its rights
	reads=$(grep 'openat.*"t"' trace | head -n 1 | cut -d' ' -f1)
	writes=$(grep 'openat.*O_CREAT' trace | head -n 1 | cut -d' ' -f1)
	[ -n "$reads" ]
	[ -n "$writes" ]
	[ "$reads" != "$writes" ]
	! grep "^$reads .*O_CREAT" trace || false
	grep -q "^$reads .*seccomp(SECCOMP_SET_MODE_FILTER" trace
}

@test "--each-fd: files come through a socket, with a number of bytes" {
	cat >feed.py <<'END'
import os, socket, struct, subprocess, sys
ours, theirs = socket.socketpair()
p = subprocess.Popen([sys.argv[1], '--each-fd', str(theirs.fileno())],
                     pass_fds=[theirs.fileno()])
theirs.close()
def give(path, at, most):
    i = os.open(path, os.O_RDONLY)
    os.lseek(i, at, os.SEEK_SET)
    o = os.open('out', os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for fd in i, o:
        socket.send_fds(ours, [struct.pack('Q', most)], [fd])
        os.close(fd)
    print(ours.recv(4096).decode().split(' lines=')[0], open('out').read(), end='')
give('f', 0, 2 ** 64 - 1)
give('f', 6, 6)
give('g', 0, 2 ** 64 - 1)
ours.close()
print()
sys.exit(p.wait())
END
	printf 'a;b 1\na;c 2\na;d 3\n' >f
	echo x >g
	rc=0
	python3 feed.py kst-fold >got 2>err || rc=$?
	[ $rc = 1 ]
	cmp got - <<'END'
command=kst-fold status=0 bytes=18 a;b 1
a;c 2
a;d 3
command=kst-fold status=0 bytes=6 a;c 2
command=kst-fold status=1 bytes=2 
END
}

@test "a descriptor that is not open, or a wrong number, is wrong usage" {
	for n in 77 x 0 -1 99999999999; do
		run kst-fold --summary-fd $n t
		[ "$status" = 2 ]
	done
}
