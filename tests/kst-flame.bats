# SPDX-License-Identifier: ISC
# slow
# lane: flame
# needs: guest tools tiny
# kst flame: cold boots against the guest's own clock, all ways to end, and that
# nothing is left of what was started.

bats_require_minimum_version 1.5.0

. "$BATS_TEST_DIRNAME/guest.bash"

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	root=$(cd "$root" && pwd)
	G=$(cd "$B" && pwd)/guest
	PATH="$B:$B/tools:$PATH"
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir "$TMPDIR"
	qemu=
}

teardown() {
	for s in "$BATS_TEST_TMPDIR"/tmux.*; do
		tmux -S "$s" kill-server 2>/dev/null || true
	done
	end_guest
}

none() {
	if grep "$@"; then
		return 1
	fi
}

# x86 [OPTIONS]: the words of a QEMU for x86_64, in $vm.
x86() {
	vm=(qemu-system-x86_64 -nodefaults -no-user-config -display none
		-accel tcg -m 64 -serial stdio "$@")
}

# limited LIMITS ARGS: kst-flame with the first of these options that gives the guest
# time to start, which a loaded machine takes: $limit.
limited() {
	for limit in $1; do
		! kst-flame "$limit" "${@:2}" || return 0
	done
	return 1
}

# Nothing of ours is left: no QEMU, no temporary file, no half output.
clean() {
	local i
	for i in $(seq 300); do
		if ! pgrep -f "$BATS_TEST_TMPDIR" >left && [ -z "$(ls "$TMPDIR")" ] &&
			! ls | grep '\.kst-' >>left; then
			return 0
		fi
		sleep 0.1
	done
	cat left
	ls -R "$TMPDIR"
	return 1
}

# shares FOLDED: of what was sampled in the boot's two phases, three quarters
# are in the first one, within 5.5 standard deviations and 2 %. 2: too few tell.
shares() {
	awk '/;probe_devices[; ]/ { p += $NF } /;mount_root[; ]/ { m += $NF }
		END {
			n = p + m
			if (n < 40) { print "only " n + 0 " samples"; exit 2 }
			d = p / n - 0.75
			print p / n, n
			exit d * d > (5.5 * sqrt(0.1875 / n) + 0.02) ^ 2
		}' "$1"
}

# A loaded machine may leave too few samples in half a second: then another boot's
# are added; and it may spoil a measurement: three tries.
boots() {
	local i rc wrong=0
	for i in $(seq 30); do
		# nor is a kernel known without one
		kst-flame -F 400 -o boot.folded "$@" 2>err || {
			grep 'it has not started yet' err
			continue
		}
		grep -q '^\[firmware\]\|^start' boot.folded
		none '??' boot.folded
		cat boot.folded >>all.folded
		rc=0
		shares all.folded || rc=$?
		[ $rc != 0 ] || return 0
		[ $rc = 1 ] || continue
		[ $((wrong += 1)) -lt 3 ] || break
		rm all.folded
	done
	return 1
}

@test "a boot's phases have their shares of the guest's time: x86_64" {
	x86 -kernel "$G/boot.elf"
	boots -- "${vm[@]}"
	clean
}

@test "a boot's phases: aarch64" {
	boots -- qemu-system-aarch64 -nodefaults -display none -machine virt \
		-cpu cortex-a57 -m 64 -serial stdio -kernel "$G/aarch64-boot.elf"
	clean
}

@test "a boot's phases: riscv64" {
	boots -- qemu-system-riscv64 -nodefaults -display none -machine virt \
		-bios none -m 64 -serial stdio -kernel "$G/riscv64-boot.elf"
	clean
}

# lacking CAPTURE KERNEL: addresses in functions of the kernel's file without a name.
lacking() {
	nm "$2" | grep -i ' t ' | sed 's/^0*//' | sort >functions
	python3 - "$1" functions <<'END'
import re, sys
begin = sorted(int(l.split()[0], 16) for l in open(sys.argv[2]))
frames = re.findall(r'^#\d+ +0x([0-9a-f]+) in (\S+)', open(sys.argv[1]).read(), re.M)
print(sum(begin[0] <= int(a, 16) < begin[-1] + 4096 and name[0] in '?['
          for a, name in frames))
END
}

# As multiboot starts it, and PVH: nobody knows when a sample first falls into the
# kernel's code, which goes on elsewhere.
@test "a kernel that runs long at its physical address has names where it goes on" {
	local bits rate n
	for bits in i386 x86_64; do
		for rate in 99 99 5000 5000; do
			kst-flame -F $rate -o out.svg --force --keep cap.txt -- \
				"qemu-system-$bits" -display none -nodefaults \
				-kernel "$G/$bits-high.elf" 2>err || {
				grep 'it has not started yet' err
				continue
			}
			cat err
			[ "$(lacking cap.txt "$G/$bits-high.elf")" = 0 ]
			# late stands below each; alone it is about to call, or to power off.
			n=$(grep -c 'in probe_devices ()' cap.txt) || true
			[ "$(grep -A 1 'in probe_devices ()' cap.txt |
				grep -c 'in late ()')" = "$n" ]
			cat cap.txt >>$bits.txt
		done
		# a loaded machine leaves few of one boot, or none
		[ "$(grep -c 'in probe_devices ()' $bits.txt)" -gt 20 ]
		[ $bits = x86_64 ] || grep -q 'in decompress ()' $bits.txt
	done
	clean
}

@test "a guest under KVM, where there is one" {
	[ -w /dev/kvm ] || skip "no /dev/kvm"
	x86 -accel kvm -kernel "$G/cfi.elf"
	kst-flame -n 20 --no-check -o out.folded -- "${vm[@]}"
	grep -q '^\[firmware\]' out.folded
	clean
}

# Between two lines: on a loaded machine the end comes some samples late, or that of
# the guest before the first sample. Where it is not looked for, a third of
# probe_devices comes after it.
between() {
	local i
	for i in 1 2 3 4 5 6 7 8 9 10; do
		kst-flame --from prob --until mounting -F 400 --title A --by cpu \
			--keep cap.txt -- "${vm[@]}" >log || continue
		[ "$(head -n 1 log)" = probing ]
		none firmware cap.txt
		[ $(($(grep -c mount_root cap.txt) * 10)) -lt \
			"$(grep -c probe_devices cap.txt)" ] && return 0
	done
	return 1
}

@test "from one line to another, and the serial log is passed on" {
	x86 -kernel "$G/boot.elf"
	between
	grep -q '</svg>' fg.svg
	# The same from a file, to a capture.
	x86 -kernel "$G/late.elf"
	vm[10]="file:serial"
	kst-flame --until mounting --serial serial -F 400 -o b.txt -- "${vm[@]}"
	grep -q probe_devices b.txt
	grep -q kst-capture-summary b.txt
	clean
}

@test "a limit and a signal end it, and OSDK's profile is an output" {
	x86 -kernel "$G/cfi.elf"
	limited '-n20 -n200 -n2000' -F 20 -o o.json -- "${vm[@]}" 2>err
	jq -e ".stack_traces | length == ${limit#-n}" o.json
	clean
	limited '-d0.5 -d5 -d50' -o o.json -- "${vm[@]}" 2>err
	jq -e '.stack_traces | length > 0' o.json
	clean
	for s in INT TERM; do
		kst-flame -o o.svg -- "${vm[@]}" 2>err >log 3>&- &
		p=$!
		for i in $(seq 600); do
			! grep -qs cpu_entry "$TMPDIR"/kst-flame.*/capture.txt || break
			sleep 0.1
		done
		kill -$s $p
		wait $p
		grep -q '</svg>' o.svg
		grep -q 'samples taken' err
		rm o.svg log
		clean
	done
}

@test "what fails: its status and last words are passed on" {
	rc=0
	kst-flame -- qemu-system-none -m 64 2>err || rc=$?
	[ $rc = 127 ]
	grep -q 'qemu-system-none: No such file' err
	x86 -kernel "$BATS_TEST_TMPDIR/none.elf"
	rc=0
	kst-flame -- "${vm[@]}" 2>err || rc=$?
	[ $rc = 1 ]
	grep -q 'none.elf' err
	grep -q 'ended with status 1' err
	# Early, without QEMU; and after samples, by a signal.
	rc=0
	kst-flame -- true 2>err || rc=$?
	[ $rc = 1 ]
	grep -q 'no QEMU that it started was sampled' err
	# a script whose QEMU took these options for its own arguments
	rc=0
	kst-flame -- sh -c 'exit "$(($# - $# + 3))"' 2>err || rc=$?
	[ $rc = 3 ]
	grep -qF 'a script hands kst'"'"'s options on to QEMU by "$@"' err
	# a socket that is no longer listened to
	rc=0
	kst-flame -- sh -c 'for a; do
			case $a in *path=*) a=${a#*path=}; >"${a%%,*}" ;; esac
		done
		sleep 0.3' sh 2>err || rc=$?
	[ $rc = 1 ]
	[ "$(cat err)" = 'kst-flame: the command has ended, and no QEMU that it started was sampled' ]
	x86 -kernel "$G/boot.elf"
	rc=0
	kst-flame --from nosuch -- "${vm[@]}" >log 2>err || rc=$?
	[ $rc = 1 ]
	[ "$(cat err)" = 'kst-flame: the command has ended, and no line of its serial log matched --from' ]
	# a guest that runs on
	KST_STALL=1 kst-flame --from nosuch -o out.folded -- \
		qemu-system-x86_64 -nodefaults -no-user-config -display none \
		-accel tcg -m 64 -serial stdio -kernel "$G/late.elf" >log 2>err 3>&- &
	for i in $(seq 600); do
		! grep -q 'has matched --from' err || break
		sleep 0.1
	done
	kill -INT $!
	wait $! || true
	grep -q '^kst-flame: no line of the serial log has matched --from in 1 s$' err
	x86 -kernel "$G/cfi.elf"
	rc=0
	kst-flame -o o.svg -- sh -c '(for i in $(seq 1200); do
			! grep -qs "^#0" "$TMPDIR"/kst-flame.*/capture.txt || break
			sleep 0.05
		done
		kill -9 $$) & exec "$@"' sh "${vm[@]}" 2>err || rc=$?
	[ $rc = 137 ]
	grep -q '</svg>' o.svg
	clean
}

