# SPDX-License-Identifier: ISC

golden=$BATS_TEST_DIRNAME/golden

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# Many stacks from a fixed seed, as trace text of 4 CPUs.
generate() {
	awk -v seed="$1" -v captures="$2" 'BEGIN { srand(seed)
		for (k = 0; k < captures; k++) {
			printf "[kst-capture seq=%d time=%d.%09d]\n", k + 1, 1000 + k / 10, k % 10 * 1e8
			for (c = 3; c >= 0; c--) {
				printf "Thread %d (Thread 1.%d (CPU#%d [%s])):\n", c + 1, c + 1, c, rand() < .8 ? "running" : "halted "
				n = 1 + int(rand() * 6)
				for (i = 0; i < n; i++)
					printf "#%-2d 0x%016x in f%d (...)\n", i, i, int(rand() * 4)
			} } }'
}

@test "the output is sorted bytewise and the total is the number of stacks" {
	generate 1 2000 >in
	kst-fold --no-trailer in >out
	LC_ALL=C sort -c out
	[ "$(awk '{ s += $NF } END { print s }' out)" = 8000 ]
	[ "$(wc -l <out)" -gt 100 ]
}

@test "names that begin alike are sorted bytewise too" {
	printf '%s\n' 'a;b 1' 'a 10' 'a b 1' 'a;b c 2' 'a.b;c 1' 'a;b;c 3' \
		'a (x) 3' 'a;b 4' '7' >in
	kst-fold in >out
	LC_ALL=C sort -c out
	grep -qx 'a;b 5' out
}

@test "names of few bytes, before and after the semicolon, are sorted bytewise" {
	awk 'function name(  s, n) {
			for (n = int(rand() * 5); n >= 0; n--)
				s = s substr("a!9:<z", int(rand() * 6) + 1, 1)
			return s }
		BEGIN { srand(5); for (i = 0; i < 5000; i++) {
			s = name()
			for (n = int(rand() * 4); n > 0; n--) s = s ";" name()
			if (!(s in seen)) print s, ++seen[s] } }' >in
	kst-fold <in | cmp - <(LC_ALL=C sort in)
}

@test "a sorted file is added up without holding it, a pipe gives the same" {
	awk 'BEGIN { for (i = 0; i < 100000; i++) {
		s = sprintf("main;f%06d;g;h%d", i, i % 7)
		print s, 3; print s, 4; print s "x", 1 } }' >in
	echo '# kst unit=ns' >>in
	( [ "${SANITIZED-}" ] || ulimit -v 20000
	  kst-fold -v in >out 2>said )
	kst-fold -v <in 2>&1 >piped | cmp - said
	cmp out piped
	grep -v '^#kst:' out | LC_ALL=C sort -c
	grep -qx 'main;f099999;g;h4 7' out
	[ "$(wc -l <out)" = 200001 ]
}

@test "a file that is sorted but for its names or its end is added up too" {
	for last in 'main;b 1' 'main;c; d 1' 'main;c;;e 1' 'main;c;#e 1' \
		'main;c 5 1' 'main;c x 1' 'main;c 1;x 1'; do
		printf '%s\n' 'main;a 1' 'main;b 2' 'main;c 3' "$last" >in
		kst-fold in >out
		kst-fold <in | cmp - out
	done
	printf '%s\n' 'main;a 1 2' 'main;b 1 2' >in
	kst-fold in | cmp - in
}

# The watcher sees kst-fold close the file after its first reading.
@test "a sorted file that grows between two readings is taken as it was" {
	awk 'BEGIN { for (i = 0; i < 600000; i++) printf "main;f%06d;g 1\n", i }' >in
	cat >grow.py <<'E'
import ctypes, os, struct, subprocess
libc = ctypes.CDLL(None)
watch = libc.inotify_init()
CLOSE_NOWRITE = 0x10
libc.inotify_add_watch(watch, b"in", CLOSE_NOWRITE)
fold = subprocess.Popen(["kst-fold", "--no-trailer", "in"], stdout=open("out", "w"))
for closed in range(2):
    os.read(watch, 16)
with open("in", "ab", buffering=0) as f:
    f.write(b"a;b 1\nmain;f000000;g 1\n")
raise SystemExit(fold.wait())
E
	cp in want
	python3 grow.py
	[ "$(wc -l <in)" = 600002 ]
	cmp out want
}

@test "the sum of parts is the sum of the whole, in any order" {
	generate 2 500 >a
	generate 3 500 >b
	cat a b | kst-fold >whole
	kst-fold a >fa
	kst-fold b >fb
	kst-fold fa fb | cmp - whole
	kst-fold fb fa | cmp - whole
	kst-fold a b | cmp - whole
	kst-fold whole | cmp - whole
}

