# SPDX-License-Identifier: ISC
# slow
# kst-export and kst-import: what other programs read and write. Those that need a
# browser or npm are in svg/readers.test.mjs.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	golden=$BATS_TEST_DIRNAME/golden
	gzip -dc "$BATS_TEST_DIRNAME/../share/demo/capture.txt.gz" >capture.txt
}

# rows: `self total name` of kst-top, for all functions of the file.
rows() {
	kst-top --all --csv "$1" | sed 1d | awk -F , '{ print $2, $3, $1 }' | sort
}

pprof_top() {
	PPROF_BINARY_PATH=/nowhere HOME=$PWD go tool pprof -top -nodefraction=0 -edgefraction=0 \
		-nodecount=1000000 "$@" 2>/dev/null |
		awk 'all { n = $6; for (i = 7; i <= NF; i++) n = n " " $i
			sub(/ \(inline\)$/, "", n); print $1, $4, n }
			/flat%/ { all = 1 }' | sort
}

@test "go tool pprof shows the totals of kst-top, labels, lines and the build-id" {
	kst-export -f pprof -o k.pb.gz capture.txt
	# pprof takes it for generics
	rows capture.txt | sed 's/<signal handler called>/<unknown>/' >want
	[ "$(wc -l <want)" -gt 10 ]
	pprof_top k.pb.gz | diff want -
	kst-fold --by cpu capture.txt | grep '^CPU#1;' >cpu1
	rows cpu1 | grep -v ' CPU#1$' | sed 's/<signal handler called>/<unknown>/' >want
	pprof_top '-tagfocus=cpu=^CPU#1$' k.pb.gz | diff want -
	HOME=$PWD go tool pprof -raw k.pb.gz >raw
	grep '^Duration: 9.43' raw
	grep '^Period: 52999788' raw
	kst-export -f pprof "$golden/kst-export/speedscope-places.in" >p.pb.gz
	HOME=$PWD go tool pprof -raw p.pb.gz >raw
	grep -E '0xffffffff80000100 M=1 idle arch/idle.c:12' raw
	grep -E ' 0x401000 main main.c:9' raw
	grep 'process:\[User PID=3 (sh "x" y)\]' raw
	grep 'kernel 0123456789abcdef0123456789abcdef01234567' raw
}

@test "callgrind_annotate shows the totals of kst-top" {
	kst-export -f callgrind -o out capture.txt
	rows capture.txt >want
	# column: of the list that is sorted by cost, without shares
	column() {
		callgrind_annotate --threshold=100 "$@" out |
			sed -n 's/^ *\([0-9,]*\) ([ 0-9.]*%)  ???:/\1 /p' | tr -d , | sort
	}
	column | diff <(awk '$1 { n = $1; $1 = $2 = ""; sub(/^ */, ""); print n, $0 }' \
		want | sort) -
	callgrind_annotate out | grep '^600 (100.0%)  PROGRAM TOTALS'
	column --inclusive=yes >total
	grep -x '600 \[all\]' total
	awk '{ n = $2; $1 = $2 = ""; sub(/^ */, ""); print n, $0 }' want |
		sort | diff - <(grep -v '\[all\]' total)
}

@test "kst-perf reads what perf script would print" {
	kst-export -f perf-script capture.txt | kst-perf |
		kst-fold --by cpu --no-trailer >out
	kst-fold --by cpu --no-trailer capture.txt | diff - out
	kst-export -f perf-script "$golden/kst-export/speedscope-places.in" |
		kst-perf | kst-fold --by process --no-trailer >out
	grep -x 'User PID=3 (sh "x" y);__libc_start;main;inner 1' out
	# as Firefox Profiler has its lines
	kst-export -f perf-script capture.txt >script
	[ "$(grep -cP '^\S.*?\s+(?:\d+/)?\d+\s+(?:\[\d+\]\s+)?[\d.]+:' script)" = 600 ]
	[ "$(grep -cP '^\s*\w+\s*.+ \([^)]*\)' script)" = "$(grep -c '^	' script)" ]
}

# Firefox Profiler's importer is not published as a package. This takes lines as that
# of 2026 does, and a sample for each: name, self, total.
profiler() {
	perl -ne 'if (/^(.*)\s+([\d.]+):/ && !@open) { /\s(\d+\/)?\d+\b/ or die; @open = (1); @f = () }
		elsif (/\S/) { push @f, $2 if /^\s*(\w+)\s*(.+) \(([^)]*)\)/ && $2 !~ /^\(/ }
		else { @open = (); $self{$f[0]}++ if @f; my %s; $total{$_}++ for grep { !$s{$_}++ } @f }
		END { printf "%s,%d,%d\n", $_, $self{$_}, $total{$_} for keys %total }' | sort
}

@test "Firefox Profiler shows the totals of kst-top, also of counts" {
	totals() {
		kst-top --all --csv "$@" | tail -n +2 | cut -d, -f1-3 |
			tr -d '"' | sort
	}
	kst-clean capture.txt >clean.txt
	kst-fold clean.txt >clean.folded
	kst-fold --by time=100ms,cpu clean.txt >parts.folded
	totals clean.txt >want
	[ "$(wc -l <want)" -gt 20 ]
	for i in clean.txt clean.folded parts.folded; do
		kst-export -f perf-script $i | profiler | diff want -
	done
	# times and threads of the parts
	kst-export -f perf-script parts.folded >script
	grep -q '^CPU#2 0/[0-9]* \[2] 9.300000000: ' script
	[ "$(grep -c '^CPU#' script)" = 600 ]
	output=$(kst-export -f perf-script <<<'a;b 2000000' 2>&1)
	[[ $output = *'exceed 1048576 in all'*' 2000000 samples:'* ]]
}

