# SPDX-License-Identifier: ISC
# slow
# lane: flame
# needs: guest tools
# Every line of kst-coming-from(7), run as it stands there.

. "$BATS_TEST_DIRNAME/guest.bash"

setup() {
	root=$(cd "$root" && pwd)
	cd "$BATS_TEST_TMPDIR" || exit 1
	gzip -dc "$root/share/demo/capture.txt.gz" >gdb.txt
	kst-clean gdb.txt | kst-fold >monday.folded
	cp monday.folded tuesday.folded
	kst-clean gdb.txt | kst-json --to-json >profile.json
	cp "$root/tests/fuzz/osv.seeds/hello" console.log
	python3 "$root/tests/osv-tracefile.py" 1 300 >tracefile
	cp "$root/tests/fuzz/btrace.seeds/two-stacks" kstack.txt
	cp "$root/tests/golden/kst-perf/event.in" perf.txt
	cp "$root/tests/golden/kst-console/lldb.in" lldb.txt
	cp "$root/tests/golden/kst-console/crash.in" crash.txt
	cp "$root/tests/golden/kst-console/linux.in" dmesg.txt
	for f in cpu before; do cp "$root/tests/golden/kst-import/go-cpu.in" $f.pb.gz; done
	cp -r "$root/tests/golden/kst-uftrace/qemu.data" uftrace.data
	cp "$B/guest/user.elf" kernel.elf
	cp -r "$B/guest/bin" bin
}

teardown() {
	end_guest
}

@test "every line of kst-coming-from(7) runs" {
	boot user -s 1
	ln -s "$gdb" .osdk-gdb-socket
	ln -s "$gdb" gdb.sock
	ln -s "$qmp.2" qmp-socket
	mandoc -T ascii -O width=400 "$root/docs/kst-coming-from.7" | col -bx |
		sed -n 's/^ *\(kst [a-z].*\)/\1/p' >lines
	[ "$(wc -l <lines)" -gt 30 ]
	bad=0
	while read -r line; do
		# A few samples of one CPU may all be of a program, which has no names.
		for _ in $(seq 20); do
			rm -f fg.svg
			bash -e -o pipefail -c "$line" >out 2>err </dev/null 3>&- && rc=0 || rc=$?
			grep -q 'no frame has a name' err || break
		done
		[ $rc = 0 ] || {
			echo "$line"
			cat err
			bad=1
		}
		case $line in
		*'> '*) f=${line##*> } ;;
		*' -o '*) f=${line##* -o } ;;
		'kst flame'*) f=fg.svg ;;
		*) f=out ;;
		esac
		f=$(eval "ls -d ${f%\$*}* 2>/dev/null | head -n 1")
		# of one CPU's few samples, none may be in the function asked for
		[ -s "$f" ] || grep -q 'no stack has a function that matches' err || {
			echo "no output: $line"
			bad=1
		}
	done <lines
	[ $bad = 0 ]
}