@test "what the CPUs have is what all have" {
	generate 4 300 >in
	for c in 0 1 2 3; do
		kst-fold --no-trailer --cpus $c in
	done | kst-fold >sum
	kst-fold --no-trailer in | cmp - sum
	kst-fold --cpus 0x5 in >mask
	kst-fold --cpus 0,2 in | cmp - mask
	kst-fold --cpu-mask 5 in | cmp - mask
	kst-fold --no-trailer --cpus all in | cmp - sum
	for s in running halted; do
		kst-fold --no-trailer --state $s in
	done | kst-fold | cmp - sum
}

@test "from and to divide the captures" {
	generate 5 100 >in
	kst-fold in >whole
	{ kst-fold --to 40 in; kst-fold --from 41 in; } | kst-fold | cmp - whole
	kst-fold --from 1s --to 1.95s in >seconds
	kst-fold --from 11 --to 20 in | cmp - seconds
}

@test "a merge of 50,000 stacks is exact" {
	awk 'BEGIN { for (i = 0; i < 50000; i++)
		printf "r;a%d;b%d;c%d %d\n", i % 50, i % 1000, i, i }' >in
	kst-fold in in in >out
	[ "$(wc -l <out)" = 50000 ]
	[ "$(awk '{ s += $2 } END { printf "%.0f", s }' out)" = 3749925000 ]
}

@test "memory follows the different stacks, not the input" {
	[ -z "${SANITIZED:-}" ] || return 0
	generate 6 2000 >one
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		cat one
	done >many
	/usr/bin/time -f %M -o mem kst-fold many >/dev/null
	[ "$(cat mem)" -lt 16384 ]
}

@test "threads with the same name in quotes do not pass for CPUs" {
	printf 'Thread 1 (Thread 0x7f (LWP 5) "CPU#3"):\n#0  f ()\n' >in
	run kst-fold --no-trailer --by cpu --cpus all in
	[ "$output" = 'CPU#3;f 1' ]
	run kst-fold --cpus 3 in
	echo "$output" | grep -q '1 stacks without a CPU'
}

@test "head closes the pipe quietly, a full disk does not" {
	generate 7 2000 >in
	kst-fold in 2>err | head -n 1
	[ ! -s err ]
	rc=0
	kst-fold in >/dev/full 2>err || rc=$?
	[ $rc = 4 ]
	grep -q '^kst-fold: cannot write the output' err
}

@test "captures of very many threads are told apart" {
	awk 'BEGIN { for (k = 0; k < 3; k++)
		for (i = 0; i < 150000; i++)
			printf "Thread %d (Thread 0x7f%08x (LWP %d)):\n#0  f%d ()\n", i, i, i, k }' >in
	kst-fold -v in 2>err
	grep -q '^kst-fold: 3 captures, 450000 stacks counted' err
	[ "$(kst-fold --no-trailer --from 2 --to 2 in)" = 'f1 150000' ]
}

@test "odd bytes, long lines, no final newline, missing files and folders" {
	{
		printf '#0  a\0b ()\r\n#1  \377\376 ()\n#2  '
		head -c 1048576 /dev/zero | tr '\0' x
		printf ' ()\r\n#3  root ()'
	} >in
	kst-fold --no-trailer in >out
	[ "$(cut -c1-8 out)" = 'root;xxx' ]
	[ "$(tail -c 10 out | od -An -c | tr -d ' ')" = ';377376;a?b1\n' ]
	kst-fold --no-trailer - <in | cmp - out
	kst-fold </dev/null >empty 2>err
	[ ! -s empty ]
	[ ! -s err ]
	run kst-fold --no-trailer . in nosuch in
	[ "$status" = 1 ]
	[ "${lines[0]}" = 'kst-fold: .: Is a directory' ]
	[ "${lines[1]}" = 'kst-fold: nosuch: No such file or directory' ]
	[ "${lines[2]: -2}" = ' 2' ]
}

@test "counts of ten thousand digits are said, not cut" {
	digits=$(head -c 10000 /dev/zero | tr '\0' 9)
	printf 'a;b %s\nc 000%s1\nd 0.%s\n' "$digits" "$(echo "$digits" | tr 9 0)" \
		"$digits" >in
	run kst-fold in
	[ "$status" = 1 ]
	[ "${#lines[0]}" -lt 400 ]
	echo "${lines[0]}" | grep -q "^kst-fold: in:1: not a folded stack: 'a;b 999"
	[ "${lines[1]}" = 'c 1' ]
	[ "${lines[2]}" = 'd 0.999999999999999999' ]
}