@test "what is wrong is said before anything is started" {
	for o in '--by x' '--rules /none' '--from (' '-o x.png' '-r :1' \
		'-o /none/x.svg' '-e /none' '--qemu-args x' '--colors x' \
		'--serial x' '-o x.txt --keep y' '-d x' '-F 0' '-o x.txt -b x' \
		'--shared-dir x'; do
		rc=0
		kst-flame --qemu-args env $o -- touch started 2>err || rc=$?
		[ $rc != 0 ]
		[ -s err ]
		[ ! -e started ]
		none 'Not a directory' err
	done
	rc=0
	kst-flame --until x 2>err || rc=$?
	[ $rc = 2 ]
	rc=0
	kst-flame qemu 2>err || rc=$?
	[ $rc = 2 ]
	grep -q 'put -- before' err
	clean
}

@test "a kernel that never shows: drawn, and status 1" {
	x86 -kernel "$G/cfi.elf"
	rc=0
	kst-flame -e "$G/fp.elf" -n 50 -- "${vm[@]}" 2>err || rc=$?
	[ $rc = 1 ]
	grep -q 'fp.elf is not the running kernel' err
	grep -q '</svg>' fg.svg
	# the strip has a cell for each capture, and the title what was sampled
	[ "$(grep -o ' piece="[0-9]*' fg.svg | tr -dc 0-9)" -lt 500000000 ]
	grep -q '<title>fp.elf, 1 CPU, [0-9.]* m\?s, [0-9]* samples\?</title>' fg.svg
	# Also when the guest ends the run.
	x86 -kernel "$G/boot.elf"
	rc=0
	kst-flame -e "$G/fp.elf" -- "${vm[@]}" 2>err || rc=$?
	[ $rc = 1 ]
	clean
}

# Its commands tell what has happened by numbers and keys: text of theirs that
# a file's name is in means nothing.
@test "no frame has a name: drawn, with what gives names, and status 1" {
	x86 -kernel "$G/fp.elf"
	strip -o bare.elf "$G/fp.elf"
	limited '-n100 -n1000 -n10000' -e bare.elf --raw -F 400 -o r.folded -- \
		"${vm[@]}" 2>err
	none 'has a name' err
	for limit in -n100 -n1000 -n10000; do
		rc=0
		kst-flame -e bare.elf -F 400 $limit -o n.folded -- "${vm[@]}" 2>err || rc=$?
		grep -q 'it has not started yet' err || break
	done
	[ $rc = 1 ]
	grep -q 'no frame has a name: bare.elf has no symbols: ' err
	grep -q 0x n.folded
	clean
}

@test "a processor that kst does not know: by gdb, and what gdb refuses" {
	vm=(qemu-system-tricore -M tricore_testboard -display none -nodefaults
		-serial null)
	rc=0
	kst-flame -n 3 -- "${vm[@]}" 2>err || rc=$?
	[ $rc = 1 ]
	grep -q 'unsupported stub: .*--gdb gdb-multiarch' err
	kst-flame --gdb gdb-multiarch -n 3 -o g.folded -- "${vm[@]}"
	grep -q '^0x' g.folded
	qemu-system-m68k -M virt -S -display none -nodefaults -serial null \
		-gdb unix:m.gdb,server=on,wait=off 3>&- &
	qemu=$!
	for _ in $(seq 600); do [ -S m.gdb ] && break; sleep 0.1; done
	rc=0
	kst-flame --gdb gdb-multiarch -r m.gdb -n 3 2>err || rc=$?
	[ $rc = 1 ]
	grep -q "gdb says: Truncated register" err
	none 'went away' err
	kill $qemu
	wait $qemu || :
	qemu=
	clean
}

@test "a folder called like a message of kst-capture's" {
	local d
	x86 -kernel "$G/cfi.elf"
	for d in 'the guest was shut down' 'stopped by a monitor' \
		'QEMU has closed the connection' ' end=gone kernel=other'; do
		mkdir "$d"
		cp "$G/cfi.elf" "$d/k.elf"
		echo 'root no_such_function' >"$d/o.os"
		kst-flame -e "$d/k.elf" --os "$d/o.os" --no-check -n 20 \
			-o o.folded -- \
			"${vm[@]}" 2>err >log
		cat err
		[ "$(grep -c "$d/k.elf has none of the functions" err)" = 1 ]
		[ "$(grep -c 'stopped by a monitor' err)" = \
			"$(grep -c 'stopped by a monitor/k.elf' err)" ]
	done
	clean
}

@test "the picture is opened by xdg-open" {
	x86 -kernel "$G/late.elf"
	mkdir bin
	printf '%s\n' '#!/bin/sh' 'echo "$#" "$@" >opened' >bin/xdg-open
	chmod +x bin/xdg-open
	PATH="$PWD/bin:$PATH" kst-flame --until mounting --open -o './a b.svg' -- "${vm[@]}"
	for i in $(seq 600); do
		[ ! -s opened ] || break
		sleep 0.1
	done
	[ "$(cat opened)" = '1 ./a b.svg' ]
	clean
}

@test "a kernel that has panicked and goes on: the end says so" {
	vm=(qemu-system-riscv64 -M virt -bios none -display none -serial none
		-monitor none -no-reboot -device "loader,addr=0x81000000,data=1,data-len=4"
		-kernel "$G/riscv64-crash.elf")
	kst-flame -n 100 -o a.txt -- "${vm[@]}" 2>err
	cat err
	grep -qxE "kst-capture: the guest's kernel has panicked: in ([1-9][0-9]|100) of 100 samples a CPU is in panic\(\)" err
	grep -qE '^\[kst-capture-summary .* panicked=([1-9][0-9]|100) ' a.txt
	clean
}

@test "lines stand above the functions, in samples and in counts" {
	vm=(qemu-system-riscv64 -M virt -bios none -display none -serial none
		-monitor none -no-reboot -kernel "$G/riscv64-lines.elf")
	kst-flame --exact --lines -o a.folded -- "${vm[@]}"
	grep -qx 'CPU#0;start;top;work;sort;lines.c:30 15852' a.folded
	grep -qx 'CPU#0;start;top;work;lines.c:79 454' a.folded
	x86 -smp 1 -kernel "$G/cfi.elf"
	limited '-n100 -n1000 -n10000' --lines -o b.folded --by cpu --keep cap.txt -- "${vm[@]}"
	grep -qE ';mix;work\.c:[0-9]+ [0-9]+$' b.folded
	# a capture that has names gets lines, too
	kst-sym --lines -e "$G/cfi.elf" cap.txt | kst-clean --lines | kst-fold --by cpu | cmp - b.folded
	for o in '--lines -o x.txt' '--lines --base x.elf' '--lines --trace'; do
		rc=0
		kst-flame $o -- "${vm[@]}" 2>err || rc=$?
		[ $rc = 2 ]
		[[ $o != *base* ]] || grep -q 'give --lines instead of --base' err
	done
	clean
}

@test "the last instructions before a function are a flame chart" {
	vm=(qemu-system-i386 -device "isa-debug-exit,iobase=0xf4,iosize=1"
		-display none -serial none -monitor none -no-reboot
		-kernel "$G/i386-count.elf")
	kst-flame --last 1e5 --until turn -o a.folded --keep events -- "${vm[@]}"
	[ "$(head -n 1 a.folded)" = 'CPU#0;start;top;twice;adds '"$(sed -n '$s/.* //; 1s/.* //p' a.folded)" ]
	[ "$(sed 's/ [0-9]*$//' a.folded | grep -c ';jumps;climb;climb$')" -ge 99 ]
	[ "$(tail -n 2 a.folded | head -n 1)" = 'CPU#0;start;top;here;turn 1' ]
	tail -n 1 a.folded | grep -qx '#kst:unit=ns,order=time'
	kst-span --chart events >b.folded
	cmp a.folded b.folded
	kst-flame --last 1e5 --until turn --depth 3 -o a.svg -- "${vm[@]}"
	grep -q '>twice<' a.svg
	grep -q '[0-9] instructions' a.svg
	none '[0-9] [mun]*s[ ,<)]' a.svg
	for o in "--last 5 --by cpu" "--last 5 -d 1" "--last 5 --exact" "--last 5 -o x.txt"; do
		rc=0
		kst-flame $o -- "${vm[@]}" 2>err || rc=$?
		[ $rc = 2 ]
	done
	clean
}

@test "exact counts in place of samples, to their end or a signal" {
	vm=(qemu-system-i386 -device "isa-debug-exit,iobase=0xf4,iosize=1"
		-display none -serial none -monitor none -no-reboot
		-kernel "$G/i386-count.elf")
	kst-flame --exact --in adds -o a.folded --keep kept.folded -- "${vm[@]}"
	kst-count -e "$G/i386-count.elf" --in adds -- "${vm[@]}" >b.folded
	cmp a.folded b.folded
	cmp kept.folded b.folded
	kst-flame --exact --colors kernel -o a.svg -- "${vm[@]}"
	grep -q 'instructions' a.svg
	kst-top a.folded >top
	none '±' top
	clean
	# a script that starts QEMU, ended by a signal
	printf '#!/bin/sh\nqemu-system-x86_64 "$@"\n' >vm
	chmod +x vm
	kst-flame --exact -e "$G/cfi.elf" -o c.folded -- ./vm -display none \
		-serial stdio -kernel "$G/cfi.elf" 2>err 3>&- &
	for i in $(seq 600); do
		! grep -q ready err || break
		sleep 0.1
	done
	kill -TERM $!
	wait $!
	grep -q '^CPU#0;cpu_entry;cpu_main' c.folded
	clean
	# a script that goes to another folder, where QEMU finds the kernel
	mkdir elsewhere
	cp "$G/i386-count.elf" elsewhere/k.elf
	printf 'cd elsewhere; exec qemu-system-i386 -kernel k.elf "$@"\n' >run.sh
	kst-flame --exact -o s.folded -- sh run.sh "${vm[@]:1:8}" 2>err
	grep -q "^CPU#0;start;top;twice;adds " s.folded
	clean
	# what does not go together, and what is wrong for kst-count
	for o in "--exact -n 5" "--exact -r :1" "--in adds" "--exact -d 1" "--exact -o x.json"; do
		rc=0
		kst-flame $o -- "${vm[@]}" 2>err || rc=$?
		[ $rc = 2 ]
		grep -q exact err
	done
	rc=0
	kst-flame --exact --in nosuch -- "${vm[@]}" 2>err || rc=$?
	[ $rc = 2 ]
	grep -q "no function 'nosuch'" err
	[ ! -e fg.svg ]
	clean
}

# A tool that builds and starts QEMU with arguments of its own, as make and
# `cargo osdk run --qemu-args=...` do.
@test "tools that start QEMU hand on its arguments" {
	printf '%s\n' 'run:' "	@echo building" "	@qemu-system-x86_64 \
		-nodefaults -display none -accel tcg -m 64 \
		-serial stdio -name $BATS_TEST_TMPDIR -kernel $G/late.elf \
		\$(QEMUEXTRA) \$(KST_QEMU_ARGS)" >Makefile
	sed 's/ *\$(KST_QEMU_ARGS)//' Makefile >own.mk
	cat >cargo <<-'EOF'
	#!/bin/bash
	# cargo osdk run [--qemu-args=WORDS]...
	[ "$1 $2" = 'osdk run' ] || exit 2
	for a in "${@:3}"; do
		case $a in --qemu-args=*) args+=" ${a#*=}" ;; *) exit 2 ;; esac
	done
	make -s -f own.mk run QEMUEXTRA="$args"
	EOF
	chmod +x cargo
	cat >run.sh <<-EOF
	exec qemu-system-x86_64 -nodefaults -display none -accel tcg -m 64 \
		-gdb tcp:127.0.0.1:0 \
		-serial stdio -name $BATS_TEST_TMPDIR -kernel $G/late.elf "\$@"
	EOF
	e=(-e "$G/late.elf" --until mounting -o out.folded)
	started() {
		grep -q ';boot_phases;' out.folded
		rm out.folded
		clean
	}
	kst-flame "${e[@]}" -- make -s run
	started
	kst-flame "${e[@]}" --qemu-args='QEMUEXTRA={}' -- make -s -f own.mk run
	started
	# As that of xv6-riscv: QEMU is a variable, and asked for its version.
	printf '%s\n' 'QEMU = qemu-system-x86_64' \
		'VERSION := $(shell $(QEMU) --version | head -n 1)' 'qemu:' \
		"	\$(QEMU) -nodefaults -display none -accel tcg -m 64 \
		-serial stdio -name $BATS_TEST_TMPDIR -kernel $G/late.elf" >xv6.mk
	kst-flame "${e[@]}" --qemu-args='QEMU=qemu-system-x86_64 {}' -- \
		make -s -f xv6.mk qemu
	started
	kst-flame "${e[@]}" --qemu-args='--qemu-args={}' -- ./cargo osdk run
	started
	kst-flame "${e[@]}" -- sh run.sh
	started
}

