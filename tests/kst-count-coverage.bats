#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# slow
# needs: tiny
# Lines and branches that a guest has executed, against gcov's on the host.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	export TMPDIR=$PWD
	PATH="$B:$PATH"
	plain=(-display none -serial none -monitor none -no-reboot -nic none)
	source=$BATS_TEST_DIRNAME/guest/tiny/lines.c
}

# covered ARCH [OPTION ...]: the lines of its guest, into lcov.info.
covered() {
	local arch=$1
	shift
	case $arch in
	i386) qemu=(qemu-system-i386 -device "isa-debug-exit,iobase=0xf4,iosize=1") ;;
	aarch64) qemu=(qemu-system-aarch64 -M virt -cpu cortex-a57) ;;
	riscv64) qemu=(qemu-system-riscv64 -M virt -bios none) ;;
	esac
	timeout 1000 kst-count -e "$B/guest/$arch-lines.elf" --coverage lcov.info "$@" -- \
		"${qemu[@]}" "${plain[@]}" -kernel "$B/guest/$arch-lines.elf" >out 2>err
}

# ours: "LINE COUNT" and "br LINE WAYS" of lines.c in lcov.info, ways sorted.
ours() {
	awk '/^SF:/ { on = /lines\.c$/ } !on { next }
		/^DA:/ { split(substr($0, 4), d, ","); print d[1], d[2] }
		/^BRDA:/ { split(substr($0, 6), d, ","); print "br", d[1], d[4] }' lcov.info |
		sort
}

