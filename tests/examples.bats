# SPDX-License-Identifier: ISC
# The examples of the manual pages and of --help, run as they stand there, on
# files of the names that they use. Those of kst-capture and kst-flame need a
# guest and those of kst-batch other machines; their own tests have them.

root=$BATS_TEST_DIRNAME/..

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	gzip -dc "$root/share/demo/capture.txt.gz" >capture.txt
	# a frame of the kernel's file, which has a line
	sed -i "0,/^#0 .*/s//#0  0x$(nm "$B/kst-fold" | sed -n 's/ T main$//p') in ?? ()/" \
		capture.txt
	for f in trace gdb raw cap; do cp capture.txt $f.txt; done
	for f in kernel.elf old.elf new.elf loader.elf vmlinux shell; do cp "$B/kst-fold" $f; done
	# as many samples as gates need
	kst-clean capture.txt | kst-fold | sed '/^#/!s/$/000/' >monday.folded
	for f in tuesday week off-cpu my; do cp monday.folded $f.folded; done
	for d in old new runs-of-monday runs-of-tuesday; do
		mkdir $d
		cp monday.folded $d/1
		cp monday.folded $d/2
		cp monday.folded $d/3
	done
	for f in old new; do
		{ echo 'start;main 100'; echo '#kst:unit=calls,exact=1'; } >$f.calls
	done
	cp "$root/share/svg/kernel.palette" my.palette
	kst-clean gdb.txt | kst-json --to-json >profile.json
	cp "$root/tests/fuzz/osv.seeds/hello" console.log
	cp "$root/tests/golden/kst-osv/tracefile.in" ticks
	cp "$root/tests/golden/kst-tail/folded.in" events.txt
	for f in read panic boot; do cp events.txt $f.events; done
	python3 "$root/tests/osv-tracefile.py" 1 2000 >waits
	cp "$root/tests/fuzz/btrace.seeds/two-stacks" kstack.txt
	cp "$root/tests/golden/kst-perf/cpu.in" perf.txt
	cp "$root/tests/golden/kst-console/linux.in" dmesg.txt
	cp "$root/tests/golden/kst-console/xv6.in" xv6.log
	for f in cpu before; do cp "$root/tests/golden/kst-import/go-cpu.in" $f.pb.gz; done
	cp "$root/tests/golden/kst-import/go-heap.in" heap.pb.gz
	cp -r "$root/tests/golden/kst-uftrace/qemu.data" uftrace.data
}

# Prints the examples of a command's page and help, a pipe in one line each.
examples() {
	{
		mandoc -T ascii -O width=400 "$root/cmd/$1/$1.1" | col -bx |
			awk '/^EXAMPLES/ { e = 1; next } /^[A-Z]/ { e = 0 } e'
		"$1" --help | awk '/^Examples:/ { e = 1; next } e'
	} | sed -E 's/^ +(\$ )?//' | awk '{ line = line $0 }
		/[|\\]$/ { sub(/\\$/, "", line); line = line " "; next }
		line ~ /^kst-/ { print line } { line = "" }'
}

@test "the examples of the pages and of --help run" {
	n=0
	bad=
	for c in $(cd "$B" && ls -d kst-* | grep -v '\.'); do
		case $c in kst-capture | kst-count | kst-flame | kst-batch) continue ;; esac
		examples "$c" >list
		[ -s list ]
		# What samples a guest has its own tests.
		sed -i -E '/^kst-(capture|count|top -e|threads -e)/d' list
		while read -r line; do
			n=$((n + 1))
			ln -sf ticks tracefile
			[[ $line != 'kst-osv -b'* ]] || ln -sf waits tracefile
			bash -e -o pipefail -c "$line" >out 2>err </dev/null || {
				echo "$c: $line"
				cat err
				bad="$bad $c"
			}
		done <list
	done
	[ -z "$bad" ]
	[ $n -gt 25 ]
}

@test "what the README shows comes out as it says" {
	printf '%s\n' 'Thread 2 (Thread 1.2 (CPU#1 [running])):' \
		"$(grep -E '^    #0 ' "$root/README.md" | sed 's/^ *//')" \
		"$(grep -E '^    #1 ' "$root/README.md" | sed 's/^ *//')" >in
	want=$(grep -E '^    CPU#1;' "$root/README.md" | sed 's/^ *//; s/ 57$/ 1/')
	[ "$(kst-clean in | kst-fold --by cpu --no-trailer)" = "$want" ]
}

@test "the lines of kst-oneliners run, and answer" {
	n=0
	bad=
	for f in old new; do cp monday.folded $f.folded; done
	cp "$B/kst-top" old.elf
	printf '%s\n' 'ilock;acquiresleep 2' 'iunlock;releasesleep 1' >calls.folded
	printf '%s\n' 'loop;<signal handler called>;vector 9' >irq.folded
	mandoc -T ascii -O width=400 "$root/docs/kst-oneliners.7" | col -bx |
		sed -n 's/^ *\(kst [a-z].*\)/\1/p' >list
	# Those that start or sample a guest have tests of their own.
	grep -v -E '^kst (flame|count|top -e|threads -e)' list >here
	while read -r line; do
		n=$((n + 1))
		bash -e -o pipefail -c "$line" >out 2>err </dev/null || {
			echo "$line"
			cat err
			bad=1
		}
		case $line in
		*'> '*) [ -s "${line##*> }" ] ;;
		*) [ -s out ] || grep -q 'no stack has a function' err ;;
		esac || {
			echo "nothing written: $line"
			bad=1
		}
	done <here
	[ -z "$bad" ]
	[ $n -gt 18 ]
	# The options of the others are options of their commands.
	grep -E '^kst (flame|count|top -e|threads -e)' list | while read -r line; do
		cmd=kst-$(echo "$line" | cut -d' ' -f2)
		for o in $(echo "${line%% -- *}" | grep -o -E -- ' --?[a-z-]+'); do
			"$cmd" --help | grep -q -E -- "(^| )$o\b" || {
				echo "$cmd has no $o"
				exit 1
			}
		done
	done
}
