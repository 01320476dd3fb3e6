# SPDX-License-Identifier: ISC
# kst-uftrace against data of uftrace itself, and on made data of all kinds.

bats_require_minimum_version 1.5.0

setup_file() {
	cc -O2 -o "$BATS_FILE_TMPDIR/uftgen" "$BATS_TEST_DIRNAME/bench/uftgen.c"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	root=$BATS_TEST_DIRNAME
	PATH=$PATH:$BATS_FILE_TMPDIR
}

# A program with recursion, threads, a library's callback and a fork.
program() {
	cat >prog.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int leaf(int n) { return n * 3; }
int rec(int n) { return n ? rec(n - 1) + leaf(n) : 0; }
int text(int n, const char *s) { return n + s[0]; }
double mix(double d, float f, char c) { return d * f + c; }
int minus(int n, long l) { return n - (l != 0); }
long double longer(long double d) { return d * -d; }
int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
void *thread(void *p)
{
	for (int i = 0; i < 20; i++)
		rec(i);
	return p;
}
int child(void) { return rec(5); }
int main(int argc, char **argv)
{
	pthread_t t[2];
	int v[40];
	for (int i = 0; i < 40; i++)
		v[i] = (i * 7919) % 101;
	qsort(v, 40, sizeof *v, compare);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 9; i++)
		text(i, "hello, world" + i);
	mix(1.5, 2.5, 'x');
	minus(-1, 70000000000);
	longer(1.5L);
	if (argc > 1) {
		if (fork() == 0) {
			child();
			_exit(0);
		}
		wait(NULL);
	}
	return 0;
}
END
	cc -O0 -g "$@" -o prog prog.c -lpthread
}

# Rows of `uftrace report` as `TOTAL SELF CALLS NAME`, as it rounds them.
reported() {
	# shellcheck disable=SC2086
	uftrace report -d "$1" ${2-} | sed -n '3,$p' |
		awk 'NF {
	row = $1 $2 " " $3 $4
	for (i = 5; i <= NF; i++)
		row = row " " $i
	print row
}' | sort
}
# The same out of kst-span.
summed() {
	# shellcheck disable=SC2086
	kst-uftrace "$1" | kst-span --summary --csv ${2-} 2>/dev/null |
		awk -F, 'function unit(ns,    u) {
	u = "us"
	ns /= 1000
	if (ns >= 1000) { ns /= 1000; u = "ms" }
	if (ns >= 1000) { ns /= 1000; u = "s" }
	return sprintf("%.3f%s", int(ns * 1000 + 0.0001) / 1000, u)
}
NR > 1 { print unit($3), unit($4), $1, $10 }' | sort
}

# uftrace dump cuts a number that is longer than the stack's text: `main 16066`
# becomes `main 1606`.
as_uftrace_prints() {
	awk '{
		n = $NF
		stack = substr($0, 1, length($0) - length(n) - 1)
		print stack " " substr(n, 1, length(stack))
	}'
}

# agrees DIR [SED]: totals, but for what sed makes equal, and folded output are
# uftrace's own.
agrees() {
	reported "$1" | sed -E "${2-}" >want && [ "$(wc -l <want)" -ge 8 ]
	summed "$1" | sed -E "${2-}" >got
	diff want got
	uftrace dump -d "$1" --flame-graph --sample-time=1 | sort >want
	kst-uftrace "$1" | kst-span --no-trailer 2>/dev/null | as_uftrace_prints >got
	[ "$(wc -l <want)" -ge 10 ]
	diff want got
}

@test "agrees with uftrace on a program built with -pg" {
	program -pg
	uftrace record --no-event -d data ./prog
	agrees data
}