# theirs: the same of gcov's lines.c.gcov.
theirs() {
	awk -F: '/^branch/ { split($0, b, " "); print "br", n, /never/ ? "-" : b[4] }
		/^ *[0-9#*-]+:/ { n = $2 + 0; c = $1; gsub(/[ *]/, "", c)
			if (n > 0 && c != "-") print n, c ~ /#/ ? 0 : c }' lines.c.gcov |
		sort
}

@test "lines and branches are those of gcov" {
	cp "$source" lines.c
	printf 'int work(void);\nint main(void) { work(); return 0; }\n' >main.c
	gcc -O0 -g --coverage -o host lines.c main.c
	./host
	gcov -b -c host-lines.gcda >/dev/null
	theirs >theirs
	[ "$(grep -c ^br theirs)" -gt 20 ]
	for arch in aarch64 riscv64 i386; do
		covered $arch
		ours >ours
		# gcov has the line of a function's name, and no closing brace; it has
		# labels, which are no code
		sed -n 's/^\([0-9]*\) .*/\1/p' ours | sort -u >has
		sed -n 's/^\([0-9]*\) .*/\1/p' theirs | sort -u >also
		comm -12 has also >both
		[ "$(wc -l <both)" -gt 30 ]
		for f in ours theirs; do
			awk 'NR == FNR { both[$1] = 1; next } $1 in both' both $f >$f.lines
		done
		diff ours.lines theirs.lines
		# of i386, jumps that were not executed are not known
		diff <(grep ^br ours) <(grep ^br theirs | grep -v -e "$([ $arch = i386 ] && echo ' -$' || echo none)")
		grep -qx 'FNDA:0,never' lcov.info
		grep -qx 'FNDA:39,collatz' lcov.info
	done
	# the count itself is as without it
	mv out a
	timeout 1000 kst-count -e "$B/guest/i386-lines.elf" -- "${qemu[@]}" "${plain[@]}" \
		-kernel "$B/guest/i386-lines.elf" >b 2>err
	cmp a b
}

@test "a range, totals, and a file that lcov did not write" {
	covered riscv64 --in collatz
	[ "$(ours | awk '$1 != "br" && $2 > 0 && ($1 < 9 || $1 > 22)')" = '' ]
	[ "$(sed -n 's/^FNH://p' lcov.info | head -n 1)" = 1 ]
	covered riscv64
	for kind in L:DA BR:BRDA FN:FNDA; do
		awk -F'[:,]' -v k="${kind#*:}" -v t="${kind%:*}" '
			/^SF/ { n = hit = 0 }
			$1 == k { n++; hit += (k == "BRDA" ? $5 : $(k == "DA" ? 3 : 2)) > 0 }
			$1 == t "F" && $2 != n { exit 1 }
			$1 == t "H" && $2 != hit { exit 1 }' lcov.info
	done
	cp lcov.info before
	covered riscv64
	cmp before lcov.info
	# whole paths
	grep -q '^SF:/.*/tests/guest/tiny/lines.c$' lcov.info
	echo 'something else' >lcov.info
	! covered riscv64 || false
	[ "$(cat lcov.info)" = 'something else' ]
	covered riscv64 --force
	cmp before lcov.info
}

@test "counts by line, and with addresses, in a file that kst wrote" {
	counted() {
		timeout 1000 kst-count -e "$B/guest/riscv64-lines.elf" "$@" -- \
			qemu-system-riscv64 -M virt -bios none "${plain[@]}" \
			-kernel "$B/guest/riscv64-lines.elf" >out 2>err
	}
	counted -o a.folded
	[ ! -s out ]
	grep -qx 'CPU#0;start;top;work;sort 28140' a.folded
	counted --lines -o a.folded
	kst-top --lines '^sort$' --csv a.folded >rows
	[ "$(sed -n 2p rows | cut -d, -f1,2)" = "sort at tests/guest/tiny/lines.c:30,15852" ]
	[ "$(awk -F, 'NR > 1 { n += $2 } END { print n }' rows)" = 28140 ]
	# work's line that calls it has its weight, too
	kst-top --lines '^work$' --csv a.folded |
		grep -q '^work at tests/guest/tiny/lines.c:81,5,28145,'
	counted --addresses
	grep -qxE 'CPU#0;0x80000014 in start;0x[0-9a-f]+ in top;0x80000244 in work 1' out
	echo 'something else' >a.folded
	! counted -o a.folded || false
	[ "$(cat a.folded)" = 'something else' ]
	counted --trace -o a.events
	counted --trace -o a.events
	grep -q '	B	work$' a.events
}

@test "callgrind_annotate shows the lines of the coverage, the calls and totals" {
	for arch in aarch64 riscv64 i386; do
		covered $arch --lines --addresses
		kst-export -f callgrind --dump-instr -e k.elf out >cg.out
		callgrind_annotate --auto=yes --threshold=100 --context=0 \
			--include="${source%/tests/*}" cg.out >shown
		# the lines with a cost of their own are those that were executed
		sed -n 's/^ *[0-9][0-9,]* ([0-9. ]*%)  \(.*\)/\1/p' shown |
			grep -v -e 'events annotated' -e '=> ' -e '\[k.elf\]' -e TOTALS | sort >lines
		for f in lines.c lines-top.c; do
			awk -v f="/$f\$" '/^SF:/ { on = $0 ~ f }
				on && /^DA:/ { split(substr($0, 4), d, ","); if (d[2] > 0) print d[1] }' \
				lcov.info | while read -r n; do
				sed -n "${n}p" "${source%/*}/$f"
			done
		done | sort >want
		[ "$(wc -l <want)" -gt 40 ]
		diff want lines
		# each function's calls are those of the coverage, and its total that of kst-top
		callgrind_annotate --threshold=100 --tree=calling cg.out |
			sed -n 's/.*>.*:\([a-z_]*\) (\([0-9]*\)x).*/\2,\1/p' | sort >calls
		grep -o '^FNDA:[1-9][0-9]*,.*' lcov.info | cut -d: -f2 | sort >want
		[ "$(comm -12 calls want | wc -l)" -ge 7 ]
		callgrind_annotate --threshold=100 --inclusive=yes cg.out |
			sed -n 's/^ *\([0-9,]*\) (.*:\([a-z_]*\) \[k.elf\]$/\2 \1/p' | tr -d , >shown
		kst-clean --lines out | kst-top --csv --all |
			awk -F, 'NR == FNR { total[$1] = $3; next }
				{ split($0, w, " "); n++; if (total[w[1]] != w[2]) exit 1 }
				END { exit n < 7 }' - shown
	done
}

@test "a file that is included in two ways is one" {
	mkdir -p a/b c
	printf '.globl %s\n.type %s, @function\n%s: %s\n.size %s, . - %s\n' \
		_start{,,} 'call f; j .' _start{,} >a/b/start.s
	printf 'void f(void); void g(void);\nvoid f(void) { }\n' >c/f.h
	printf '#include "../../c/f.h"\n' >a/b/one.c
	printf '#define f g\n#include "./c/f.h"\n' >two.c
	riscv64-linux-gnu-gcc -g -O1 -nostdlib -static -fno-pie -no-pie -mcmodel=medany \
		-Wl,-Ttext=0x80000000 -Wl,--build-id=none -o two.elf a/b/start.s a/b/one.c two.c
	timeout 1000 kst-count -e two.elf -n 1000 --coverage two.info -- qemu-system-riscv64 \
		-M virt -bios none -display none -serial none -monitor none -kernel two.elf >/dev/null
	[ "$(grep -c '^SF:.*f\.h$' two.info)" = 1 ]
	grep -q "^SF:$PWD/c/f\.h$" two.info
	sed -n '/^SF:.*f\.h$/,/^end/p' two.info | grep -q '^DA:2,1$'
}

@test "what --coverage needs is said" {
	objcopy -g "$B/guest/i386-lines.elf" plain.elf
	rc=0
	timeout 1000 kst-count -e plain.elf --coverage lcov.info -- qemu-system-i386 \
		-device "isa-debug-exit,iobase=0xf4,iosize=1" "${plain[@]}" \
		-kernel plain.elf >out 2>err || rc=$?
	[ $rc = 1 ]
	grep -q 'plain.elf has no lines: --coverage needs debug information (-g)' err
	grep -q '^CPU#0;start;top;work' out
	run kst-count --coverage x -- true
	[ "$status" = 2 ]
	run kst-count -e "$B/guest/i386-lines.elf" --coverage x --trace -- true
	[ "$status" = 2 ]
}

# The file of the same code is linked 4 MiB higher, as if the kernel had moved itself.
@test "a kernel that has moved has its lines, and its calls by --trace" {
	covered riscv64
	mv lcov.info still.info
	sed 's/ [0-9]*$//; s/.*;//' out | sort -u >still
	for of in riscv64 moved; do
		timeout 1000 kst-count -e "$B/guest/$of-lines.elf" --trace -- \
			"${qemu[@]}" "${plain[@]}" -kernel "$B/guest/riscv64-lines.elf" >$of 2>err.$of
	done
	timeout 1000 kst-count -e "$B/guest/moved-lines.elf" --coverage lcov.info -- \
		"${qemu[@]}" "${plain[@]}" -kernel "$B/guest/riscv64-lines.elf" >out 2>err
	grep -q 'moved-lines.elf runs at its addresses - 0x400000' err
	diff still.info lcov.info
	# the first blocks tell where it is: their calls are not known
	grep -q 'moved-lines.elf runs at its addresses - 0x400000' err.moved
	for f in collatz find kind; do
		grep "B.$f\$" riscv64 >a
		grep "B.$f\$" moved >b
		[ -s a ]
		diff a b
	done
}