# `make qemu` as it is, a script that drops its arguments, and one that asks first
# which QEMU there is.
@test "commands that start QEMU by its name need no arguments" {
	line="-nodefaults -display none -accel tcg -m 64 -serial stdio"
	line+=" -name $BATS_TEST_TMPDIR -kernel $G/late.elf"
	printf '%s\n' 'QEMU = qemu-system-x86_64' \
		'VERSION := $(shell $(QEMU) --version | head -n 1)' 'qemu:' \
		"	\$(QEMU) $line" >Makefile
	printf '%s\n' 'which qemu-system-nosuch && exit 9' \
		'for q in qemu-system-nosuch qemu-system-x86_64; do' \
		'	command -v "$q" >/dev/null && break; done' \
		"\$q $line -append \"it's \$1\" & wait" >run.sh
	printf '%s\n' 'cd /' "qemu-system-x86_64 $line \$KST_QEMU_ARGS" >env.sh
	printf '%s\n' "qemu-system-x86_64 $line \"\$@\"" >all.sh
	started() {
		grep -q ';boot_phases;' out.folded
		rm out.folded
		clean
	}
	e=(-e "$G/late.elf" --until mounting -o out.folded)
	kst-flame "${e[@]}" -- make -s qemu
	started
	echo '(sleep 0.1; echo) | sh ./run.sh "$1"' >typed.sh
	for script in 'run.sh one' env.sh all.sh 'typed.sh two'; do
		# shellcheck disable=SC2086
		kst-flame "${e[@]}" -- sh $script
		started
	done
	# without `#!`, and in another language, which may hand words on itself
	cp run.sh plain
	printf '%s\n' '#!/usr/bin/env python3' 'import subprocess, sys' \
		"line = '$line'" \
		'subprocess.run(["qemu-system-x86_64"] + line.split())' >run.py
	sed 's/split()/& + sys.argv[1:]/' run.py >argv.py
	chmod +x plain run.py
	for script in ./plain ./run.py 'python3 run.py' 'python3 argv.py'; do
		# shellcheck disable=SC2086
		kst-flame "${e[@]}" -- $script
		started
	done
	# from $KST_QEMU_ARGS alone, as asked for: nobody ends this guest
	sed 's/late\.elf/boot.elf/' run.sh >boot.sh
	run -1 timeout 100 kst-flame "${e[@]}" --qemu-args env -- sh boot.sh
	[ ! -e out.folded ]
	# a disk without room for the names is told, not a script
	if [ "$(id -u)" = 0 ]; then
		mkdir small
		mount -t tmpfs -o size=16k none small
		head -c 20000 /dev/zero >small/full || true
		rc=0
		TMPDIR=$PWD/small timeout 100 kst-flame "${e[@]}" -- make -s qemu 2>err || rc=$?
		umount small
		[ $rc != 0 ]
		grep -q 'small/kst-flame.*/path: No space left on device' err
	fi
	kst-count --instructions 3e7 -o count.folded -e "$G/late.elf" -- make -s qemu
	grep -q '^CPU#0;' count.folded
	kst-count --instructions 3e7 -o count.folded -e "$G/late.elf" -- sh run.sh
	grep -q '^CPU#0;' count.folded
	clean
}

# samples N STACK...: a capture of N samples, a CPU for each `STATE frame frame`.
samples() {
	python3 - "$@" <<-'E'
		import sys
		for i in range(int(sys.argv[1])):
		    print(f'[kst-capture seq={i} time={i}.0 stop-ns=5]')
		    for cpu, stack in enumerate(sys.argv[2:]):
		        state, *frames = stack.split()
		        print(f'\nThread {cpu + 1} (Thread 1.{cpu + 1} (CPU#{cpu} [{state}])):')
		        for k, name in enumerate(frames):
		            name = name.replace('~', ' ')
		            print(f'#{k}  0x{k + 1:016x} in {name} ()'
		                  if name[0] != '<' else f'#{k}  {name}')
	E
}

# sampler: own/kst-flame, whose kst-capture prints the file `in`.
sampler() {
	mkdir own
	for c in flame clean fold svg top threads count sym; do cp "$B/kst-$c" own; done
	cat >own/kst-capture <<-E
		#!/bin/sh
		case "\$*" in
		--help=rows) exec "$B/kst-capture" --help=rows ;;
		*--remote=/dev/null/none*) exec "$B/kst-capture" "\$@" ;;
		esac
		cat "$PWD/in"
	E
	chmod +x own/kst-capture
}