@test "folded with time and merged is folded without" {
	generate 7 400 >in
	kst-fold --no-trailer in >whole
	for by in time=100ms time=1s time=7us time=40 time; do
		kst-fold --no-trailer --by $by in >when
		sed 's/^\[[0-9.]*s\];//' when | kst-fold --no-trailer |
			cmp - whole
		LC_ALL=C sort -c when
		kst-fold --no-trailer --by $by,cpu,state in |
			sed -E 's/^([^;]*;){3}//' | kst-fold --no-trailer |
			cmp - whole
	done
	# 40 s in pieces of 200 ms; of a pipe, in seconds
	[ "$(kst-fold --by time <in | cut -d';' -f1 | sort -u | grep -c s])" = 200 ]
	[ "$(cat in | kst-fold --by time | cut -d';' -f1 | sort -u | grep -c s])" = 40 ]
	# with CPUs, up to 1000 captures have a piece each, however they lie
	awk '/^\[/ { printf "[kst-capture time=%d.%06d]\n", 1000 + n / 10,
		n % 10 * 1e5 + n++ * 7919 % 80000; next } { print }' in >uneven
	for f in in uneven; do
		kst-fold --by time,cpu --no-trailer $f >when
		[ "$(cut -d';' -f1 when | sort -u | wc -l)" = 400 ]
		awk '{ n[$1 $2]++ } END { for (i in n) exit n[i] > 1 }' FS=';' when
	done
	generate 7 1001 >many
	[ "$(kst-fold --by time,cpu many | cut -d';' -f1 | sort -u | grep -c s])" -le 201 ]
	# the standard input is read from where it stands
	{ head -c 0; kst-fold --by time; } <in | cmp - <(kst-fold --by time in)
}

@test "the length of pieces counts the captures at the end of whole blocks, too" {
	capture() { printf '[kst-capture seq=%d time=%d.000]\n#0  f ()\n' $1 $2; }
	last=$(capture 4 6000)
	{
		capture 1 1000
		capture 2 1001
		capture 3 1002
		yes 'another line'
	} 2>/dev/null | head -c $((262144 - ${#last} - 1)) >in
	printf '\n%s' "$last" >>in
	[ "$(stat -c %s in)" = 262144 ]
	kst-fold --by time in >out
	grep -q piece=2000 out
	echo >>in
	kst-fold --by time in | cmp - out
}

@test "a flame chart has each stack as long as it lasted" {
	generate 8 300 >in
	kst-fold --order time --no-trailer in >chart
	# the time of a stack is its samples' times 100 ms
	kst-fold --by cpu --no-trailer in |
		awk '{ $NF = $NF * 100000000; print }' OFS=' ' OFMT=%d \
			CONVFMT=%d >want
	kst-fold --no-trailer chart | cmp - want
	# the captures of each CPU come back out of it
	for c in 0 1 2 3; do
		awk -v c=$c '!/^#/ && s { print s; s = "" }
			/^Thread/ { on = index($0, "CPU#" c " ") }
			/^#/ && on { s = $1 == "#0" ? $4 : $4 ";" s }
			END { if (s) print s }' in >stacks
		awk -v c=$c 'sub("^CPU#" c ";", "") { n = $2 / 100000000
			while (n-- > 0) print $1 }' chart | cmp - stacks
	done
}

# thrice OPTION FILE...: the files once, counted three times, are the files three times.
thrice() {
	kst-fold --no-trailer --shape trace $1 "${@:2}" >one 2>/dev/null || true
	kst-fold one one one >want 2>/dev/null || true
	kst-fold --no-trailer --shape trace $1 "${@:2}" "${@:2}" "${@:2}" \
		>three 2>/dev/null || true
	kst-fold --no-trailer three >got 2>/dev/null || true
	cmp want got
}

@test "stacks that come again: as often as they are there" {
	for f in "$golden"/kst-fold/*.in "$golden"/kst-clean/*.in; do
		thrice '' "$f"
	done
	for o in --mark-truncated --merge-unknown; do
		thrice $o "$golden"/kst-fold/*.in "$golden"/kst-clean/*.in
		[ "$(wc -l <got)" -gt 50 ]
	done
}

# For the time of each, what followed was looked through, up to 256 KiB: 13 s.
@test "one line full of beginnings of captures" {
	yes '[kst-capture ' | tr -d '\n' | head -c 1000000 >in
	(ulimit -t 5; kst-fold --by time in 2>err) || rc=$?
	cat err
	[ "$rc" = 1 ]
	grep -q ': no stacks found' err
}