@test "there and back: the same folded text" {
	for i in capture.txt "$golden"/kst-export/speedscope-*.in \
		"$golden"/kst-fold/{merge,by-cpu}*.in; do
		case $i in
		*-names.in | *-bytes.in) continue ;; # bytes that are not UTF-8 are lost
		*-events.in) kst-span <"$i" >want ;;
		*) kst-fold <"$i" >want 2>/dev/null || continue ;;
		esac
		kst-export -f pprof <"$i" >p
		kst-import p | if grep -q '^#' want; then cat; else grep -v '^#'; fi |
			diff want - || { echo "$i"; false; }
	done
}

@test "profiles of a Go program" {
	cat >main.go <<-'E'
		package main

		import (
			"os"
			"runtime/pprof"
			"syscall"
		)

		//go:noinline
		func spin(n int) (s int) {
			for i := 0; i < n; i++ {
				s += i * i
			}
			return s
		}

		func main() {
			var used syscall.Rusage
			pprof.StartCPUProfile(os.Stdout)
			for x := 0; used.Utime.Nano() < 300e6; x += spin(100000) {
				syscall.Getrusage(syscall.RUSAGE_SELF, &used)
			}
			pprof.StopCPUProfile()
		}
	E
	HOME=$PWD GO111MODULE=off GOCACHE=$PWD/cache go build -o prog main.go
	./prog >cpu.pb.gz
	kst-import cpu.pb.gz >cpu.folded
	[ "$(tail -n 1 cpu.folded)" = '#kst:unit=samples' ]
	grep '^runtime.main;main.main;main.spin' cpu.folded
	pprof_top -sample_index=samples cpu.pb.gz >want
	[ -s want ]
	rows cpu.folded | diff want -
	kst-import -t cpu cpu.pb.gz | grep '^runtime.main;main.main;main.spin.*0000000$'
	kst-diff cpu.folded <(sed 's/main.spin/&2/' cpu.folded) | grep main.spin2
}

@test "memory: distinct stacks, and 32 bytes a sample where they have an order" {
	[ -z "${SANITIZED-}" ] || return 0
	big() {
		awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) {
			printf "[kst-capture seq=%d time=%d.5]\n", i + 1, 1000 + i
			printf "Thread 1 (Thread 1.1 (CPU#0 [running])):\n"
			for (f = 0; f < 12; f++)
				printf "#%d  0x%016x in f%d (...)\n", f, f * 4096 + 4096, f < 4 ? i % 300 + f : f
		} }'
	}
	for f in pprof callgrind speedscope trace-events perf-script; do
		big 20000 | (ulimit -v 20000; kst-export -f $f >out)
	done
}

@test "bombs: unpacked size and messages are limited" {
	[ -z "${SANITIZED-}" ] || return 0
	head -c 70000000 /dev/zero | gzip -1 >zeros.gz
	ulimit -v 700000
	run kst-import zeros.gz
	[ "$status" = 1 ]
	[[ $output = *'zeros.gz: too large'* ]]
	# empty samples and texts: two bytes each
	for f in 022 062; do
		yes 'x' | head -c 30000000 | tr 'x\n' "\\$f\\000" | gzip -1 >empty.gz
		run kst-import empty.gz
		[ "$status" = 1 ]
		[[ $output = *'it has no values of that type'* ]]
	done
	# 5,000,000 locations
	{
		printf '\012\004\010\001\020\001\062\000\062\001n'
		perl -e 'printf "\x22\x06\x08%c%c%c%c\x00", map { 128 | $_ }
			$_ & 127, $_ >> 7 & 127, $_ >> 14 & 127, $_ >> 21 for 1 .. 5e6'
	} | gzip -1 >locations.gz
	run kst-import locations.gz
	[ "$status" = 1 ]
	[[ $output = *'refer to locations, functions or names'* ]]
	# a location of 60,000 inlined functions, in 3,000 samples
	{
		printf '\012\004\010\001\020\001\062\000\062\001n'
		printf '\022\006\012\001\001\022\001\001%.0s' {1..3000}
		printf '\042\302\251\007\010\001'
		yes '"' | head -n 60000 | tr '\n' '\000'
	} >inlined.pb
	run kst-import inlined.pb
	[ "$status" = 1 ]
	[[ $output = *'its stacks have too many frames in all'* ]]
	seq -f '%.0f	c	B	f' 16000 >open.events
	run kst-export -f callgrind open.events
	[ "$status" = 1 ]
	[[ $output = *'too many events are open'* ]]
}

@test "a file is replaced at status 0 alone, and an input never" {
	echo old >file
	run kst-export -f pprof --force -o file capture.txt /nonexistent
	[ "$status" = 1 ]
	[ "$(cat file)" = old ]
	run kst-export -f pprof -o capture.txt capture.txt
	[ "$status" = 2 ]
	run kst-export -f pprof -o file capture.txt
	[ "$status" = 2 ]
	[ "$(cat file)" = old ]
	[[ $output = *'file: was not written by kst; --force replaces it' ]]
	kst-export -f pprof --force -o file capture.txt
	gzip -t <file
	for f in speedscope pprof trace-events callgrind; do
		kst-export -f $f -o new.$f capture.txt
		kst-export -f $f -o new.$f capture.txt
		echo old >file
		run kst-export -f $f -o file capture.txt
		[ "$status" = 2 ]
		[ "$(cat file)" = old ]
	done
}