@test "how it ended: the line that matched, and the last stacks of all CPUs" {
	x86 -smp 2 -kernel "$G/late.elf"
	kst-flame --until mounting -o a.txt -- "${vm[@]}" >log 2>err
	grep -q '^kst-flame: --until matched the line "mounting"$' err
	grep -A 9 'ended by --until; the last stacks of all CPUs:$' err >last
	# the sample is taken after the line
	# the line's end may be still to be sent
	grep -q '^CPU#0 \[running\]: .*\(mount_root\|serial_put[a-z]*\) < boot_phases < ' last
	tail -n 1 a.txt | grep -q '^\[kst-ended by=until line="mounting"\]$'
	grep -q '^\[kst-capture-summary.* end=signal\]$' a.txt
	# what is named is drawn as well as before
	kst-clean a.txt | kst-fold >a.folded
	# the command that counts calls, which can be run
	sampler
	samples 60 'running now probe_devices main' 'running now probe_devices main' \
		'running b main' >in
	own/kst-flame -o h.svg -- "${vm[@]:0:11}" -kernel "$G/boot.elf" 2>err
	next=$(sed -n "s/.* 67 % .* is in now, most below probe_devices.* counted like this: \\(.*\\)/\\1/p" err)
	[[ $next = 'kst count -e '*' -o 1.folded -- qemu-system-x86_64 '*"-kernel $G/boot.elf" ]]
	eval "timeout 500 kst-${next#kst }" >log 2>err
	kst-diff --per-call 1.calls,1.calls 1.folded 1.folded >out
	grep -q '^a call costs more in 0 functions' out
	# the one that shows lines, up to the line of the log that ended the run
	samples 120 'running sort work top' >in
	own/kst-flame --until "it's done" -o l.svg -- qemu-system-riscv64 -M virt -bios none \
		-display none -serial none -monitor none -no-reboot \
		-kernel "$G/riscv64-lines.elf" 2>err
	next=$(sed -n 's/.* in which lines of that: \(kst count .*\) (of a kernel with -g)$/\1/p' err)
	[[ $next = *" --lines --until 'line:it'\\''s done' -- qemu-system-riscv64 "* ]]
	next=${next/--until \'line:it*done\'/}
	eval "timeout 500 ${next/kst top/kst top --csv}" >lines 2>err
	grep -q '^work at .*lines.c:79,454,' lines
	# the command that shows what led to a panic, which can be run
	objcopy -g --redefine-sym boot_phases=panic "$G/late.elf" p.elf
	kst-flame -F 400 --until mounting -o p.svg -- "${vm[@]:0:11}" -name "a 'b" -kernel p.elf 2>err
	next=$(sed -n "s/^kst-flame: the guest is in panic; the calls before it: //p" err)
	[[ $next = *" -o last.svg -- qemu-system-x86_64 "* ]]
	grep -qF -- "-name 'a '\\''b' -kernel p.elf" err
	[ "$(tail -n 1 err | grep -c 'the guest is in panic')" = 1 ]
	eval "timeout 500 kst-${next#kst }" >log 2>err
	grep -q 'ended at panic after ' err
	grep -q ">cpu_main" last.svg
	# a guest that ends by itself
	vm=("${vm[@]:0:11}" -smp 2 -kernel "$G/boot.elf")
	kst-flame --no-check -o b.txt -- "${vm[@]}" >log 2>err
	grep -q 'the guest ended; the last stacks of all CPUs:$' err
	grep -q ' end=gone\]$' b.txt
	none kst-ended b.txt
	# no stacks, and no line, where nothing was asked for
	kst-flame --from prob -n 2 -o c.txt -- "${vm[@]:0:11}" -kernel "$G/late.elf" >log 2>err
	grep -q '^kst-flame: --from matched the line "prob' err
	none "last stacks" err
	grep -q ' end=limit\]$' c.txt
	clean
}

# leads WANT: what kst-flame says last of the capture in `in`, from `own`.
leads() {
	rm -f o.svg
	own/kst-flame -r :1 -e "$G/${ELF:-cfi.elf}" -o o.svg ${2:-} 2>err
	sed -n '/^kst-flame: wrote o.svg$/,$p' err | sed 1d >got
	printf '%s' "$1" | sed "s|^|kst-flame: |" | cmp - got || {
		cat err
		return 1
	}
}

@test "the last lines lead on, and are silent where nothing follows" {
	sampler
	idle='halted wait_int idle main'
	# half of the time, and less
	{ samples 40 "$idle" "$idle"; samples 20 "$idle" 'running a main'; } >in
	leads "idle 83 %: the guest waits
"
	# for what, where the kernel's threads are found
	{ echo '[kst-capture-info version=1 remote="x threads=known"]'
		cat in
		echo "[kst-capture-summary taken=60]"; } >known
	cat known >in
	leads "idle 83 %: the guest waits
"
	sed -i '1s/ remote.*/ remote="a b" threads=known seed=1]/' in
	leads "idle 83 %: the guest waits; in which functions: kst threads -e $G/cfi.elf -r :1
"
	# of a command, all that it takes to run it again
	x86 -kernel "$G/boot.elf"
	own/kst-flame -d 7 -o o.svg -- "${vm[@]}" 2>err
	grep -q "^kst-flame: idle 83 %: the guest waits; in which functions: kst flame --waiting --duration=7 -e .*/boot.elf --keep w.txt -o w.svg -- qemu-system-x86_64 " err
	# what runs comes first; and a guest whose job has ended is not one that waits
	tenths() {
		awk '/^\[kst-capture / { sub(/time=[0-9.]+/, "time=" 0.1 * n++) } 1'
	}
	lock="33 % of what runs is in acquire, most below kalloc: what other CPUs do meanwhile: kst top --while '^acquire$' --while '^kalloc$' --tree --min 3 cap.txt (keep the capture with --keep cap.txt)"
	busy=('running acquire kalloc main' 'running memset kalloc main' 'running c main')
	{ samples 60 "${busy[@]}"; samples 90 "$idle" "$idle" "$idle"; samples 1 "${busy[@]}"
		samples 9 "$idle" "$idle" "$idle"; } | tenths >in
	leads "$lock
idle for the last 10 s of 16 s
"
	x86 -kernel "$G/boot.elf"
	own/kst-flame -o o.svg -- "${vm[@]}" 2>err
	[ "$(tail -n 1 err)" = "kst-flame: idle for the last 10 s of 16 s: --until 'TEXT' ends the run at a line of the guest's log" ]
	{ samples 150 "$idle" "$idle" "$idle"; samples 40 "${busy[@]}"; } | tenths >in
	leads "$lock
idle 79 %: the guest waits
"
	for _ in {1..20}; do samples 3 "${busy[@]}"; samples 12 "$idle" "$idle" "$idle"; done |
		tenths >in
	leads "$lock
idle 80 %: the guest waits
"
	{ samples 60 "${busy[@]}"; samples 10 "$idle" "$idle" "$idle"; } | tenths >in
	leads "$lock
"
	# where no threads are found, the stacks tell that the guest leaves
	samples 60 "$idle" >in
	own/kst-flame -F 99 -o o.svg -- "${vm[@]}" 2>err
	grep -q "^kst-flame: 60 samples" err
	samples 120 "$idle" >in
	own/kst-flame -o o.svg -- "${vm[@]}" 2>err
	grep -q "^kst-flame: idle 100 %: the guest waits; in which functions: kst count -e .*/boot.elf --what waiting -d 15 -- qemu-system-x86_64 .* | kst top --sort total$" err
	# one CPU of three is busy
	samples 60 "$idle" "$idle" 'running a main' >in
	leads ''
	samples 60 "$idle" 'running a main' 'running b main' 'running c main' >in
	leads ''
	# too few samples for any share, which is said unless -n asked for so many
	samples 20 "$idle" "$idle" 'running acquire kalloc main' >in
	leads "60 samples of CPUs are few, so shares are rough: more by a longer -d, or by -F 400
"
	leads '' -n20
	leads "60 samples of CPUs are few, so shares are rough: more by a longer -d
" -F1000
	samples 1 'running a main' >in
	leads "1 sample of a CPU is few, so shares are rough: more by a longer -d, or by -F 400
"
	samples 99 'running a main' >in
	leads "99 samples of CPUs are few, so shares are rough: more by a longer -d, or by -F 400
"
	samples 100 'running $(reboot) main' >in
	leads ''
	# who waits for a lock, while others do something, or do not
	samples 60 'running acquire kalloc main' 'running memset kalloc main' \
		'running c main' >in
	leads "33 % of what runs is in acquire, most below kalloc: what other CPUs do meanwhile: kst top --while '^acquire$' --while '^kalloc$' --tree --min 3 cap.txt (keep the capture with --keep cap.txt)
"
	cat in >lock
	# below whatever of it there is
	samples 60 'running mutex_spin __mutex_lock.part.0 write~[mod] vfs' 'running crc vfs' \
		'running d vfs' >in
	leads "33 % of what runs is in mutex_spin, most below write [mod]: what other CPUs do meanwhile: kst top --while '^mutex_spin$' --while '^write' --tree --min 3 cap.txt (keep the capture with --keep cap.txt)
"
	# also behind what others do in the meantime
	samples 60 'running acquire kalloc main' 'running crc digest main' \
		'running crc digest main' >in
	leads "33 % of what runs is in acquire, most below kalloc: what other CPUs do meanwhile: kst top --while '^acquire$' --while '^kalloc$' --tree --min 3 cap.txt (keep the capture with --keep cap.txt)
"
	samples 120 'running acquire kalloc main' >in
	leads ''
	# each run of --base is a command of its own: only the lock is said there
	cp lock in
	own/kst-flame -r :1 -e "$G/cfi.elf" --in-base -o o.folded 2>err
	grep -q " --while '^kalloc\$' --tree --min 3 cap.txt (without --base, --keep cap.txt keeps it)$" err
	samples 120 'running a main' >in
	own/kst-flame -r :1 -e "$G/cfi.elf" --in-base -o o.folded 2>err
	[ "$(tail -n 1 err)" = 'kst-flame: wrote o.folded' ]
	samples 60 'running acquire kalloc main' 'running b main' 'running c main' \
		'running d main' 'running e main' 'running f main' >in
	leads ''
	# most of the time in one function, and not
	samples 60 'running list_length pmm_alloc main' 'running list_length pmm_alloc main' \
		'running b main' >in
	leads "67 % of what runs is in list_length, most below pmm_alloc: more calls, or more in each? 'kst diff --per-call 1.calls,2.calls 1.folded 2.folded' tells, of two sizes that are counted like this: kst count -e $G/cfi.elf -n 1e9 --also calls=1.calls -o 1.folded -- COMMAND
"
	samples 60 'running list_length pmm_alloc main' 'running b main' 'running c main' >in
	leads ''
	# names as pictures have them
	{ samples 110 'running _ZN2pm6lengthEi _ZN2pm5allocIiEEvT_ main'
		samples 10 'running b main'; } >in
	leads "92 % of what runs is in pm::length, most below pm::alloc: in which lines of that: kst count -e $G/cfi.elf --lines -n 1e9 -- COMMAND | kst top --sort total --lines '^pm::alloc$' (of a kernel with -g)
"
	# one that is nearly all is a loop: its caller's lines tell, and nothing does if
	# the time is in what it calls
	{ samples 110 'running list_length pmm_alloc main'; samples 10 'running b main'; } >in
	leads "92 % of what runs is in list_length, most below pmm_alloc: in which lines of that: kst count -e $G/cfi.elf --lines -n 1e9 -- COMMAND | kst top --sort total --lines '^pmm_alloc$' (of a kernel with -g)
"
	{ samples 50 'running work pmm_alloc main'; samples 45 'running a work pmm_alloc main'
		samples 40 'running b work pmm_alloc main'; } >in
	leads ''
	# in one with what it calls itself, and only handed on
	{ samples 40 'running walk count copy main'; samples 30 'running count copy main'
		samples 40 'running other copy main'; } >in
	leads "64 % of what runs is in count, most below copy: more calls, or more in each? 'kst diff --per-call 1.calls,2.calls 1.folded 2.folded' tells, of two sizes that are counted like this: kst count -e $G/cfi.elf -n 1e9 --also calls=1.calls -o 1.folded -- COMMAND
"
	{ samples 40 'running walk copy main'; samples 40 'running find copy main'
		samples 40 'running put copy main'; } >in
	leads ''
	# a quarter is interrupts of the kernel, and less, or a program's
	{ samples 70 'running tick platform_irq kernelvec sum main'
		samples 60 'running sum main'; } >in
	leads "54 % of what runs is in interrupts, most in tick, and they interrupt sum most: how many are they? kst count -e $G/cfi.elf --what interrupts -n 1e9 -- COMMAND | kst top --sort total --callers 'signal handler'
"
	{ samples 30 'running tick platform_irq kernelvec sum main'
		samples 30 'running put kernelvec'; samples 30 'running get kernelvec'
		samples 50 'running add main'; } >in
	leads ''
	# most of the capture is before the kernel, and not
	{ samples 70 'running [firmware]'; samples 50 'running b main'; } >in
	leads "58 % of what runs is before the kernel: --from 'TEXT' begins at a line of the guest's log
"
	{ samples 40 'running [firmware]'; samples 50 'running b main'
		samples 30 'running c main'; } >in
	leads ''
	# CPUs that firmware holds for the kernel are not before it
	samples 60 'running b main' 'running [firmware]' 'running [firmware]' >in
	leads ''
	{ samples 50 'running [firmware]' 'running [firmware]'
		samples 30 'running b main' 'running [firmware]'; } >in
	leads "62 % of what runs is before the kernel: --from 'TEXT' begins at a line of the guest's log
"
	# a CPU is in panic at the end, spinning or halted, and not before it
	{ samples 60 'running a main' "$idle"; samples 60 "$idle" 'halted panic ilock main'; } >in
	leads "the guest is in panic; the calls before it: kst flame --last 2e6 --until panic -e $G/cfi.elf -o last.svg -- COMMAND (with 2 CPUs; if it does not get on, -smp 1, or --no-icount before --)
"
	samples 3 'running puts panic main' >in
	leads "the guest is in panic; the calls before it: kst flame --last 2e6 --until panic -e $G/cfi.elf -o last.svg -- COMMAND
"
	# an assertion is a panic, too; a processor that kst count does not know has no
	# command
	samples 3 'halted halt write assertion_failed wake main' >in
	leads "the guest is in assertion_failed; the calls before it: kst flame --last 2e6 --until assertion_failed -e $G/cfi.elf -o last.svg -- COMMAND
"
	ELF=arm-cfi.elf leads 'the guest is in assertion_failed
'
	samples 120 'running list_length pmm_alloc main' >in
	ELF=arm-cfi.elf leads '100 % of what runs is in list_length, most below pmm_alloc
'
	# one after an exception: the handler that only faults call is the place, or else
	# the panic; a system call comes in by the same entry
	samples 3 'running puts panic arm64_sync_exception arm64_exception_table insert main' >in
	leads "the guest is in panic after an exception in insert; the calls before it: kst count -e $G/cfi.elf --trace --last 1e4 --until arm64_sync_exception -- COMMAND | kst span --list --order begin
"
	samples 3 'running panic oops_end page_fault_oops bad_area exc_page_fault asm_exc_page_fault list_add main' >in
	leads "the guest is in panic after an exception in list_add; the calls before it: kst count -e $G/cfi.elf --trace --last 1e4 --until page_fault_oops -- COMMAND | kst span --list --order begin
"
	samples 3 'running panic kerneltrap kernelvec ilock main' >in
	leads "the guest is in panic after an exception in ilock; the calls before it: kst count -e $G/cfi.elf --trace --last 1e5 --until panic -- COMMAND | kst span --list --order begin
"
	samples 3 'running panic on_trap <signal~handler~called> ilock main' >in
	leads "the guest is in panic after an exception in ilock; the calls before it: kst count -e $G/cfi.elf --trace --last 1e5 --until panic -- COMMAND | kst span --list --order begin
"
	# it is marked in the last stacks, which are those of these two
	kst-clean in | kst-threads --brief --no-threads >last
	[ "$(cat last)" = 'CPU#0 [running]: panic < on_trap < <signal handler called> < ilock < main' ]
	samples 3 'running panic ilock sys_read syscall trap alltraps' >in
	leads "the guest is in panic; the calls before it: kst flame --last 2e6 --until panic -e $G/cfi.elf -o last.svg -- COMMAND
"
	samples 3 'running panic trap alltraps' >in
	leads "the guest is in panic after an exception; the calls before it: kst count -e $G/cfi.elf --trace --last 1e5 --until panic -- COMMAND | kst span --list --order begin
"
	{ samples 60 'running panic main'; samples 60 'running a main' 'running b main' \
		'running panic_on_oops main'; } >in
	leads ''
	# a name that a shell would take otherwise; and another output
	samples 120 'running $(reboot) main' >in
	leads ''
	{ samples 40 "$idle" "$idle"; samples 20 "$idle" 'running a main'; } >in
	own/kst-flame -r :1 -e "$G/cfi.elf" -o o.folded 2>err
	none 'idle' err
	# colours by the kernel's source, wherever it was loaded
	samples 9 'running deep busy cpu_main' >in
	for e in "$G/cfi.elf" "$G/cfi.elf@0xffffffff80200000"; do
		own/kst-flame -r :1 -e "$e" --force -o o.svg --no-script
		grep -q '>work.c</text>' o.svg
		grep -q '<title>cfi.elf' o.svg
	done
}

# waiters N STACK...: a capture of N samples of an idle CPU and threads, each
# `NAME STATE frame frame`; each `+` before a name: it runs in one more sample.
waiters() {
	python3 - "$@" <<-'E'
		import sys
		def stack(head, frames):
		    print(f'\nThread {head}:')
		    for k, name in enumerate(frames):
		        print(f'#{k}  0x{k + 1:016x} in {name} ()')
		n = int(sys.argv[1])
		print('[kst-capture-info version=1 threads=known seed=1]')
		for i in range(n):
		    print(f'[kst-capture seq={i} time={i}.0 stop-ns=5]')
		    stack('1 (Thread 1.1 (CPU#0 [halted ]))', ['wfi', 'idle_loop'])
		    for pid, line in enumerate(sys.argv[2:]):
		        name, state, *frames = line.split()
		        if i >= n - name.count('+'):
		            continue
		        name = name.lstrip('+')
		        frames = [f.replace('~', ' ') for f in frames]
		        stack(f'{pid} (Thread 1.{pid} ({name}, pid {pid} [{state}]))', frames)
		print(f'[kst-capture-summary taken={n}]')
	E
}

@test "--waiting says in which functions threads wait, and nothing where none does" {
	sampler
	# the scheduler's own functions, daemons, idle threads and those that could run
	# are left out
	get='take_sem receive serve boot'
	waiters 20 "+client waiting swtch sched $get client" '+disk disk read_disk main' \
		"daemon waiting poll main" 'idle0 waiting halt main' '+ready ready work' \
		"+server waiting swtch sched $get server" '++log waiting flush log main' \
		'+late waiting [asleep~since~the~start]' '+work waiting swtch sched start' >in
	leads "client, server wait in take_sem < receive < serve
disk waits in read_disk < main
log waits in flush < log < main
daemon waits all the time in poll < main
the whole stacks, at one moment: kst threads -e $G/cfi.elf -r :1
" --waiting
	# locks come before sleeping; functions that only lock or block do not count, and
	# those that wait all the time have lines of their own
	waiters 20 '+tick waiting do_block mutex_lock ztimer_sleep tick work main' \
		'++get waiting do_block mutex_lock get work main start' \
		'lost1 waiting yield _wait put_box put send main' \
		'lost2 waiting yield _wait put_box put send main' \
		'nap waiting sys_nanosleep nap main' >in
	leads "get waits in do_block < mutex_lock < get < work < main
tick waits in do_block < mutex_lock < ztimer_sleep < tick < work
lost1, lost2 wait all the time in _wait < put_box < put < send
nap waits all the time in sys_nanosleep < nap < main
what others do meanwhile: kst top --while '^mutex_lock$' --while '^get$' --by state --tree cap.txt (keep the capture with --keep cap.txt)
" '--waiting --os=mine.os'
	waiters 20 '+tick waiting do_block ztimer_sleep tick work main' >in
	leads "tick waits in do_block < ztimer_sleep < tick < work
the whole stacks, at one moment: kst threads -e $G/cfi.elf -r :1 --os mine.os
" '--waiting --os=mine.os'
	# one that spins for a lock waits, too
	{ waiters 20 '+tick waiting get tick work main' | sed '$d'
		samples 60 'running acquire kalloc main' 'running crc digest main'
		echo '[kst-capture-summary taken=80]'; } >in
	leads "50 % of what runs is in acquire, most below kalloc: what other CPUs do meanwhile: kst top --while '^acquire$' --while '^kalloc$' --tree --min 3 cap.txt (keep the capture with --keep cap.txt)
tick waits in get < tick < work
the whole stacks, at one moment: kst threads -e $G/cfi.elf -r :1
" --waiting
	# a module's name stands in brackets
	waiters 20 '++get waiting mutex_lock write~[mod] vfs ksys' >in
	leads "get waits in mutex_lock < write [mod] < vfs < ksys
what others do meanwhile: kst top --while '^mutex_lock$' --while '^write' --by state --tree cap.txt (keep the capture with --keep cap.txt)
" --waiting
	# many are daemons, unless all are asked for
	set --
	for i in $(seq 16); do set -- "$@" "d$i waiting poll main"; done
	waiters 20 '+get waiting get main' "$@" >in
	leads "get waits in get < main
the whole stacks, at one moment: kst threads -e $G/cfi.elf -r :1
" --waiting
	leads "get waits in get < main
d1, d10, d11 and 13 more wait all the time in poll < main
the whole stacks, at one moment: kst threads -e $G/cfi.elf -r :1
" '--waiting --threads=all'
	# a guest of a command: what runs in between, up to the same line; or on another
	# processor the stacks at its end
	vm=(qemu-system-arm -nodefaults -display none -machine virt -kernel "$G/arm-cfi.elf")
	own/kst-flame --waiting -o o.svg -- "${vm[@]}" 2>err
	[ "$(tail -n 1 err)" = "kst-flame: the whole stacks at the end: kst threads --lines -e $G/arm-cfi.elf cap.txt (keep the capture with --keep cap.txt)" ]
	x86 -kernel "$G/boot.elf"
	own/kst-flame --waiting --until 'all done' -o o.svg -- "${vm[@]}" 2>err
	grep -q "^kst-flame: what runs between two waits: kst count -e .*/boot.elf --trace --last 2e5 --until 'line:all done' -- qemu-system-x86_64 .* | kst span --summary$" err
	own/kst-flame --waiting --until 'a.*b' -o o.svg -- "${vm[@]}" 2>err
	grep -q -e ' --last 2e5 -n 1e8 -- qemu' err
	# where all stand still, they are what matters; many have no room
	waiters 20 'a waiting get main' 'b waiting get main' 'c waiting get main' \
		'd waiting get main' 'e waiting get main' >in
	leads "a, b, c and 2 more wait in get < main
the whole stacks, at one moment: kst threads -e $G/cfi.elf -r :1
" --waiting
	# in a twentieth of the captures, and in less
	waiters 20 '+++++++++++++++++++late waiting get main' >in
	leads "late waits in get < main
the whole stacks, at one moment: kst threads -e $G/cfi.elf -r :1
" --waiting
	waiters 21 '++++++++++++++++++++late waiting get main' >in
	leads '' --waiting
	# none waits; and the CPUs are counted without them where one is in panic
	waiters 20 'a ready get main' >in
	leads '' --waiting
	waiters 20 'a waiting panic main' >in
	sed -i 's/wfi/panic/' in
	leads "the guest is in panic; the calls before it: kst flame --last 2e6 --until panic -e $G/cfi.elf -o last.svg -- COMMAND
" --waiting
	waiters 20 'a waiting get main' >in
	own/kst-flame --waiting -r :1 -e "$G/cfi.elf" -o o.folded 2>err
	[ "$(tail -n 1 err)" = 'kst-flame: wrote o.folded' ]
}

@test "--waiting: what runs and what waits, side by side below their states" {
	in=$root/tests/golden/kst-fold/by-state-threads.in
	mkdir own
	for c in flame clean fold svg threads count; do cp "$B/kst-$c" own; done
	cat >own/kst-capture <<-E
		#!/bin/sh
		case "\$*" in
		--help=rows) exec "$B/kst-capture" --help=rows ;;
		*--remote=/dev/null/none*) exec "$B/kst-capture" "\$@" ;;
		esac
		echo "\$@" >>"$PWD/asked"
		echo '[kst-capture-info version=1 threads=known seed=1]'
		cat "$in"
		echo '[kst-capture-summary taken=1]'
	E
	chmod +x own/kst-capture
	own/kst-flame --waiting -r :1 -e "$G/cfi.elf" -o a.svg
	own/kst-flame --waiting -r :1 -e "$G/cfi.elf" -o a.folded
	grep -q -e '--threads=try-waiting' asked
	grep -v '^#' a.folded >got
	printf '%s 1\n' 'disk;__schedule' 'ready;__schedule' 'running;idle' \
		'waiting;do_epoll_wait;__schedule' | cmp got -
	for name in disk ready running waiting do_epoll_wait; do
		grep -q ">$name<\|$name (" a.svg
	done
	# those that sleep all the time, too, if they are asked for
	own/kst-flame --waiting --threads all -r :1 -e "$G/cfi.elf" -o b.folded
	tail -n 1 asked | grep -v -e '--threads=try-waiting' | grep -q -e '--threads=all'
	grep -q '^stopped;' b.folded
	# the list of them, also in programs
	own/kst-threads --sysroot "a b" -r :1 -e "$G/cfi.elf" --brief >out
	grep -q '^redis-server 85 \[waiting\]: __schedule < do_epoll_wait$' out
	tail -n 1 asked | grep -q -e '--threads=try --sysroot=a b'
	run kst-threads --sysroot x "$in"
	[ "$status" = 2 ]
	# and of two kernels, what they wait for is compared: the second run's is before
	for c in diff sym; do cp "$B/kst-$c" own; done
	sed -i 's/^cat .*/if [ -e once ]; then sed s,do_epoll_wait,ep_poll, "'"${in//\//\\/}"'"; else : >once; &; fi/' own/kst-capture
	cp "$G/boot.elf" new.elf
	x86 -kernel new.elf
	: >asked
	own/kst-flame --waiting --base "$G/cfi.elf" -o c.svg -- "${vm[@]}" >out
	[ "$(grep -c -e '--threads=try-waiting' asked)" = 2 ]
	grep -q '^waiting;do_epoll_wait;' c.after.folded
	grep -q '^waiting;ep_poll;' c.before.folded
	grep -q ' do_epoll_wait' out
	grep -q ' ep_poll' out
	# a kernel without such threads says so
	boot cfi -s 1
	run -1 kst-flame --waiting -r "$gdb" -e "$ELF" -d 1 -o cpus.svg
	[[ $output = *"only CPUs are sampled, and no threads: "*"kst count --what waiting"* ]]
	grep -q '>cpu_entry<' cpus.svg
}