@test "filters of functions and durations agree with uftrace's" {
	program -pg
	uftrace record --no-event -d data ./prog
	for of in '-F ^rec$:--filter ^rec$' '-N ^rec$:--notrace ^rec$' \
		'-F ^thread$ -N ^leaf$:--filter ^thread$ --notrace ^leaf$' \
		'-t 2us:--min 2us' '-F ^main$ -t 1us:--filter ^main$ --min 1us'; do
		reported data "${of%%:*}" >want
		summed data "${of#*:}" >got
		[ -s want ]
		diff want got
	done
	# a chart, merged and without its gaps, is the graph
	kst-uftrace data >events
	kst-span --chart events | kst-fold --no-trailer | grep ';' >got
	kst-span --by track --no-trailer events | diff - got
}

# at N: the time of the N-th event, in seconds.
at() {
	sed -n "$1p" events | awk '{
		printf "%s.%s\n", substr($1, 1, length($1) - 9),
			substr($1, length($1) - 8)
	}'
}

@test "a range of time: the records that uftrace dumps" {
	program -pg
	uftrace record --no-event -d data ./prog
	kst-uftrace data >events
	n=$(wc -l <events)
	for p in '1 9' '3 50' '20 40' '50 99' '99 100'; do
		since=$(at $((n * ${p% *} / 100 + 1)))
		until=$(at $((n * ${p#* } / 100)))
		uftrace dump -d data -r "$since~$until" |
			sed -n -E 's/^([0-9]+)\.([0-9]+) +([0-9]+): \[e(.).*\] ([^(]*)\(.*/\1\2 \3 \4 \5/p' |
			sort >want
		[ -s want ]
		# the end is outside of kst's ranges
		kst-uftrace --since "$since" --until "$until" data >part
		kst-uftrace --since "$until" --period 1 data >>part
		grep -v '~$' part | awk -F '[\t/]' '{
			print $1, $3, $4 == "B" ? "n" : "x", $5 }' |
			sort >got
		diff want got
	done
}

# Which of two tracks that are open at its beginning is first, a range tells not.
by_track() {
	sort -s -t ';' -k 1,1
}

@test "a range of time: as if kst-span had taken it of all" {
	program -pg
	uftrace record --auto-args -d data ./prog fork
	kst-uftrace data >events 2>err
	n=$(wc -l <events)
	for p in '1 9' '3 50' '20 40' '50 99' '99 100'; do
		since=$(at $((n * ${p% *} / 100 + 1)))
		until=$(at $((n * ${p#* } / 100)))
		for mode in '--by track' --chart '--calls --by track'; do
			# shellcheck disable=SC2086
			kst-span $mode --since "$since" --until "$until" \
				--no-trailer events 2>err | by_track >want
			# shellcheck disable=SC2086
			kst-uftrace --since "$since" --until "$until" data |
				kst-span $mode --no-trailer 2>err | by_track >got
			[ -s want ]
			diff want got
		done
	done
	# after the first event, both ways, and what is outside
	kst-uftrace --since +0 data | cmp - events
	kst-uftrace --until +1h data | cmp - events
	run kst-uftrace --since +1h data
	[ "$status" = 0 ]
	[ -z "$output" ]
	run kst-uftrace --until 1ns data
	[ "$status" = 0 ]
	[ -z "$output" ]
	run kst-uftrace --period 1s data
	[ "$status" = 2 ]
}

@test "agrees with uftrace on a program built with -finstrument-functions" {
	program -finstrument-functions
	uftrace record --no-event -d data ./prog
	agrees data
}

@test "agrees with uftrace on a program linked to fixed addresses" {
	program -pg -no-pie
	uftrace record --no-event -d data ./prog
	agrees data
}

@test "agrees with uftrace on a program that forks" {
	program -pg
	uftrace record --no-event -d data ./prog fork
	kst-uftrace data >events
	# The child begins with the end of a fork() that it never called. Its
	# graph tells the stack, its reports do not.
	grep -v -P '\t~$' events >plain
	kst-uftrace() { cat plain; }
	agrees data '/ <0>$/d; s/[0-9]+ fork$/N fork/'
	kst-span --calls --by track events 2>/dev/null |
		grep -c -E '^prog/[0-9]+;main;child;rec 1$'
	uftrace graph -d data | sed -n '/) main/,$p' | grep ') child'
}

@test "a forked child is in the functions that its parent was in" {
	cat >prog.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
int work(int n) { return n + 1; }
int child(int n)
{
	if (n && fork() == 0)
		_exit(child(n - 1));
	wait(NULL);
	return work(n);
}
int around(int i)
{
	if (fork() == 0) {
		child(i);
		return 1;
	}
	return 0;
}
int main(void)
{
	for (int i = 0; i < 3; i++)
		if (around(i))
			return work(9);
	while (wait(NULL) > 0)
		;
	return 0;
}
END
	cc -O0 -g -pg -o prog prog.c
	uftrace record --no-event -d data ./prog
	kst-uftrace data | kst-span --calls --no-trailer >got 2>/dev/null
	grep -v -E ';(wait|_exit)|^__' got >calls
	diff calls - <<'END'
main 7
main;around 9
main;around;child 6
main;around;child;child 3
main;around;child;child;child 1
main;around;child;child;child;work 1
main;around;child;child;fork 2
main;around;child;child;work 2
main;around;child;fork 4
main;around;child;work 3
main;around;fork 6
main;work 3
END
}

@test "a longjmp ends the calls that it leaves" {
	cat >prog.c <<'END'
#include <setjmp.h>
static jmp_buf env;
int after(int n) { return n + 1; }
void deep(int n)
{
	if (n == 0)
		longjmp(env, 1);
	deep(n - 1);
}
int try(int n)
{
	if (setjmp(env) == 0)
		deep(n);
	return after(n);
}
int main(void)
{
	for (int i = 0; i < 3; i++)
		try(i);
	after(9);
	return 0;
}
END
	cc -O0 -pg -o prog prog.c
	uftrace record --no-event -d data ./prog
	kst-uftrace data | kst-span --calls --no-trailer >got 2>err
	[ ! -s err ]
	grep ^main got >calls
	diff calls - <<'END'
main 1
main;after 1
main;try 3
main;try;_setjmp 3
main;try;after 3
main;try;deep 3
main;try;deep;deep 2
main;try;deep;deep;deep 1
main;try;deep;deep;deep;longjmp 1
main;try;deep;deep;longjmp 1
main;try;deep;longjmp 1
END
}

@test "a longjmp to the caller's caller, again and again" {
	cat >prog.c <<'END'
#include <setjmp.h>
static jmp_buf env;
void leave(void) { longjmp(env, 1); }
void middle(void) { leave(); }
int again(void)
{
	volatile int n = 0;
	setjmp(env);
	if (n++ < 20)
		middle();
	return n;
}
int main(void) { return again() + again() == 0; }
END
	cc -O0 -pg -o prog prog.c
	uftrace record --no-event -d data ./prog
	kst-uftrace data | kst-span --calls --no-trailer >got 2>err
	[ ! -s err ]
	grep ^main got >calls
	diff calls - <<'END'
main 1
main;again 2
main;again;_setjmp 2
main;again;middle 40
main;again;middle;leave 40
main;again;middle;leave;longjmp 40
END
}

@test "a perl program of many die is no tower of longjmp" {
	cat >p.pl <<'END'
for my $i (1 .. 55) { eval { die "x" } }
END
	uftrace record --no-event --force -d data perl p.pl
	kst-uftrace data | kst-span --calls --no-trailer >got 2>/dev/null
	grep -x -E '__longjmp_chk 5[0-9]' got
	run ! grep 'longjmp.*;' got
}

@test "a program that was run by execl() is not below it" {
	cat >prog.c <<'END'
#include <unistd.h>
int work(int n) { return n + 1; }
int run(char *me) { return execl(me, me, "again", (char *)NULL); }
int main(int argc, char **argv)
{
	work(argc);
	return argc > 1 ? 0 : run(argv[0]);
}
END
	cc -O0 -pg -o prog prog.c
	uftrace record --no-event -d data ./prog
	kst-uftrace data | kst-span --calls --no-trailer >got 2>err
	[ ! -s err ]
	grep ^main got >calls
	diff calls - <<'END'
main 2
main;run 1
main;run;execl 1
main;work 2
END
	# of a range that begins in it, too
	kst-uftrace data >events
	n=$(grep -n -m 1 'execl$' events)
	kst-uftrace --since "$(at $((${n%%:*} + 1)))" data |
		kst-span --calls --no-trailer >got
	grep -x 'main;run;execl 1' got
	grep -x 'main;work 1' got
}

@test "skips arguments and results, by debug information and by lists" {
	program -pg
	uftrace record --no-event --auto-args -d data ./prog
	grep -q '^A: @arg1,arg2/s' data/prog.dbg
	kst-uftrace data >events 2>err
	[ ! -s err ]
	kst-span --list events | cut -f 5 >list
	[ "$(grep -cxF 'text()' list)" = 9 ]
	[ "$(grep -cxE '(minus|longer|mix|qsort)\(\)' list)" = 4 ]
	agrees data
	uftrace record --no-event -A 'te.t@arg1,arg2/s' -R text@retval \
		-A mix@fparg1/64,fparg2/32 -d data2 ./prog
	kst-uftrace data2 >events 2>err
	[ ! -s err ]
	[ "$(kst-span --list events | cut -f 5 | grep -cxF 'text()')" = 9 ]
	agrees data2
}

@test "searches for the next record where the layout is not known" {
	program -pg
	uftrace record --no-event --auto-args -d data ./prog
	rm data/*.dbg
	sed -i -E '/^(argauto|retauto):/d' data/info
	run -1 kst-uftrace data
	kst-uftrace data 2>err >events || true
	grep -q 'payload of unknown layout' err
	kst-span --calls events 2>/dev/null >got
	uftrace record --no-event -d data2 ./prog
	kst-uftrace data2 | kst-span --calls 2>/dev/null >want
	diff want got
}

@test "events of uftrace's own, and of perf, do not derail it" {
	program -pg
	uftrace record -d data -T text@read=proc/statm \
		-T leaf@read=page-fault ./prog
	kst-uftrace data >events 2>err
	[ ! -s err ]
	grep -q -P '\tI\tread:proc/statm$' events
	grep -q -P '\tI\tdiff:page-fault$' events
	kst-span --calls --no-trailer events | grep -v : >got
	uftrace record --no-event -d data2 ./prog
	kst-uftrace data2 | kst-span --calls --no-trailer >want
	diff want got
}

# make_data DIR ENDIAN VERSION: an info file and two CPUs; records from stdin,
# `CPU TIME TYPE MORE DEPTH ADDR [PAYLOAD]`, one a line.
make_data() {
	mkdir -p "$1"
	printf '%s\n' 'SESS timestamp=0.0 pid=100 sid=0 exename="cpu0 Ring0"' \
		'TASK timestamp=0.0 tid=100 pid=100' \
		'SESS timestamp=0.0 pid=200 sid=0 exename="cpu0 Ring3"' \
		'TASK timestamp=0.0 tid=200 pid=200' >"$1/task.txt"
	printf '%s\n' '# map' \
		'ffffffffffff-ffffffffffff rw-p 00000000 00:00 0 [stack]' \
		'000000000000-ffff81000300 r--p 00000000 00:00 0 /b/kernel' \
		>"$1/sid-0.map"
	printf '%s\n' 'ffff81000000 000000000100 T first' \
		'ffff81000100 000000000100 T second;x' \
		'ffff81000200 000000000040 T third' >"$1/kernel.sym"
	perl -e '
		my ($dir, $endian, $version) = @ARGV;
		my $e = $endian eq "big" ? ">" : "<";
		my %dat = (100 => "", 200 => "");
		while (<STDIN>) {
			my ($cpu, $time, $type, $more, $depth, $addr, $pay) =
			    split;
			my $data = $type | $more << 2 | 5 << 3 | $depth << 6 |
			    hex($addr) << 16;
			$dat{$cpu} .= pack("Q${e}Q${e}", $time, $data);
			next unless defined $pay;
			for (split /,/, $pay) {
				$dat{$cpu} .= /^(\d+)u16$/ ? pack("S$e", $1) :
				    /^(\d+)u64$/ ? pack("Q$e", $1) :
				    pack("H*", $_);
			}
		}
		for (keys %dat) {
			open F, ">", "$dir/$_.dat";
			print F $dat{$_};
			close F;
		}
		open F, ">", "$dir/info";
		print F "Ftrace!\0", pack("L${e}S${e}CCQ${e}Q${e}S${e}x6",
		    $version, 40, $endian eq "big" ? 2 : 1, 2, 0x1263, 0x7bff,
		    1024);
		print F "exename:\nargspec:lines=2\n",
		    "argspec:first\@arg1,arg2/s\nretspec:first\@retval/i64\n";
		close F;
	' "$@"
}

records() {
	cat <<'END'
100 1000000000 0 0 1 ffff81000010
100 1000000010 0 1 2 ffff81000011 7u64,5u16,68656c6c6f,00
100 1000000015 3 1 0 f4241 3u16,616263,000000
100 1000000020 1 1 9 ffff81000011 9u64
100 1000000030 2 0 0 11
100 1000000030 1 0 7 ffff81000010
200 1000000005 0 0 1 ffff81000120
200 1000000030 0 0 1 ffff81000250
200 1000000040 1 0 1 ffff81000250
200 1000000050 1 0 1 ffff81000120
END
}
want_records() {
	cat <<'END'
1000000000	cpu0 Ring0	B	first
1000000005	cpu0 Ring3	B	second;x
1000000010	cpu0 Ring0	B	first
1000000015	cpu0 Ring0	I	event:1000001
1000000020	cpu0 Ring0	E	first
1000000030	cpu0 Ring0	L	records	= 17
1000000030	cpu0 Ring0	E	first
1000000030	cpu0 Ring3	B	0xffffffff81000250
1000000040	cpu0 Ring3	E	0xffffffff81000250
1000000050	cpu0 Ring3	E	second;x
END
}

@test "both byte orders, versions 3 and 4: payloads, events, lost records" {
	want_records >want
	for endian in little big; do
		for version in 3 4; do
			records | make_data "$endian$version" \
				"$endian" "$version"
			kst-uftrace "$endian$version" >got 2>err
			diff want got
			[ ! -s err ]
		done
	done
}

@test "unknown versions are refused" {
	for version in 2 5; do
		records | make_data data little "$version"
		run -1 kst-uftrace data
		[ "$output" = "kst-uftrace: data/info: version $version \
is not supported, only 3 to 4" ]
	done
}

@test "names of the user's events, and of the dialect of Windows lines" {
	records | make_data data little 4
	echo 'EVENT: 1000001 my:event' >data/events.txt
	sed -i 's/$/\r/' data/task.txt data/sid-0.map data/kernel.sym
	kst-uftrace data >got
	want_records | sed 's/event:1000001/my:event/' | diff - got
}

@test "records of the kernel: named, and left out" {
	records | make_data data little 4
	: >data/kernel_header >data/kernel-cpu0.dat
	kst-uftrace data >got 2>err
	want_records | diff - got
	[ "$(wc -l <err)" = 1 ]
	grep -F "data: the events of the kernel (kernel-cpuN.dat, of" err
}

@test "damaged records: the rest is read, the damage counted" {
	records | make_data data little 4
	printf 'garbage garbage!' | cat - data/200.dat >new
	mv new data/200.dat
	printf 'tail' >>data/100.dat
	run -1 kst-uftrace data
	kst-uftrace data >got 2>err || true
	want_records | diff - got
	[ "$(grep -c 'no record follows' err)" = 1 ]
	[ "$(grep -c 'cut off in a record' err)" = 1 ]
}

@test "a file that ends in a payload: said, and the record kept" {
	records | grep -v '^200' | head -n 3 | make_data data little 4
	truncate -s -4 data/100.dat
	run -1 kst-uftrace data
	[[ "$output" == *"100.dat:3: cut off in a payload"* ]]
	kst-uftrace data 2>/dev/null | grep -c 'event:1000001'
}

@test "pipes and devices in a folder are reported, and not waited for" {
	for file in info task.txt sid-0.map 100.dat events.txt; do
		rm -rf data
		uftgen data 1000 1
		rm -f "data/$file"
		if [ "$file" = 100.dat ]; then
			ln -s /dev/zero "data/$file"
		else
			mkfifo "data/$file"
		fi
		run -1 timeout 200 kst-uftrace data
		[[ "$output" == *"data/$file: Operation not supported"* ]]
	done
}

@test "no .dat files at all are a failure" {
	records | make_data data little 4
	rm data/*.dat
	run -1 kst-uftrace data
	[ "$output" = 'kst-uftrace: data: no .dat files' ]
}

@test "without task.txt, symbols or map it still reads the records" {
	records | make_data data little 4
	rm data/task.txt
	run -1 kst-uftrace data
	kst-uftrace data 2>/dev/null | grep -q -P '\ttask/100\tB\tfirst$'
	rm data/kernel.sym data/sid-0.map
	kst-uftrace data 2>/dev/null |
		grep -q -P '\ttask/200\tB\t0xffffffff81000250$'
}

@test "noise instead of each file neither crashes nor hangs it" {
	records | make_data data little 4
	for f in data/*; do
		cp "$f" keep
		for n in 1 2 3; do
			perl -e 'srand($ARGV[0]); print pack("C*",
				map { int rand 256 } 1 .. 5000)' "$n" >"$f"
			rc=0
			timeout 100 kst-uftrace data >/dev/null 2>&1 || rc=$?
			[ $rc -le 1 ]
		done
		mv keep "$f"
	done
}

@test "a map of very many files takes no longer than their number" {
	records | make_data data little 4
	n=150000
	[ -z "${SANITIZED-}" ] || n=15000
	perl -e 'printf("%012x-%012x r--p 00000000 00:00 0 /a/%d\n",
		$_ << 12, ($_ + 1) << 12, $_) for 1 .. $ARGV[0]' $n \
		>>data/sid-0.map
	(ulimit -t 30 && exec kst-uftrace data >got)
	want_records | diff - got
}

@test "symbols from an ELF file, without .sym files" {
	program -pg
	uftrace record --no-event -d data ./prog
	kst-uftrace data | kst-span --calls 2>/dev/null | grep rec >want
	rm data/prog.sym
	kst-uftrace -e ./prog data | kst-span --calls 2>/dev/null |
		grep rec >got
	[ -s want ]
	diff want got
	run -1 kst-uftrace -e no-such-file data
}

@test "a library that is loaded later, and a program that is run later" {
	program -pg
	cat >later.c <<'END'
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int load(void)
{
	void *lib = dlopen("./libplug.so", RTLD_NOW);
	int (*f)(int) = (int (*)(int))dlsym(lib, "plugin");
	return f(3);
}
int main(void)
{
	load();
	if (fork() == 0)
		execl("./prog", "prog", (char *)NULL);
	wait(NULL);
	return 0;
}
END
	cat >plug.c <<'END'
int inner(int n) { return n + 1; }
int plugin(int n) { return inner(n); }
END
	cc -O0 -pg -fPIC -shared -o libplug.so plug.c
	cc -O0 -pg -o later later.c -ldl
	uftrace record --no-event -d data ./later
	kst-uftrace data | kst-span --calls 2>/dev/null >got
	grep -q '^main;load;plugin;inner 1$' got
	grep -q 'main;.*thread;rec' got || grep -q '^thread;rec' got
	! grep -q 0x got
}

@test "a library that takes the place of one that was closed" {
	rm -rf data
	uftgen data 10 1
	cat >data/task.txt <<'END'
SESS timestamp=0.0 pid=100 sid=abc exename="/bin/prog"
TASK timestamp=0.0 tid=100 pid=100
DLOP timestamp=10.0 tid=100 sid=abc base=5000 libname="/lib/one.so"
DLOP timestamp=20.0 tid=100 sid=abc base=5000 libname="/lib/two.so"
DLOP timestamp=30.0 tid=100 sid=abc base=5000 libname="/lib/one.so"
END
	echo '000000400000-000000401000 r-xp 00000000 00:00 0 /bin/prog' \
		>data/sid-abc.map
	echo '0000000000000000 0000000000001000 T main' >data/prog.sym
	echo '0000000000000000 0000000000001000 T one' >data/one.so.sym
	echo '0000000000000000 0000000000001000 T two' >data/two.so.sym
	perl -e 'for my $s (11, 21, 31) {
		print pack("Q<Q<", $s * 1e9, (0x5010 << 16) | 5 << 3);
		print pack("Q<Q<", $s * 1e9 + 5, (0x400010 << 16) | 5 << 3);
	}' >data/100.dat
	kst-uftrace data | cut -f 4 | paste -s -d ' ' >got
	echo 'one main two main one main' | diff - got
}

@test "arguments are found by demangled names, too" {
	rm -rf data
	uftgen data 10 1
	echo 'argspec:ns::foo@arg1/i32' >>data/info
	sym=$(ls data/*.sym)
	at=$(awk 'NR == 1 { print $1 }' "$sym")
	echo "$at T _ZN2ns3fooEi" >"$sym"
	perl -e 'print pack("Q<Q<Q<", 1000, hex($ARGV[0]) << 16 | 5 << 3 | 4,
		42), pack("Q<Q<", 2000, hex($ARGV[0]) << 16 | 5 << 3 | 1)' \
		"$at" >data/100.dat
	kst-uftrace data >got 2>err
	[ ! -s err ]
	[ "$(head -n 1 got)" = "$(printf '1000\tcpu0\tB\tns::foo')" ]
	kst-uftrace --no-demangle data >got
	[ "$(head -n 1 got)" = "$(printf '1000\tcpu0\tB\t_ZN2ns3fooEi')" ]
}

@test "a mangled name in a list stands for its demangled name" {
	cat >prog.cc <<'END'
struct pair { double d[3]; };
int main()
{
	for (int i = 0; i < 3; i++)
		delete new pair;
	return 0;
}
END
	g++ -O0 -pg -o prog prog.cc
	uftrace record --no-event --auto-args -d data ./prog
	grep -q '_ZdlPv@' data/info
	kst-uftrace data >got 2>err
	[ ! -s err ]
	[ "$(grep -c -P '\tB\toperator delete$' got)" = 3 ]
}

@test "names from the files of the map, if they are the ones that ran" {
	program -pg
	uftrace record --no-event -d data ./prog
	kst-uftrace data | kst-span --calls 2>/dev/null | grep rec >want
	[ -s want ]
	rm data/prog.sym
	kst-uftrace data | kst-span --calls 2>/dev/null | grep rec >got
	diff want got
	# Without a build id, the time tells; with one, it does not matter.
	touch -d '1 hour' prog
	kst-uftrace data | kst-span --calls 2>/dev/null | grep rec >got
	diff want got
	sed 's/ build-id:.*//' data/sid-*.map >map
	cp data/sid-*.map map.bak
	cp map data/sid-*.map
	run -0 --separate-stderr kst-uftrace data
	[[ "$stderr" == *"/prog is newer than the trace and was not used; "* ]]
	touch -d '1 hour ago' prog
	kst-uftrace data | kst-span --calls 2>/dev/null | grep rec >got
	diff want got
	cp map.bak data/sid-*.map
	program -pg -O1
	run -0 --separate-stderr kst-uftrace data
	[[ "$stderr" == *"/prog is of another build than"* ]]
	! grep -q rec <<<"$output"
}

@test "of several names, one without an underscore first" {
	cat >prog.c <<'END'
int _IO_name(int n) { return n * 3; }
extern int name(int) __attribute__((weak, alias("_IO_name")));
int main(void) { return name(0); }
END
	cc -O0 -pg -o prog prog.c
	uftrace record --no-event -d data ./prog
	# uftrace 0.17 writes sizes, too
	grep ' T name$\| W name$' data/prog.sym
	rm data/prog.sym
	kst-uftrace data | kst-span --calls --no-trailer 2>/dev/null >got
	grep -x 'main;name 1' got
}

@test "what is not a folder of uftrace: said, and what it is" {
	: >empty
	echo '#0  0x1 in f ()' >text
	gzip -c text >packed
	mkdir folder
	for f in missing empty text packed folder; do
		run -1 kst-uftrace $f
		printf '%s\n' "$output"
	done >got
	diff - got <<'END'
kst-uftrace: missing: No such file or directory
kst-uftrace: empty: not a uftrace folder
kst-uftrace: text: no uftrace data in it; it looks like trace text, which kst-fold reads
kst-uftrace: packed: no uftrace data in it; it is packed by gzip: try 'gzip -dc'
kst-uftrace: folder: not a uftrace folder: neither info nor task.txt is in it
END
}

@test "a folder without info is read, with a warning" {
	rm -rf data
	uftgen data 1000 1
	kst-uftrace data >want
	rm data/info
	run -0 --separate-stderr kst-uftrace data
	diff want - <<<"$output"
	[[ "$stderr" == "kst-uftrace: data: the file info is missing, "* ]]
}

@test "memory does not grow with the size of the file" {
	uftgen small 400000 2
	uftgen large 2000000 2
	for d in small large; do
		/usr/bin/time -f %M -o $d.kb kst-uftrace $d |
			/usr/bin/time -f %M -o $d.span.kb kst-span \
				>/dev/null 2>&1
	done
	[ "$(cat large.kb)" -lt $(($(cat small.kb) + 2000)) ]
}

@test "events of 300 tracks come in the order of time, in 24 MiB" {
	uftgen data 3000000 300
	/usr/bin/time -f %M -o kb kst-uftrace data | cut -f 1 >times
	[ -n "${SANITIZED-}" ] || [ "$(tail -n 1 kb)" -lt 26000 ]
	sort -n -c times
	[ "$(wc -l <times)" = 3000000 ]
}

# The lines `.Dl $ COMMAND` of a page, and those of its displays.
examples() {
	sed -n -E 's/^\.Dl \$ //p; s/^\$ //p' "$root/../cmd/$1/$1.1" |
		sed 's/\\e/\\/g; s/\\&//g'
}

@test "the examples of the manuals run, from a directory to a drawing" {
	cp -r "$root/golden/kst-uftrace/qemu.data" uftrace.data
	chmod -R u+w uftrace.data
	cat >k.s <<'END'
	.text
	.globl func_a, func_b, func_c
	.type func_a, @function
	.type func_b, @function
	.type func_c, @function
func_a:	.skip 256
	.size func_a, 256
func_b:	.skip 256
	.size func_b, 256
func_c:	.skip 256
	.size func_c, 256
END
	cc -c -o k.o k.s
	ld -Ttext=0xffffffff81000000 -e func_a -o vmlinux k.o
	examples kst-uftrace | grep -v -E '^(cc|uftrace|kst-uftrace \|.*prog)' \
		>run
	kst-uftrace uftrace.data >panic.events
	examples kst-span | grep -v kst-osv >>run
	[ "$(wc -l <run)" -ge 6 ]
	grep -q -e '-e vmlinux' run
	while read -r line; do
		rm -f ./*.svg
		bash -o pipefail -c "$line" >out </dev/null
		case $line in
		*.svg)
			xmllint --noout --nonet ./*.svg
			grep -q func_a ./*.svg
			;;
		*'> 0.001'*) ;;
		*) grep -q func_a out ;;
		esac
	done <run
	# Without .sym files the names are those of the ELF file.
	rm uftrace.data/vmlinux.sym
	kst-uftrace -e vmlinux | diff - "$root/golden/kst-uftrace/qemu.out"
}

@test "a program's recording becomes a drawing" {
	program -pg
	uftrace record --no-event ./prog
	kst-uftrace | kst-span | kst-svg >prog.svg
	xmllint --noout --nonet prog.svg
	grep -q rec prog.svg
}
