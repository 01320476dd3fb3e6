# SPDX-License-Identifier: ISC
# kst-perf: what needs more than a pair of files.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	golden=$BATS_TEST_DIRNAME/golden/kst-perf
}

@test "trace text folds to what --folded counts, with its unit" {
	for f in cpu event single source; do
		kst-perf "$golden/$f.in" 2>/dev/null | kst-fold >a
		kst-perf --folded "$golden/$f.in" 2>/dev/null >b
		diff <(grep -v '^#\|0x\|app' a) <(sed -n 's/^[^;]*;//p' b |
			grep -v 'unknown\|kallsyms\]')
		unit=$(tail -n 1 b | sed 's/,.*//')
		[ "$(tail -n 1 a | sed 's/,.*//')" = "$unit" ]
	done
	kst-perf "$golden/cpu.in" | kst-fold --by cpu,process --no-trailer >out
	grep -x 'CPU#3;Kernel;cpu_startup_entry;do_idle 250000' out
	kst-perf "$golden/cpu.in" | kst-fold --by time=0.5ms --no-trailer >out
	grep -x '\[0.000500s\];0x0;app;read 250000' out ||
		grep '^\[0.000' out
}

# Where the kernel lets perf record.
@test "what perf of this machine prints, with any of its fields" {
	command -v perf
	perf record -q --sample-cpu -e cpu-clock -c 100000 -g -o data -- \
		sh -c 'find /usr/lib -maxdepth 2 -name "*.so" | sort | cksum' >/dev/null 2>&1 ||
		return 0
	all=$(perf script -i data --ns -F comm,tid,time | wc -l)
	for f in '' '--ns' '-F +srcline' '-F +misc,+flags' \
		'-F comm,pid,tid,cpu,time,event,ip,sym,dso' \
		'-F comm,tid,time,event,ip,sym,dso' \
		'-F tid,time,event,ip,sym,dso' '-F comm,ip,sym,dso'; do
		# shellcheck disable=SC2086
		perf script -i data $f >text 2>/dev/null
		kst-perf --folded text >folded 2>err
		# A sample may lack a stack; without fields, it is a word.
		n=$(sed -n 's/.*,samples=//p' folded)
		none=$(sed -n 's/.*: \([0-9]*\) \(samples without\|lines that\).*/\1/p' err)
		[ "$n" = "$all" ] || [ $((n + none)) = "$all" ]
		[ "$(wc -l <err)" -le 1 ]
		[ "${none:-0}" -le 5 ]
		kst-perf text 2>/dev/null | kst-fold >out
		grep -E -q ",samples=($n|$((n - none)))," out
	done
}

@test "cleaning and symbols work on it" {
	kst-perf "$golden/guest.in" >in
	kst-sym -e "$B/kst-perf" in | kst-clean | kst-fold --no-trailer >out
	[ "$(cat out)" = 'schedule;0xffffffff81000100 100000' ]
}

@test "a missing file among good ones, a full disk, a closed pipe" {
	run kst-perf --folded "$golden/crlf.in" /nonexistent "$golden/crlf.in"
	[ "$status" = 1 ]
	[[ "$output" == *"kst-perf: /nonexistent: No such file"* ]]
	[[ "$output" == *"dd;a 6"* ]]
	rc=0
	kst-perf "$golden/cpu.in" >/dev/full 2>err || rc=$?
	[ $rc = 4 ]
	kst-perf "$golden/cpu.in" | head -n1 >/dev/null
}

@test "memory does not grow with an endless sample" {
	{
		echo 'dd 77 [000] 10.000001: 3 cycles:'
		awk 'BEGIN { for (i = 0; i < 3000000; i++)
			printf "\t%x f%d+0x1 (/bin/dd)\n", 4194304 + i, i }'
	} >endless
	for o in '' --folded; do
		( [ "${SANITIZED-}" ] || ulimit -v 300000
		kst-perf $o endless >out 2>err || [ $? = 1 ] )
		grep 'lines that are not of samples' err
	done
}

@test "a long line, and bytes that are not text" {
	{
		printf 'dd 77 [000] 10.000001: 3 cycles:\n\t401000 '
		head -c 1100000 /dev/zero | tr '\0' 'a'
		printf ' (/bin/dd)\n\t401010 b\0\033[2J\377c (/bin/dd)\n'
	} >long
	kst-perf --folded long >out
	! grep -a -q "$(printf '\033')" out || false
	kst-perf long | kst-fold >out
	[ "$(grep -c '^[^#]' out)" = 1 ]
}

@test "host and guest in one picture, as kst-recipes(7) has it" {
	cat >perf.txt <<'E'
CPU 0/KVM  12 1795402000.100000:
	ffffffff81000001 vcpu_run ([kernel.kallsyms])
	    55550001 kvm_exec (/usr/bin/qemu)

CPU 1/KVM  13 1795402001.200000:
	ffffffff81000001 vcpu_run ([kernel.kallsyms])

E
	cat >guest.txt <<'E'
[kst-capture seq=0 time=1795402000.150000000]
Thread 1 (Thread 1.1 (CPU#0 [running])):
#0  do_work ()
#1  start_kernel ()

Thread 2 (Thread 1.2 (CPU#1 [halted ])):
#0  idle ()
E
	mandoc -T ascii -O width=400 "$BATS_TEST_DIRNAME/../docs/kst-recipes.7" |
		col -bx | sed -n '/^ *kst perf perf.txt/,/^ *kst fold/p' >lines
	[ "$(wc -l <lines)" = 3 ]
	sed -i 's/| kst svg >both.svg/--no-trailer >out/' lines
	bash -e lines
	[ "$(cat out)" = '[0.000s];CPU 0/KVM;kvm_exec;vcpu_run 1
[0.000s];CPU 0/KVM;start_kernel;do_work 1
[0.000s];CPU 1/KVM;idle 1
[1.000s];CPU 1/KVM;vcpu_run 1' ]
}