@test "--base: the same command with another kernel, the verdict and the difference" {
	cp "$G/boot.elf" old.elf
	# probe_devices takes 600 ms where it took 300
	python3 - <<-'E'
		import re
		d = open('old.elf', 'rb').read()
		(m,) = re.finditer(rb'\x48\x69\x05....\x2c\x01\0\0', d, re.S)
		i = m.end() - 4
		open('new.elf', 'wb').write(d[:i] + b'\x58\x02\0\0' + d[i + 4:])
	E
	x86 -kernel new.elf
	# QEMU may end within the last line that the guest has sent
	echo '"$@" | tr -d "\n"' >cut.sh
	kst-flame --base old.elf -F 400 -o d.svg -- sh cut.sh "${vm[@]}" 2>err |
		sed -n '/^slower/,$p' >out
	grep -q '^slower in ' out
	sed -n 3p out | grep -q ' probe_devices \[code differs: pass at main.c:[0-9]*\]$'
	[ "$(grep -c 'code differs' out)" = 1 ]
	grep -q '>new.elf after old.elf' d.svg
	for f in before after; do grep -q ';probe_devices' d.$f.folded; done
	# by the only kernel among a script's words
	printf 'k=$1; shift\nexec qemu-system-x86_64 -nodefaults -display none -accel tcg \\
		-m 64 -serial stdio -kernel "$k" "$@"\n' >one.sh
	kst-flame --base old.elf -F 400 -d 30 -o f.svg -- sh one.sh new.elf >out 2>err
	# what the guests say is no part of the table
	[ "$(head -n 1 out | grep -c '^slower in ')" = 1 ]
	grep -q '^probing\|mount' err
	[ "$(grep -c 'no end was given' err)" = 0 ]
	grep -q 'probe_devices \[code differs: pass at main.c:[0-9]*\]$' out
	# by $KST_KERNEL, and in a value
	echo 'exec qemu-system-x86_64 -nodefaults -display none -accel tcg -m 64 \
		-serial stdio -kernel "$KST_KERNEL" "$@"' >run.sh
	KST_KERNEL=new.elf kst-flame --base old.elf -F 400 -o e.svg -- sh run.sh >out 2>err
	grep -q 'probe_devices \[code differs: pass at main.c:[0-9]*\]$' out
	# a script that takes it from there, one that starts QEMU with another kernel,
	# and a makefile that names it, in another folder
	kst-flame --base old.elf -F 400 -e new.elf -o g.svg -- sh run.sh >out 2>err
	grep -q 'probe_devices \[code differs: pass at main.c:[0-9]*\]$' out
	# one that has it in a variable of its own
	echo 'cd /; exec qemu-system-x86_64 -nodefaults -display none -accel tcg -m 64 \
		-serial stdio -kernel "${OWN}w.elf"' >run.sh
	OWN=$PWD/ne kst-flame --base old.elf -F 400 -o k.svg -- sh run.sh >out 2>err
	grep -q 'probe_devices \[code differs: pass at main.c:[0-9]*\]$' out
	grep -q '>new.elf after old.elf' k.svg
	echo 'qemu-system-x86_64 -nodefaults -display none -kernel old.elf' >other.sh
	run -2 kst-flame --base old.elf -e new.elf -- sh other.sh
	[[ $output = *"kst-flame: --base: no file that QEMU is started with is new.elf: it seems to be in an image"* ]]
	[[ $output = *"differs	probe_devices"* ]]
	[[ $output = *'kst flame -e old.elf -o before.folded -- COMMAND'* ]]
	[[ $output != *'ended with status'* ]]
	mkdir in
	printf '%s\n' 'V := $(shell qemu-system-x86_64 --version | sed -n 1p)' 'qemu:' \
		"	@cd in && qemu-system-x86_64 -nodefaults -display none -accel tcg -m 64 \
		-serial stdio -kernel ../new.elf -append '\$(V)'" >Makefile
	kst-flame --base old.elf -F 400 -e new.elf -o h.svg -- make qemu >out 2>err
	grep -q 'probe_devices \[code differs: pass at main.c:[0-9]*\]$' out
	grep -q '>new.elf after old.elf' h.svg
	for wrong in "--base old.elf -- true" "--base old.elf -o a.folded -- true new.elf" \
		"--base old.elf" "--base old.elf -e new.elf -- true" \
		"--base old.elf --keep x -- true new.elf"; do
		run kst-flame $wrong
		[ "$status" = 2 ]
	done
	run kst-flame --base none -e new.elf -- true new.elf
	[ "$status" = 1 ]
	# on i386, too
	run -0 kst-flame --base "$G/i386-count.elf" --exact -o i.svg -- qemu-system-i386 \
		-device "isa-debug-exit,iobase=0xf4,iosize=1" -display none -monitor none \
		-serial none -kernel "$G/i386-extra.elf"
	[[ $output == *'[code differs: '* ]]
	read -r before after <<<"$(sed -n 's/.*; total \([0-9,]*\) and \([0-9,]*\) instructions$/\1 \2/p' <<<"$output")"
	[ ${#before} -gt 8 ]
	[[ ${lines[-1]} == "kst-flame: in all $after instructions, $before before: "[+-]*" %" ]]
	grep -q '>i386-extra.elf after i386-count.elf' i.svg
	clean
}

@test "--base: where samples do not tell, the next command is the count that does" {
	for f in old new; do cp "$G/boot.elf" $f.elf; done
	x86 -kernel new.elf
	sampler
	cp "$B/kst-diff" own
	samples 200 'running a main' 'running b main' >in
	own/kst-flame --base old.elf -o a.svg -- "${vm[@]}" >out 2>err
	head -n 1 out | grep -q '^slower in 0 functions, faster in 0, '
	next=$(sed -n "s/^kst-flame: no change is significant: '\(.*\)' decides exactly$/\1/p" err)
	[[ $next = "kst count --base old.elf -- qemu-system-x86_64 "*" -kernel new.elf" ]]
	eval "timeout 500 ${next/kst /kst-}" >count 2>err
	grep -q '^a call costs more in ' count
	# one of the two is sampled less often in the same time
	samples 100 'running a main' 'running a main' >less
	sed -i 's/^cat .*/if [ -e once ]; then cat less; else : >once; cat in; fi/' own/kst-capture
	own/kst-flame --base old.elf -d 5 -e new.elf -o b.svg -- "${vm[@]}" >out 2>err
	head -n 1 out | grep -q '^slower in 1 function, faster in 1, '
	grep -q "^kst-flame: the runs have unlike numbers of samples: 'kst count --base old.elf -e new.elf -n 1e9 -- qemu-" err
	# a slower guest that ends by itself has more samples
	rm once
	own/kst-flame --base old.elf -o c.svg -- "${vm[@]}" >out 2>err
	head -n 1 out | grep -q '^slower in 1 function, faster in 1, '
	none 'decides exactly' err
	# a line of the log is one for the count, too
	rm once
	own/kst-flame --base old.elf -d 5 --until "it's" --serial log -o d.svg -- "${vm[@]}" >out 2>err
	grep -qF -- "--base old.elf --until 'line:it'\''s' --serial log -- qemu-" err
	none 'from --from' err
	# how long it takes from one line to the other, as sampled
	rm once
	echo '[kst-capture-summary taken=200 wall-ns=2500000000]' >>in
	echo '[kst-capture-summary taken=100 wall-ns=1250000000]' >>less
	own/kst-flame --base old.elf --from prob --until mounting -o h.svg -- "${vm[@]}" >out 2>err
	cat err
	grep -qx 'kst-flame: from --from to --until: 1.25 s before, 2.5 s after' err
	clean
}

@test "a QEMU that was not told of the stub is said to be one, and ended" {
	echo "exec \"\$2\" -name $BATS_TEST_TMPDIR -nodefaults -display none -accel tcg -m 64 \
		-kernel \"\$1\"" >run.sh
	run timeout 100 kst-flame -e "$G/cfi.elf" --until never -- \
		sh run.sh "$G/cfi.elf" "$(command -v qemu-system-x86_64)"
	[ "$status" = 1 ]
	[[ $output = *"was started without kst's options: let the command find it in "* ]]
	! pgrep -f "qemu-system-x86_64 -name $BATS_TEST_TMPDIR" || false
	clean
}

@test "--base: timeout ends the first run, and there is no second one" {
	printf 'echo $$ >begun\nexec sleep 120\n' >run.sh
	cp "$G/boot.elf" new.elf
	timeout 1000 kst-flame --base "$G/cfi.elf" -- sh run.sh new.elf 2>err 3>&- &
	for i in $(seq 600); do
		[ ! -s begun ] || break
		sleep 0.1
	done
	began=$SECONDS
	kill -ALRM $! # its time is over
	wait $! && rc=0 || rc=$?
	[ $rc = 124 ]
	[ $((SECONDS - began)) -lt 60 ]
	[ "$(grep -c 'before: ' err)" = 0 ]
	grep -q 'no end was given, such as -d 10: each run lasts until its guest ends' err
	grep -q 'interrupted: ' err
	[ ! -e "/proc/$(cat begun)" ]
	clean
}

@test "--base-command: the other kernel by another command, and nothing is left of a killed one" {
	for k in count extra; do strip -o $k.img "$G/i386-$k.elf"; done
	printf '%s\n' 'k=extra.img' 'case $1 in good) k=count.img; shift ;; esac' \
		'exec qemu-system-i386 -device isa-debug-exit,iobase=0xf4,iosize=1 -display none \
		-monitor none -serial none -kernel $k "$@"' >run.sh
	kst-flame --base "$G/i386-count.elf" --base-command 'sh run.sh good' --exact \
		-e "$G/i386-extra.elf" -o b.svg -- sh run.sh >out 2>err
	sed -n 3p out | grep -q ' adds \[code differs: '
	grep -q "before: .*/i386-count.elf, by sh run.sh good$" err
	grep -q '>i386-extra.elf after i386-count.elf' b.svg
	clean
	printf 'echo $$ >begun\nexec sleep 120\n' >sleeps.sh
	kst-flame --base "$G/i386-count.elf" --base-command 'sh sleeps.sh' --exact \
		-e "$G/i386-extra.elf" -o b.svg -- sh run.sh >out 2>err 3>&- &
	for i in $(seq 600); do
		[ ! -s begun ] || break
		sleep 0.1
	done
	kill -KILL $!
	wait $! || :
	clean
	[ ! -e "/proc/$(cat begun)" ]
}

@test "a script that starts QEMU in another folder: the kernel's file and --serial" {
	mkdir -p build/out
	cp "$G/late.elf" build/out/kernel.elf
	cat >run.sh <<'E'
cd build/out
qemu-system-x86_64 -nodefaults -display none -accel tcg -m 64 \
	-serial file:serial.log -kernel kernel.elf "$@"
E
	kst-flame --until mounting --serial build/out/serial.log -F 400 \
		-o a.folded -- sh run.sh 2>err
	grep -q ';probe_devices' a.folded
	# QEMU writes it elsewhere, and the guest goes on
	kst-flame --until mounting --serial serial.log -d 4 -o b.folded -- sh run.sh 2>err
	grep -qF -- "--serial: there is no file serial.log in $PWD: " err
	grep -q ';mount_root' b.folded
	clean
}

@test "messages stand below a console line without its end" {
	cat >run.sh <<'E'
printf 'ready\nre'
exec qemu-system-x86_64 -nodefaults -display none -accel tcg -m 64 -kernel "$KST_KERNEL" "$@"
E
	export KST_KERNEL=$G/cfi.elf
	# it may not be in its kernel yet, which is the status 1
	run kst-flame -n 3 -o a.txt -- sh run.sh
	[ "${lines[0]}" = ready ]
	[ "${lines[1]}" = re ]
	[[ $output = *$'\n''kst-capture: '* ]]
	# that matched
	run kst-flame --until '^re$' -o b.txt -- sh run.sh
	[ "${lines[1]}" = re ]
	[ "${lines[2]}" = 'kst-flame: --until matched the line "re"' ]
	# the command has the terminal, and nobody sees what it writes
	script -qec 'stty cols 40; kst-flame -n 3 -o c.txt -- sh run.sh' seen </dev/null || true
	grep -q "^re$(printf '%39s' '')"$'\r' seen
	# it writes on after the last sample, until it is ended
	cat >late.sh <<'E'
qemu-system-x86_64 -nodefaults -display none -accel tcg -m 64 -kernel "$KST_KERNEL" "$@" &
trap 'kill $!; wait $!; printf "\nla"; exit' TERM
wait $!
E
	script -qec 'stty cols 40; kst-flame -n 3 -o f.txt -- sh late.sh' seen </dev/null || true
	grep -q "^la$(printf '%39s' '')"$'\r' seen
	run kst-flame -n 3 -o g.txt -- sh late.sh
	grep -qx la <<<"$output"
	# elsewhere, nothing is added
	kst-flame -n 3 -o d.txt -- sh run.sh >log 2>err || true
	[ "$(od -An -c log | tr -d ' ')" = 'ready\nre' ]
	grep -q '^kst-capture:' err
	clean
}

# All but the one that samples another guest for ten seconds.
@test "the examples of the page and of --help run" {
	cp "$G/boot.elf" kernel.elf
	mkdir kernel
	cp "$G/riscv64-boot.elf" kernel/kernel
	echo 'exec qemu-system-x86_64 -nodefaults -display none -serial stdio \
		-kernel kernel.elf "$@"' >run.sh
	chmod +x run.sh
	printf '%s\n' 'QEMU = qemu-system-riscv64' 'run:' \
		'	@./run.sh $(KST_QEMU_ARGS)' 'qemu:' \
		'	@$(QEMU) -nodefaults -display none -machine virt -bios none \
		-kernel kernel/kernel' >Makefile
	{
		mandoc -T ascii -O width=400 "$root/cmd/kst-flame/kst-flame.1" |
			col -bx | sed '1,/^EXAMPLES/d'
		kst-flame --help | sed '1,/^Examples/d'
	} | sed 's/^ *//' | awk '/\\$/ { sub(/\\$/, ""); l = $0; next }
		{ print l $0; l = "" }' | grep '^kst flame' |
		grep -v -e '-d 10' >lines
	[ "$(wc -l <lines)" = 6 ]
	while read -r line; do
		# on a loaded machine the boot may have ended when --from is seen, or
		# when its kernel was to be sampled
		for i in 1 2 3 4 5 6 7 8 9 10; do
			rm -f fg.svg boot.svg
			rc=0
			bash -e -c "$line" >out 2>err </dev/null 3>&- || rc=$?
			[ $rc != 0 ] && { [[ $line == *--from* ]] ||
				grep -q 'it has not started yet' err; } || break
		done
		[ $rc = 0 ] || {
			echo "$line"
			cat err
			return 1
		}
		[ -s fg.svg ] || [ -s boot.svg ]
	done <lines
	clean
}

@test "killed at any moment, it leaves no QEMU and nothing half written" {
	x86 -name "$BATS_TEST_TMPDIR" -kernel "$G/cfi.elf"
	for i in 1 2 3 4 5; do
		echo old >fg.svg
		rm -f cap.txt
		# QEMU in a session of its own, of a shell that cannot be asked.
		kst-flame --force -d 0.4 --keep cap.txt -- \
			sh -c 'trap "" TERM; setsid "$@" & wait' sh "${vm[@]}" \
			>/dev/null 2>&1 3>&- &
		p=$!
		sleep "0.$(printf %03d $((RANDOM % 900)))"
		kill -KILL $p 2>/dev/null || :
		wait $p || :
		clean
		[ "$(cat fg.svg)" = old ] || grep -q '</svg>' fg.svg
		[ ! -e cap.txt ] || grep -q kst-capture-summary cap.txt
	done
}

@test "a filter that is killed before the start" {
	x86 -name "$BATS_TEST_TMPDIR" -kernel "$G/cfi.elf"
	mkdir bin
	cp "$B/kst-flame" bin/
	for c in capture clean fold count; do
		ln -s "$(realpath "$B/kst-$c")" bin/
	done
	# while its options are tried: that says nothing of them
	printf '#!/bin/sh\n[ "$1" = --help=rows ] || [ -e killed ] || { : >killed; kill -9 $$; }\nexec "%s" "$@"\n' \
		"$(realpath "$B/kst-svg")" >bin/kst-svg
	chmod +x bin/kst-svg
	bin/kst-flame --no-check -n 20 -- "${vm[@]}" >/dev/null 2>err
	[ -e killed ]
	grep -q '</svg>' fg.svg
	# while it tells its options
	printf '#!/bin/sh\nkill -9 $$\n' >bin/kst-svg
	run bin/kst-flame -n 20 -- "${vm[@]}"
	[ "$status" = 4 ]
	[[ $output == *"kst-svg was ended by signal 9"* ]]
	clean
}

@test "each process is killed: a part of make faults" {
	B=$B "$root/tests/faults/processes" --short
}

@test "what kst did not write stays, and after a failure what is there" {
	local o f
	x86 -kernel "$G/cfi.elf"
	for o in '-o n.svg' '-o n.folded' '-o n.txt' '-o n.json' '--keep n.txt'; do
		f=${o##* }
		echo mine >"$f"
		rc=0
		kst-flame $o -- touch started 2>err || rc=$?
		[ $rc = 2 ]
		[ ! -e started ]
		grep -q "^kst-flame: $f: was not written by kst; --force" err
		[ "$(cat "$f")" = mine ]
		# what kst wrote is replaced
		for i in --force --quiet; do
			kst-flame $i -n 3 -F 40 --no-check $o -- "${vm[@]}" >log
			none mine "$f"
		done
	done
	cp n.svg old.svg
	cp n.txt old.txt
	touch -d '200 minutes ago' n.svg
	o='-e fp.elf -d 0.5 --keep n.txt -o n.svg'
	cp "$G/fp.elf" .
	rc=0
	kst-flame $o -- "${vm[@]}" 2>err >log || rc=$?
	[ $rc = 1 ]
	cmp n.svg old.svg
	cmp n.txt old.txt
	grep -q 'n.svg was not replaced' err
	grep -q 'n.svg is not of this run: it is 3 hours old' err
	f=$(sed -n 's/.*the capture is //p' err)
	grep -q kst-capture-summary "$f"
	rm "$f"
	rc=0
	kst-flame --partial $o -- "${vm[@]}" 2>err >log || rc=$?
	[ $rc = 1 ]
	none -q x <<<"$(cmp n.svg old.svg && echo x)"
	clean
}

# own SCRIPT: own/kst-top in a folder whose kst-flame is the script.
own() {
	mkdir -p own
	cp "$B/kst-top" own
	printf '#!/bin/bash\n%s\n' "$1" >own/kst-flame
	chmod +x own/kst-flame
}

# Others are somebody else's, or run another file.
@test "the guest that runs the file of -e is found among several, of this user" {
	local fake=
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --clear-groups bash -c \
			'exec -a qemu-system-x86_64 tail -f /dev/null -s 5' 3>&- &
		fake=$!
	fi
	cp "$G/fp.elf" mine.elf
	gdb=$BATS_TEST_TMPDIR/g2
	boot cfi -s 1
	other=$qemu
	qemu=$("$root/tests/guest/run" -t 300 -g "$BATS_TEST_TMPDIR/mine" mine.elf 3>&-)
	kst-flame -e mine.elf -d 0.5 -o o.folded 2>err || {
		kill "$other" $fake
		cat err
		return 1
	}
	rc=0
	kst-flame -d 0.5 -o o.folded 2>all || rc=$?
	# for another command, its name says so
	kst-threads -e mine.elf >by 2>by.err
	own "exec $B/kst-flame -n 20 \"\$@\""
	own/kst-top -e mine.elf >by 2>>by.err
	kill "$other" $fake
	grep -q "process $qemu, at $BATS_TEST_TMPDIR/mine" err
	for c in threads top; do
		grep -q "^kst-$c: .*process $qemu, at $BATS_TEST_TMPDIR/mine" by.err
	done
	none kst-flame by.err
	[ $rc = 1 ]
	grep -q 'choose one' all
	[ -z "$fake" ] || none "process $fake" all
}

# Other guests may run on this machine.
@test "a guest that runs is found, or named among several" {
	boot cfi -s 1
	if kst-flame -n 50 -o o.folded 2>err; then
		grep -q 'busy;work_a' o.folded
	else
		grep -q 'choose one' err
	fi
	grep -q -e "$gdb" err
	kst-flame -r "$gdb" -e "$ELF" -n 50 -o o.folded 2>err
	grep -q 'busy;work_a' o.folded
	guest_is running
}

# in_terminal NAME: kst-top in a terminal of its own, a server of tmux that no other
# one that is still ending can be taken for.
in_terminal() {
	tmux=tmux.$1
	tmux -S "$tmux" -f /dev/null new-session -d -x 200 -y 20 \
		"bash -c 'trap : INT; ${2:-$B}/kst-top -r $gdb -e $ELF; echo ended \$?
		while :; do sleep 60; done'"
}

# shown PATTERN: the terminal shows it within two minutes.
shown() {
	for i in $(seq 1200); do
		tmux -S "$tmux" capture-pane -p >screen
		! grep -E -q -- "$1" screen || return 0
		sleep 0.1
	done
	cat screen
	return 1
}

@test "kst threads looks once at a guest that runs: CPUs, where no threads are found" {
	boot cfi -s 4
	kst-threads -r "$gdb" -e "$ELF" --brief >out 2>err
	guest_is running
	for i in 0 1 2 3; do grep -q "^CPU#$i \[[a-z]*\]: .* < cpu_entry$" out; done
	[ "$(wc -l <out)" = 4 ]
	grep -qF 'only CPUs are sampled, and no threads: no OS file (kst-os(5)) tells where this kernel has threads; kst count --what waiting needs none' err
	run kst-threads -r "$BATS_TEST_TMPDIR/none" -e "$ELF"
	[ "$status" = 1 ]
}

@test "kst top samples a guest that runs: a table, or a screen until it is ended" {
	boot cfi -s 1
	# fewer samples than kst-capture takes by itself
	own "exec $B/kst-flame -n 20 \"\$@\""
	own/kst-top -r "$gdb" -e "$ELF" --csv >out
	grep -q '^busy,' out
	# a busy host's guest stands still for long at each sample
	own "exec $B/kst-flame --max-stop 100% \"\$@\""
	for key in q C-c; do
		in_terminal $key own
		# more than kst-capture takes by itself
		shown '^([2-9][0-9][0-9]|[0-9]{4,}|[0-9],[0-9]+) samples in'
		shown ' busy$'
		tmux -S "$tmux" send-keys $key
		shown '^ended 0'
		grep -q ' busy$' screen
	done
	# what reads no more does not wait for ever for what cannot write
	run timeout 100 strace -qqo log -e inject=read:error=EIO:when=20 \
		kst-top -r "$gdb" -e "$ELF" --csv
	[[ $status = 4 || $status = 0 ]]
	# its sampler dies: that is not the end of the input
	in_terminal killed
	shown '^[0-9,]+ samples in'
	kill -KILL "$(pgrep -o -f "kst-capture.*$gdb")"
	shown 'the input has ended'
	tmux -S "$tmux" send-keys q
	shown '^ended 1'
	grep -q 'the sampler was ended by signal 9' screen
	guest_is running
	run kst-top -r "$BATS_TEST_TMPDIR/none" -e "$ELF"
	[ "$status" = 1 ]
	# the watchdog of one that was killed ends when the guest runs
	for i in $(seq 600); do
		pgrep -f "kst-capture.*$gdb" || break
		sleep 0.1
	done
	run pgrep -f "kst-capture.*$gdb"
	[ "$status" = 1 ]
}

@test "kst top ends soon while QEMU stalls, and at once by a second Ctrl-C" {
	boot cfi -s 1
	own "exec $B/kst-capture --timeout 36000 --samples=1000000 \"\${@:(-2)}\""
	in_terminal stalled own
	shown '^[0-9,]+ samples in'
	kill -STOP "$qemu"
	blocked "$(pgrep -o -f "kst-capture.*$gdb")"
	tmux -S "$tmux" send-keys q
	shown '^ended 0'
	tr -d '\n' <screen | grep -q "resumed as soon as it does; to resume it yourself, type 'cont'"
	[ "$(grep -c Broken screen)" = 0 ]
	kill -CONT "$qemu"
	guest_is running
	# a sampler that hears the first of many signals only
	own 'trap "" TERM; trap "exit 0" HUP; while :; do sleep 0.1; done'
	in_terminal deaf own
	shown 'q quit'
	tmux -S "$tmux" send-keys q
	for i in $(seq 600); do
		tmux -S "$tmux" send-keys C-c
		tmux -S "$tmux" capture-pane -p >screen
		# each is shown as ^C once kst-top has left the screen
		! grep -q 'ended [0-9]' screen || break
		sleep 0.1
	done
	grep -q 'ended [0-9]' screen
}

# In a terminal QEMU has the keyboard: Ctrl-C ends it, and the picture is drawn;
# then the terminal is the shell's again, with the modes that it had.
@test "in a terminal, Ctrl-C goes to QEMU" {
	x86 -kernel "$G/cfi.elf"
	cat >terminal.py <<-'EOF'
	import os, pty, select, sys, termios, time
	pid, fd = pty.fork()
	if pid == 0:
	    os.execvp(sys.argv[1], sys.argv[1:])
	before, text, sent = termios.tcgetattr(fd), b"", False
	while True:
	    if select.select([fd], [], [], 100)[0] == []:
	        sys.exit("nothing comes")
	    try:
	        block = os.read(fd, 4096)
	    except OSError:
	        break
	    text += block
	    if b"ready" in text and not sent:
	        sent = True
	        time.sleep(0.5)
	        os.write(fd, b"\x03")
	status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
	sys.stdout.write(text.decode())
	sys.exit(status)
	EOF
	python3 terminal.py sh -c '"$@"; r=$?; stty -a; exit $r' sh \
		kst-flame -o o.svg -- "${vm[@]}" >out
	grep -q 'terminating on signal 2' out
	grep -q 'samples taken' out
	grep -q ' icanon' out
	grep -q '</svg>' o.svg
	clean
}
