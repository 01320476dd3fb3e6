#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# slow
# needs: guest tiny
# Exact counts of guests whose instructions are known, and what may go wrong.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	export TMPDIR=$PWD
	PATH="$B:$PATH"
	plain=(-display none -serial none -monitor none -no-reboot -nic none)
}

# machine ARCH: sets $qemu for that guest.
machine() {
	case $1 in
	i386) qemu=(qemu-system-i386 -device "isa-debug-exit,iobase=0xf4,iosize=1") ;;
	aarch64) qemu=(qemu-system-aarch64 -M virt -cpu cortex-a57) ;;
	riscv64) qemu=(qemu-system-riscv64 -M virt -bios none) ;;
	esac
}

# count GUEST [OPTION ...]: of $B/guest/GUEST.elf, into `out`.
count() {
	local guest=$1
	shift
	machine "${guest%-*}"
	timeout 1000 kst-count -e "$B/guest/$guest.elf" "$@" -- "${qemu[@]}" \
		"${plain[@]}" -kernel "$B/guest/$guest.elf" >out 2>err
}

# of STACK: its count in `out`, without the CPU.
of() {
	sed -n "s/^CPU#0;$1 //p" out
}

# outside ARCH: how many instructions of adds() are not in its loop of three.
outside() {
	local n
	n=$(case $1 in i386) objdump -d "$2" ;; *) "$1-linux-gnu-objdump" -d "$2" ;; esac |
		awk '/<adds>:$/ { a = 1; next } /^$/ { a = 0 } a && NF > 2' |
		awk '{ print } /\tret/ { exit }' | wc -l)
	echo $((n - 3))
}

@test "known loops: each instruction is counted, on its stack" {
	for arch in i386 aarch64 riscv64; do
		count $arch-count
		own=$(outside $arch "$B/guest/$arch-count.elf")
		echo "$arch: $own instructions outside the loop"
		[ "$own" -ge 2 ]
		[ "$(of 'start;top;twice;adds')" = $((2 * (300000 + own))) ]
		[ "$(of 'there;adds')" = $((100 * (300000 + own))) ]
	done
}

@test "names of C++ and Rust are those of pictures, and name functions as the linker's do" {
	machine i386
	objcopy --redefine-sym adds=_ZN2md4addsILi3EEEvi --redefine-sym turn=_ZN2md4turnEi \
		--redefine-sym top=_ZN2md4turnEl --redefine-sym twice=_RNvC2md5twice \
		"$B/guest/i386-count.elf" md.elf
	own=$(outside i386 "$B/guest/i386-count.elf")
	md() {
		timeout 1000 kst-count -e md.elf "$@" -- "${qemu[@]}" "${plain[@]}" \
			-kernel md.elf >out 2>err
	}
	md --also calls=calls
	[ "$(of 'start;md::turn;md::twice;md::adds')" = $((2 * (300000 + own))) ]
	grep -q 'start;md::turn;md::twice;md::adds 2$' calls
	kst-top out | grep -q ' md::adds$'
	md --no-demangle
	[ "$(of 'start;_ZN2md4turnEl;_RNvC2md5twice;_ZN2md4addsILi3EEEvi')" = $((2 * (300000 + own))) ]
	# what shows them shows the same, and takes both for a pattern
	kst-top --callers '^md::twice$' out | tail -n 1 | grep -q ' md::turn$'
	kst-top --callers '^_RNvC2md5twice$' out | tail -n 1 | grep -q ' md::turn$'
	for name in md::adds _ZN2md4addsILi3EEEvi; do
		md --in $name
		[ "$(sed 's/.*;//; s/ .*//' out | grep -v '^#' | sort -u)" = md::adds ]
	done
	md --until md::adds
	[ "$(tail -n 2 out | grep -c 'md::twice\|exact')" = 2 ]
	md --trace --only md::adds
	[ "$(cut -f4 out | sort -u)" = md::adds ]
	md --trace --only md::turn --depth 1
	[ "$(cut -f4 out | sort -u)" = md::turn ]
	# one address is wanted, and two functions are shown by that name
	run md --in md::turn
	[ "$status" = 2 ]
	grep -q "^kst-count: --in: several functions are called md::turn: give one as the linker names it, such as _ZN2md4turnE[il]$" err
	run md --in md::non
	[ "$status" = 2 ]
	grep -q "no function 'md::non'" err
}

@test "one instruction more is one more in each call" {
	for arch in i386 aarch64 riscv64; do
		count $arch-count
		before=$(of 'there;adds')
		count $arch-extra
		[ "$(of 'there;adds')" = $((before + 100)) ]
	done
}

@test "--base: a script's own -kernel is the command's kernel, if it is a plain word" {
	cp "$B/guest/riscv64-count.elf" old.elf
	cp "$B/guest/riscv64-extra.elf" new.elf
	vm="qemu-system-riscv64 -M virt -bios none ${plain[*]}"
	printf '#!/bin/sh\n# -kernel old.elf\n%s \\\n\t-kernel \\\n\tnew.elf\n' "$vm" >run.sh
	timeout 1000 kst-count --base old.elf -- sh run.sh >out 2>err
	grep -q '^kst-count: after: new.elf$' err
	sed -n 3p out | grep -q ' adds \[code differs: [^]]*count.c:[0-9]*\]$'
	run kst-count --base old.elf --lines -e new.elf -- sh run.sh
	[ "$status" = 2 ]
	[[ $output == *"give --lines instead of --base, once with each kernel"* ]]
	# else it is what QEMU has there, if the script starts QEMU by its name
	cd_to=$(mktemp -d -p "$PWD")
	mv new.elf "$cd_to"
	for text in "$vm -kernel \"\${K:-new.elf}\" \"\$@\"" "$vm --kernel ../\$(echo ${cd_to##*/})/new.elf"; do
		printf '#!/bin/sh\ncd "%s"\n%s\n' "$cd_to" "$text" >run.sh
		timeout 1000 kst-count --base old.elf -- sh run.sh >out 2>err
		grep -q '^a call costs more in 1 function, less in 0, ' out
		sed -n 3p out | grep -q ' adds \[code differs: [^]]*count.c:[0-9]*\]$'
	done
	# or the other one, which a variable names
	printf 'cd "%s"; %s -kernel "${KST_KERNEL:-new.elf}"\n' "$cd_to" "$vm" >run.sh
	timeout 1000 kst-count --base old.elf -- sh run.sh >out 2>err
	grep -q '^a call costs more in 1 function, less in 0, ' out
	no() { # TEXT MESSAGE
		printf '#!/bin/sh\n%s\n' "$1" >run.sh
		rc=0
		timeout 100 kst-count --base old.elf -- sh run.sh >out 2>err || rc=$?
		cat err
		[ $rc = 1 ] || [ $rc = 2 ]
		grep -q -e "$2" err
		[ "$(grep -c 'before: ' err)" = 0 ]
	}
	mv "$cd_to/new.elf" .
	no "$vm # -kernel new.elf" "QEMU has no -kernel: its kernel seems to be in an image.* --base-command"
	no "$(command -v qemu-system-riscv64) -kernel \$K" 'run.sh starts QEMU by a path, .* give its kernel with -e$'
	no "$vm -kernel new.elf; $vm -kernel old.elf" 'with several kernels: give the one'
	no "$vm -kernel none" 'nothing was counted'
}

@test "-d ends a count in order, by the host's time" {
	machine riscv64
	timeout 100 kst-count -d 2 -e "$B/guest/riscv64-sleepers.elf" -- "${qemu[@]}" \
		"${plain[@]}" -smp 1 -kernel "$B/guest/riscv64-sleepers.elf" >out 2>err
	grep -q '^kst-count: ended by --duration after [0-9]* instructions, in ' err
	[ "$(tail -n 1 out)" = '#kst:unit=instructions,exact=1' ]
	[ "$(grep -c '^CPU#0' out)" -gt 2 ]
	run kst-count -d 0 -- true
	[ "$status" = 2 ]
}

@test "--base: a kernel in an image, which another command starts with the other kernel" {
	cp "$B/guest/i386-count.elf" old.elf
	cp "$B/guest/i386-extra.elf" new.elf
	for k in old new; do strip -o $k.img $k.elf; done
	machine i386
	printf '%s\n' 'k=new.img' 'case $1 in good) k=old.img; shift ;; esac' \
		"exec ${qemu[*]} ${plain[*]} -kernel \$k \"\$@\"" >run.sh
	rc=0
	timeout 1000 kst-count --base old.elf -e new.elf -n 1e9 -- sh run.sh >out 2>err || rc=$?
	[ $rc = 2 ]
	# one message, what can be said now, and the commands
	[ "$(cat out)" = "$(kst-sym --compare -e old.elf -e new.elf)" ]
	cut -f1,2 out | grep -qx 'differs	adds'
	[ "$(wc -l <err)" = 6 ]
	sed -n 2p err | grep -q '^kst-count: --base: no file that QEMU is started with is new.elf: it seems to be in an image, '
	sed -n '4,$s/^kst-count:     //p' err >next
	printf '%s\n' \
		'kst count -e old.elf --instructions=1000000000 -o before.folded -- COMMAND' \
		'kst count -e new.elf --instructions=1000000000 -o after.folded -- sh run.sh' \
		'kst diff --elf old.elf,new.elf before.folded after.folded' | cmp - next
	# without a script nothing is run
	run kst-count --base old.elf -e new.elf -- qemu-system-i386 -kernel new.img
	[ "$status" = 2 ]
	[[ $output == *'no file that QEMU is started with is new.elf'* ]]
	[[ $output != *'after: new.elf'* ]]
	# by what starts it, of plain words and of a shell's
	for with in '  sh run.sh  good' 'k=good; sh run.sh $k "$@"'; do
		timeout 100 kst-count --base old.elf --base-command "$with" -e new.elf \
			-- sh run.sh >out 2>err
		grep -q '^kst-count: before: old.elf, by ' err
		sed -n 1p out | grep -q '^a call costs more in 1 function, less in 0, '
		sed -n 3p out | grep -q ' adds \[code differs: [^]]*count.c:[0-9]*\]$'
	done
	run kst-count --base-command 'sh run.sh good' -e new.elf -- sh run.sh
	[ "$status" = 2 ]
	[[ $output == *'--base-command requires --base'* ]]
	run kst-count --base old.elf --base-command 'sh run.sh good' -- sh run.sh
	[ "$status" = 2 ]
	[[ $output == *'--base-command needs the kernel of the command after --: -e FILE'* ]]
}

@test "--base: what a call costs with another kernel, and whose code differs" {
	vm=(qemu-system-riscv64 -M virt -bios none "${plain[@]}")
	cp "$B/guest/riscv64-count.elf" old.elf
	cp "$B/guest/riscv64-extra.elf" new.elf
	timeout 1000 kst-count --base old.elf -- "${vm[@]}" -kernel new.elf >out 2>err
	sed -n 1p out | grep -q '^a call costs more in 1 function, less in 0, '
	tail -n 1 out | grep -q '^1 function whose code differs costs more: adds '
	# the next command, which can be run
	next=$(sed -n 's/^kst-count: in which lines (of a kernel with -g): //p' err)
	[[ $next = "kst count -e new.elf --lines -- qemu-system-riscv64 "*" -kernel new.elf | kst top --lines '^adds\$'" ]]
	eval "${next//kst /kst-}" >lines 2>err
	grep -q 'tiny/count' lines
	rm lines
	sed -n 3p out | grep -q ' adds \[code differs: [^]]*count.c:[0-9]*\]$'
	# by the environment, and only what is asked for
	echo 'k=$1; shift; exec "$k" -kernel "$KST_KERNEL" "$@"' >run.sh
	KST_KERNEL=new.elf timeout 1000 kst-count --base old.elf --in turn -- \
		sh run.sh "${vm[@]}" >out 2>err
	grep -q '^a call costs more in 0 functions' out
	[ "$(grep -c 'in which lines' err)" = 0 ]
	[ "$(ls)" = "$(printf '%s\n' err new.elf old.elf out run.sh)" ]
	# these guests end by themselves; others need an end, or a key
	[[ $(head -n 1 err) = *'no end was given, such as -n 1e9: each run lasts '* ]]
	# the counts stay beside --output, by a script that has only $KST_KERNEL
	timeout 1000 kst-count --base old.elf -e new.elf -n 1e9 -o x.folded -- \
		sh run.sh "${vm[@]}" >out 2>err
	sed -n 3p out | grep -q ' adds \[code differs: [^]]*count.c:[0-9]*\]$'
	[ "$(grep -c 'no end was given' err)" = 0 ]
	grep -q 'kst count -e new.elf --lines -n 1e9 -- sh run.sh ' err
	grep -q 'top;twice;adds ' x.before.folded
	grep -q 'unit=calls' x.after.calls.folded
	grep -q 'unit=calls' x.before.calls.folded
	timeout 1000 kst-count --base old.elf -e new.elf -n 1e9 -o x.folded -- \
		sh run.sh "${vm[@]}" >out 2>err
	for wrong in "--base old.elf -- true" "--base old.elf -o x -- true new.elf"; do
		run kst-count $wrong
		[ "$status" = 2 ]
	done
	run kst-count --base none -- true new.elf
	[ "$status" = 1 ]
	# a script that names its kernel itself, and hands nothing on
	echo "${vm[*]} -kernel new.elf" >own.sh
	timeout 1000 kst-count --base old.elf -e new.elf -- sh own.sh >out 2>err
	grep -q '^a call costs more in 1 function, less in 0, ' out
	# where it has QEMU's path, the folder of names is not asked
	sed -i "s|^[^ ]*|$(command -v qemu-system-riscv64)|" own.sh
	rc=0
	timeout 100 kst-count --base old.elf -e new.elf -- sh own.sh 2>err || rc=$?
	[ $rc = 1 ]
	# where options have a space in them, the script is told before it runs
	mkdir 'a b'
	cp "$B/kst-count" "$B/kst-count.so" 'a b'
	echo ': # qemu' >own.sh
	timeout 100 'a b/kst-count' -- sh own.sh 2>err || true
	grep -q 'own.sh has no "$@": unless its line for QEMU ends in "$@", kst' err
	timeout 100 'a b/kst-count' -- sh run.sh true 2>err || true
	[ "$(grep -c 'has no' err)" = 0 ]
}

@test "switches between threads, and jumps over frames, leave no wrong stack" {
	for arch in i386 aarch64 riscv64; do
		count $arch-count --what calls
		[ "$(of 'start;top;here;turn')" = 100 ]
		[ "$(of 'there;adds')" = 100 ]
		[ "$(of 'start;top;jumps;climb;climb;climb;climb;climb;climb')" -ge 99 ]
		# what a jump left is gone with the next call at most
		[ "$(awk -F';' 'NF > 12' out | wc -l)" = 0 ]
		[ "$(grep -c 'there;.*start\|here;.*there\|lost' out)" = 0 ]
	done
}

@test "a thread that goes on with another CPU is counted below that one" {
	can_smp || skip "QEMU before 9.2 is needed"
	timeout 1000 kst-count -e "$B/guest/riscv64-pair.elf" -- qemu-system-riscv64 \
		-M virt -bios none -smp 2 "${plain[@]}" -kernel "$B/guest/riscv64-pair.elf" >out 2>err
	own=$(outside riscv64 "$B/guest/riscv64-pair.elf")
	grep -qx "CPU#1;start;top;handed_on;adds $((300000 + own))" out
	[ "$(grep -c 'CPU#0.*adds' out)" = 0 ]
}

@test "tasks of a kernel with one stack are told by where their registers are saved" {
	count riscv64-tasks
	own=$(outside riscv64 "$B/guest/riscv64-tasks.elf")
	cat out
	[ "$(of 'alpha;adds')" = $((100 * (300000 + own))) ]
	[ "$(of 'beta;below;adds')" = $((99 * (300000 + own))) ]
	# a call of yield() is two instructions
	[ "$(of 'beta;below;yield')" = $((100 + 99)) ]
	[ "$(grep -c 'alpha.*beta\|beta.*alpha\|lost' out)" = 0 ]
}

@test "a scheduler that threads and handlers jump to has its own stack" {
	for bits in 64 32; do
		timeout 1000 kst-count -e "$B/guest/riscv$bits-system.elf" -- \
			"qemu-system-riscv$bits" -M virt -bios none "${plain[@]}" \
			-kernel "$B/guest/riscv$bits-system.elf" >out 2>err
		cat out
		# 60 ticks: 30 come while the worker works; the second one on a thread
		# that sleeps tells of the stack
		[ "$(grep -c '^CPU#0;worker;work ' out)" = 1 ]
		[ "$(awk '/;nap.*handler called/ { n += $NF } END { print n + 0 }' out)" -lt 400 ]
		[ "$(of 'start;top;schedule;<signal handler called>;handler;tick')" -gt 400 ]
		[ "$(grep -c 'poller.*worker\|worker.*poller\|lost' out)" = 0 ]
		[ "$(grep -c 'called>.*called>.*called>' out)" = 0 ]
	done
}

@test "programs at one place are told by their code" {
	count riscv64-programs -e "$B/guest/riscv64-program-b.elf" \
		-e "$B/guest/riscv64-program-a.elf"
	cat out err
	# a loop of 3 x 1000 and two more; 6 instructions, and two for each call
	[ "$(of 'start;top;run;begin_a;body_a;work_a')" = $((2 * 3002)) ]
	[ "$(of 'start;top;run;begin_b;body_b;work_b')" = $((5 * 3002)) ]
	[ "$(of 'start;top;run;begin_a;body_a')" = $((2 * 2 + 6)) ]
	[ "$(of 'start;top;run;begin_b;body_b')" = $((5 * 2 + 6)) ]
	[ "$(grep -c '_a;.*_b\|_b;.*_a' out)" = 0 ]
	count riscv64-programs -e "$B/guest/riscv64-program-b.elf" \
		-e "$B/guest/riscv64-program-a.elf" --in body_a
	[ "$(of 'start;top;run;begin_a;body_a;work_a')" = $((2 * 3002)) ]
	[ "$(grep -c _b out)" = 0 ]
	count riscv64-programs -e "$B/guest/riscv64-program-a.elf" \
		-e "$B/guest/riscv64-program-b.elf" --trace --in body_b
	[ "$(grep -c 'B.work_b' out)" = 5 ]
	[ "$(grep -c _a out)" = 0 ]
	# a program without a file has no names, but the addresses that it has
	count riscv64-programs -e "$B/guest/riscv64-program-a.elf" --addresses
	grep -q ';0x[0-9a-f]* in begin_a;0x80100080 1$' out
	grep -q ';0x80100010 in begin_a;0x80100094 in body_a;0x80100044 in work_a 1000$' out
	[ "$(grep -c '0x[0-9a-f]\{11\}' out)" = 0 ]
}

# Several vCPUs can be counted.
can_smp() {
	! qemu-system-x86_64 --version | grep -q 'version \(9\.[2-9]\|[1-9][0-9]\)'
}

# smp N OPTION ...: counts cfi.elf with N vCPUs.
smp() {
	local n=$1
	shift
	kst-count "$@" -e "$B/guest/cfi.elf" -- qemu-system-x86_64 \
		"${plain[@]}" -smp $n -kernel "$B/guest/cfi.elf"
}

@test "without -e the kernel is the file that QEMU was given, by whatever script" {
	mkdir build
	cp "$B/guest/riscv64-count.elf" build/kernel.elf
	count riscv64-count --in adds
	mv out named
	machine riscv64
	timeout 1000 kst-count --in adds -- "${qemu[@]}" "${plain[@]}" \
		-kernel build/kernel.elf >out 2>err
	cmp named out
	count riscv64-count
	mv out named
	printf 'cd build\nk=$1; shift\nexec $k -kernel kernel.elf "$@"\n' >run.sh
	timeout 1000 kst-count -- sh run.sh "${qemu[*]} ${plain[*]}" >out 2>err
	cmp named out
	timeout 1000 kst-count --lines -- sh run.sh "${qemu[*]} ${plain[*]}" >out 2>err
	sed 's/ at [^ ;]*//g' out | grep -v '^#' | kst-fold >lines
	kst-fold named | grep -v '^#' >want
	grep -v '^#' lines | cmp - want
	grep -q ';adds at [^ ]*:[0-9]' out
	# functions that options name are sought in it
	later() {
		timeout 1000 kst-count "$@" -- sh run.sh "${qemu[*]} ${plain[*]}" >out 2>err
	}
	count riscv64-count --in adds
	mv out named
	later --in adds
	cmp named out
	later --trace --only adds
	[ "$(cut -f4 out | sort -u)" = adds ]
	for option in --in --from --until '--trace --only'; do
		run later $option nosuch
		[ "$status" = 2 ]
		grep -q "no function 'nosuch' in " err
	done
	# and there may be none
	printf 'k=$1; shift\nexec $k -device loader,file=build/kernel.elf "$@"\n' >none.sh
	run timeout 1000 kst-count --in adds -- sh none.sh "${qemu[*]} ${plain[*]}"
	[ "$status" = 2 ]
	[[ $output == *"'adds' is, is told by the kernel's file: give it with -e"* ]]
	# one without symbols names nothing
	riscv64-linux-gnu-strip build/kernel.elf
	timeout 1000 kst-count -- sh run.sh "${qemu[*]} ${plain[*]}" >out 2>err
	grep -q '^CPU#0;0x' out
}

@test "two runs give equal bytes" {
	for run in a b; do
		smp 1 -n 8e7 >$run 2>err
	done
	cmp a b
	if ! can_smp; then
		rc=0
		smp 2 -n 8e7 >out 2>err || rc=$?
		[ "$rc" = 1 ]
		grep -q 'needs -smp 1' err
		[ ! -s out ]
	fi
}

@test "two runs with four CPUs give equal bytes" {
	can_smp || skip "QEMU before 9.2 is needed"
	for run in a b; do
		smp 4 -n 8e7 >$run.4 2>err
	done
	cmp a.4 b.4
	# all of it is counted, up to the end of a block
	sum=$(awk '!/^#/ { s += $NF } END { printf "%d", s }' a.4)
	[ "$sum" -ge 80000000 ]
	[ "$sum" -lt 80000512 ]
	grep -q '^CPU#0;cpu_entry;cpu_main;busy;work_a;parse;burn;mix ' a.4
	grep -q '^CPU#3;cpu_entry;cpu_main;deep;' a.4
	[ "$(grep -c 'busy.*deep\|deep.*busy' a.4)" = 0 ]
}

@test "a network card that the machine has by default is said, and only that" {
	for machine in "1 i386 -M pc" "0 i386 -M microvm" "1 aarch64 -cpu cortex-a57 -M virt" \
		"0 riscv64 -bios none -M virt,aia=none" "1 riscv64 -bios none -M sifive_u"; do
		read -r card arch options <<<"$machine"
		timeout 1000 kst-count -n 1e4 -- qemu-system-$arch $options -display none \
			-serial none -monitor none -kernel "$B/guest/$arch-count.elf" >out 2>err
		[ "$(grep -c 'adds a network card .*-nic none' err)" = $card ]
		[ "$(grep -c 'exact=1,reproducible=0$' out)" = $card ]
	done
}

@test "without a file code counts where its function begins, as calls led there" {
	for arch in aarch64 riscv64; do
		count $arch-count
		grep ';adds ' out | sort >named
		"$arch-linux-gnu-strip" -o bare.elf "$B/guest/$arch-count.elf"
		for more in --what=instructions --addresses; do
			kst-count "$more" -- "${qemu[@]}" "${plain[@]}" \
				-kernel bare.elf >"./$more" 2>err
			kst-sym -e "$B/guest/$arch-count.elf" <"./$more" | kst-fold |
				grep ';adds ' | sort | diff named -
		done
		[ "$(wc -l <./--addresses)" -gt "$(wc -l <./--what=instructions)" ]
	done
}

@test "a PC's firmware changes stacks without an end, and none is lost" {
	kst-count -n 3e7 -- qemu-system-x86_64 "${plain[@]}" >out 2>err
	grep -q 'after 3000[0-9]* instructions, in [0-9]* stacks$' err
	! grep -F '[lost]' out
}

@test "each address, function and inlined function has the judge's count" {
	"$BATS_TEST_DIRNAME/count/judged" "$B/guest/cfi.elf" 4e7 qemu-system-x86_64 \
		"${plain[@]}" -smp $(can_smp && echo 2 || echo 1) -kernel "$B/guest/cfi.elf" >judged
	cat judged
	grep -q '^[0-9]* addresses, [0-9]* functions, 4000' judged
	# wait_ms() is inlined, and now() into it
	smp 1 -n 4e7 >out 2>err
	[ "$(of 'cpu_entry;cpu_main;boot;smp_start;wait_ms')" -gt 3000000 ]
	[ "$(of 'cpu_entry;cpu_main;boot;smp_start;wait_ms;now')" -gt 6000000 ]
}

@test "an interrupt is on top of what it interrupts, and returns to it" {
	can_smp || skip "QEMU before 9.2 is needed"
	smp 4 -n 3e8 >out 2>err
	grep -q '^CPU#1;cpu_entry;cpu_main;busy_irq;.*;<signal handler called>;timer_entry;timer_irq;irq_work;burn' out
	# no stack has two of them
	[ "$(grep -c 'signal handler.*signal handler' out)" = 0 ]
	[ "$(grep -c lost out)" = 0 ]
}

@test "interrupts are counted where their handler begins" {
	count riscv64-tasks --what interrupts
	cat out
	# each yield is an exception
	[ "$(awk '!/^#/ { n += $NF } END { print n }' out)" -ge 199 ]
	[ "$(grep -v '^#' out | grep -vc '<signal handler called>;[^;]* ')" = 0 ]
	# and how many come in a million instructions
	cp out direct
	read -r n insns <<<"$(awk -F'[=,]' '/^#/ { print n, $4; next } { split($0, f, " "); n += f[length(f)] }' out)"
	[ "$insns" = "$(sed -n 's/.* after \([0-9]*\) instructions.*/\1/p' err)" ]
	want=$(awk "BEGIN { printf \"%.4g\", $n / $insns * 1e6 }")
	kst-top --sort total --callers 'signal handler' out | tee top
	head -n 1 top | grep -q 'total  per million  caller$'
	kst-top --sort total out | grep -q " $want  start$\| $want  <signal handler called>$"
	count riscv64-tasks --also interrupts=also
	cmp direct also
	# sums of files have sums of both
	kst-fold also also | grep -q "^#kst:unit=interrupts,instructions=$((2 * insns)),exact=1$"
	[ "$(kst-fold out | sed '$s/instructions=[0-9]*,//' | kst-top | grep -c million)" = 0 ]
}

@test "waits that have not ended: in messages, and below a frame of their own" {
	want='left [0-9]* instructions before the end and not gone on:'
	for arch in riscv64 i386 aarch64; do
		# three threads that nobody wakes, the last one first
		count $arch-sleepers --what waiting --from top -n 1000000
		grep "^kst-count: left" err | sed "s/$want/LEFT/" | diff - <(cat <<-'EOF'
		kst-count: LEFT go_to < sleep_on < yield < helper
		kst-count: LEFT go_to < sleep_on < write_log < writer
		kst-count: LEFT go_to < sleep_on < read_disk < reader
		EOF
		)
		n=$(sed -n 's/^\[to the end\];CPU#0;reader;read_disk;sleep_on;go_to //p' out)
		[ "$n" -gt 990000 ]
		[ "$n" -le 1000000 ]
		[ "$n" = "$(sed -n 's/^kst-count: left \([0-9]*\) .*reader$/\1/p' err)" ]
		[ "$(grep -c '^\[to the end\]' out)" = 3 ]
	done
	# also where what was to come never did; not where it came, nor without a place
	count riscv64-sleepers -n 1000000 --until read_disk
	[ "$(grep -c "^kst-count: $want" err)" = 0 ]
	count riscv64-sleepers -n 1000000
	[ "$(grep -c "^kst-count: $want" err)" = 0 ]
	count riscv64-sleepers -n 1000000 --until start --from busy
	[ "$(grep -c "^kst-count: $want" err)" = 3 ]
}

@test "a stack that was left waits for what is counted until it goes on" {
	count riscv64-tasks --what waiting
	own=$(outside riscv64 "$B/guest/riscv64-tasks.elf")
	cat out
	[ "$(grep -v '^\[to the end\];' out | grep -vc '^#')" = 2 ]
	# each waits for the loops of the other, and a few instructions of each turn
	grep -v '^\[to the end\];' out >ended
	mv ended out
	for stack in 'alpha;yield' 'beta;below;yield'; do
		more=$(($(of "$stack") - 99 * (300000 + own)))
		echo "$more"
		[ "$more" -gt 0 ]
		[ "$more" -lt $((99 * 100)) ]
	done
	# what was before the range is not in it
	count riscv64-tasks --what waiting --from below -n 200000
	[ "$(of 'alpha;yield')" -le 200000 ]
	# threads with stacks of their own
	for arch in i386 aarch64 riscv64; do
		count $arch-count --what waiting
		cat out
		sed -i '/^\[to the end\];/d' out
		own=$(outside $arch "$B/guest/$arch-count.elf")
		more=$(($(of 'start;top;here') - 100 * (300000 + own)))
		[ "$more" -gt 0 ]
		[ "$more" -lt $((100 * 100)) ]
	done
}

@test "ranges: below a function, from and until, pieces of time" {
	count i386-count --in adds
	[ "$(sed 's/.*;//; s/ .*//' out | grep -v '^#' | sort -u)" = adds ]
	count i386-count --in adds --from turn
	[ -z "$(of 'start;top;twice;adds')" ]
	count i386-count --until turn
	[ -n "$(of 'start;top;twice;adds')" ]
	[ -z "$(of 'there;adds')" ]
	count i386-count --from twice --every 1e7
	[ "$(cut -d';' -f1 out | grep '^\[' | sort -u | wc -l)" = 4 ]
	[ "$(grep -c ' -' out)" = 0 ]
}

@test "a line of the guest's log begins the count" {
	kst-count -e "$B/guest/riscv64-brief.elf" --serial log --from "line:mounting" --until "line:a, b" -- \
		qemu-system-riscv64 -M virt -bios none -display none -monitor none \
		-serial file:log -kernel "$B/guest/riscv64-brief.elf" >out 2>err
	grep -q ';mount_root' out
	[ "$(grep -c ';probe_devices' out)" = 0 ]
	mv out by-file
	# and without --serial, where QEMU writes the log to its standard output
	export KERNEL=$B/guest/riscv64-brief.elf
	echo 'exec qemu-system-riscv64 -M virt -bios none -nographic -monitor none \
		-kernel "$KERNEL" "$@"' >run.sh
	kst-count -e "$KERNEL" --from line:mounting --until "line:a, b" -- \
		sh run.sh >out 2>err </dev/null
	cmp by-file out
	grep -q '^mounting' err
	kst-count -e "$KERNEL" --from line:probing --until line:mounting -- \
		qemu-system-riscv64 -M virt -bios none -display none -monitor none \
		-serial stdio -kernel "$KERNEL" >out 2>err </dev/null
	grep -q 'ended at line:mounting' err
}

@test "reads and writes" {
	for what in reads writes; do
		count riscv64-count --what $what
		grep -q "^#.*unit=$what" out
	done
	count riscv64-count --what writes --in turn
	# it stores 13 registers and the stack pointer
	[ "$(of 'start;top;here;turn')" = 1400 ]
}

@test "what cannot be counted says why" {
	run kst-count -e "$B/guest/i386-count.elf" --in nosuch -- true
	[ "$status" = 2 ]
	[[ $output == *"no function 'nosuch'"* ]]
	for option in --from --until; do
		run kst-count $option line:ready -- true
		[ "$status" = 2 ]
		[[ $output == *"$option: a line needs --serial"* ]]
	done
	run kst-count -e missing.elf -- true
	[ "$status" = 1 ]
	run kst-count --what
	[ "$status" = 2 ]
	run kst-count --what wishes -- true
	[ "$status" = 2 ]
	[[ $output == *"'wishes' is not instructions, calls, reads, writes, blocks, interrupts or waiting"* ]]
	run kst-count -e "$B/guest/i386-count.elf"
	[ "$status" = 2 ]
	run kst-count -- true
	[ "$status" = 1 ]
	[[ $output == *"nothing was counted"* ]]
	run timeout 1000 kst-count --no-icount -- qemu-system-x86_64 -accel tcg,thread=multi \
		-smp 2 "${plain[@]}" -kernel "$B/guest/cfi.elf"
	[ "$status" = 1 ]
	[[ $output == *"several threads"* || $output == *"needs -smp 1"* ]]
	run timeout 1000 kst-count -- qemu-system-i386 "${plain[@]}" -kernel missing.elf
	[ "$status" = 1 ]
	[[ $output == *"nothing was counted: qemu-system-i386 ended with status 1"* ]]
	# one of another processor
	run kst-count -- qemu-system-arm -M none -display none
	[[ $output == *'of x86_64, i386, aarch64, riscv32 and riscv64, not of arm: kst flame samples it'* ]]
	[[ $output == *'nothing was counted: qemu-system-arm ended with status 1' ]]
	run kst-count -- ./missing
	[ "$status" = 1 ]
	[[ $output == *"./missing: No such file"* ]]
	run kst-count -n 1e-3 -- true
	[ "$status" = 2 ]
	[ "$(ls -d kst-count.?????? 2>/dev/null | wc -l)" = 0 ]
}

@test "a QEMU that is killed leaves nothing half" {
	mkdir tmp
	TMPDIR=$PWD/tmp kst-count -- sh -c 'exec qemu-system-x86_64 -pidfile pid "$@"' \
		sh "${plain[@]}" -kernel "$B/guest/cfi.elf" >out 2>err 3>&- &
	for ((i = 0; i < 2000; i++)); do
		[ ! -s pid ] || break
		sleep 0.05
	done
	sleep 0.5
	kill -9 "$(cat pid)"
	status=0
	wait $! || status=$?
	[ $status = 4 ]
	grep -q 'was killed' err
	[ ! -s out ]
	[ -z "$(ls tmp)" ]
}

@test "what the command leaves running does not hold the count, and is ended" {
	vm=(qemu-system-i386 -device "isa-debug-exit,iobase=0xf4,iosize=1"
		"${plain[@]}" -kernel "$B/guest/i386-count.elf")
	timeout 1000 kst-count -e "$B/guest/i386-count.elf" -- sh -c 'sleep 3000 & echo $! >left
		"$@"' sh "${vm[@]}" >out 2>err 3>&-
	[ ! -e "/proc/$(cat left)" ]
	[ -n "$(of 'there;adds')" ]
	# and one that starts QEMU apart from itself is waited for
	timeout 1000 kst-count -e "$B/guest/i386-count.elf" -- sh -c 'setsid "$@" &' \
		sh "${vm[@]}" >out 2>err 3>&-
	[ -n "$(of 'there;adds')" ]
}

# counting OPTION ...: kst-count of a guest by a script that does not become QEMU; $!
# when QEMU counts. The group of it is its own, as timeout(1) makes one.
counting() {
	setsid kst-count -e "$B/guest/cfi.elf" "$@" -- sh -c \
		'qemu-system-x86_64 -name '"$BATS_TEST_TMPDIR"' -pidfile pid "$@"; :' sh \
		"${plain[@]}" -kernel "$B/guest/cfi.elf" >out 2>err 3>&- &
	for ((i = 0; i < 2000; i++)); do
		[ ! -s pid ] || break
		sleep 0.05
	done
	# a QEMU that counts handles SIGTERM
	until [ $((0x$(sed -n 's/^SigCgt:\t//p' "/proc/$(cat pid)/status") >> 14 & 1)) = 1 ]; do
		sleep 0.05
	done
	sleep 0.5
}

# Nothing that was started is left soon after.
gone() {
	for ((i = 0; i < 300; i++)); do
		pgrep -f "name $BATS_TEST_TMPDIR" >left || return 0
		sleep 0.1
	done
	return 1
}

@test "a signal ends QEMU that a script has started, and what was counted is shown" {
	for s in TERM INT HUP; do
		rm -f pid
		counting
		kill -$s $!
		wait $!
		grep -q ',exact=1$' out
		gone
	done
}

@test "timeout signals the command and its group: that is one wish" {
	for ((k = 0; k < 5; k++)); do
		rm -f pid
		counting
		kill -TERM $! -$!
		wait $!
		grep -q ',exact=1$' out
		gone
	done
}

@test "a process of kst-count is killed: nothing is left, and the count is not lost" {
	counting
	kill -9 $!
	gone
	for ((i = 0; i < 600; i++)); do
		! grep -q ',exact=1$' out || break
		sleep 0.1
	done
	grep -q ',exact=1$' out
	rm -f pid
	counting
	kill -9 "$(pgrep -P $! kst-count)"
	status=0
	wait $! || status=$?
	[ $status = 4 ]
	grep -q 'a process of kst-count was ended by signal 9' err
	grep -q ',exact=1$' out
	gone
}

@test "a disk that is full is an error, and no half result" {
	mkdir small
	mount -t tmpfs -o size=64k none small 2>/dev/null || skip "needs a mount"
	status=0
	TMPDIR=$PWD/small kst-count -n 5e7 -e "$B/guest/cfi.elf" -- \
		qemu-system-x86_64 "${plain[@]}" -kernel "$B/guest/cfi.elf" \
		>out 2>err || status=$?
	umount small
	[ $status != 0 ]
	[ ! -s out ]
	grep -q 'No space left' err
}

@test "several things are counted in one run, each as if it were alone" {
	also=()
	for what in calls reads writes blocks interrupts waiting; do
		also+=(--also $what=also.$what)
	done
	count riscv64-tasks "${also[@]}"
	mv out all
	count riscv64-tasks
	cmp out all
	for what in calls reads writes blocks interrupts waiting; do
		count riscv64-tasks --what $what
		cmp out also.$what
	done
	# with pieces of time, too; a file without a count has its unit
	count i386-count --what calls --every 1e7 --also interrupts=none
	mv out all
	count i386-count --every 1e7 --also calls=also.calls --force
	cmp also.calls all
	grep -qx '#kst:unit=interrupts,instructions=[0-9]*,exact=1' none
	[ "$(wc -l <none)" = 1 ]
	run kst-count --also calls -- true
	[ "$status" = 2 ]
	[[ $output == *"is not WHAT=FILE"* ]]
	run kst-count --what calls --also calls=out -- true
	[ "$status" = 2 ]
}

@test "a file that kst did not write is refused before QEMU is started" {
	echo 'my own' >mine
	for option in "--also calls=mine" "--coverage mine"; do
		run kst-count -e "$B/guest/i386-count.elf" $option -- touch started
		[ "$status" = 2 ]
		[[ $output == *"mine: "*"--force"* ]]
		[ ! -e started ]
	done
	[ "$(cat mine)" = 'my own' ]
	# nor one that two would write, and none in a folder that is not there
	for o in '--also reads=a --also calls=a' '--also calls=a -o a'; do
		run kst-count -e "$B/guest/riscv64-lines.elf" $o -- touch started
		[ "$status" = 2 ]
		[[ $output = *'a is written by another option, too'* ]]
	done
	for o in '--also calls=none/a' '-o none/a' '--coverage none/a'; do
		run kst-count -e "$B/guest/riscv64-lines.elf" $o -- touch started
		[ "$status" = 1 ]
		[[ $output = *'none/a: No such file or directory'* ]]
	done
	mkdir folder
	for o in '--also calls=/dev/full' '--also calls=folder' '-o folder' '--coverage folder'; do
		run kst-count -e "$B/guest/riscv64-lines.elf" $o -- touch started
		[ "$status" = 1 ]
		[[ $output = *'/dev/full: is not a regular file'* || $output = *'folder: is a folder'* ]]
	done
	[ ! -e started ]
	# what only writing shows has a name, too
	for o in '-o /dev/full' '--coverage /dev/full'; do
		machine riscv64
		run kst-count -e "$B/guest/riscv64-lines.elf" $o -- "${qemu[@]}" "${plain[@]}" \
			-kernel "$B/guest/riscv64-lines.elf"
		[ "$status" = 4 ]
		[[ $output = *'/dev/full was not written'* ]]
	done
}

@test "an instruction more is found by what each call costs, and nothing else is" {
	for arch in i386 aarch64 riscv64; do
		for kind in count extra; do
			count $arch-$kind --also calls=$kind.calls --force
			mv out $kind
		done
		kst-diff --per-call count.calls,extra.calls \
			--gate x1.000001 count extra >out || [ $? = 3 ]
		cat out
		own=$(($(outside $arch "$B/guest/$arch-count.elf") + 300000))
		[ "$(grep -c '^REGRESSION' out)" = 1 ]
		grep -q "^REGRESSION adds $own -> $((own + 1)) " out
		grep -q 'costs more in 1 function, less in 0' out
	done
}

# It runs low, where it is linked, goes on in the other half, and then a program runs
# where decompress() was.
away() {
	timeout 1000 kst-count -e "$B/guest/away-high.elf" "$@" -- qemu-system-x86_64 \
		"${plain[@]}" -kernel "$B/guest/away-high.elf" >out 2>err
}

@test "a kernel that moves to the other half is named at both places, and no program by it" {
	away
	grep -q '^kst-count: .*away-high.elf runs at its addresses - 0x7f000000$' err
	[ "$(of 'low;early;decompress')" = 5 ]
	[ "$(of 'high;late;probe_devices;pass')" = "$(of 'low;early;decompress;pass')" ]
	[ "$(of 'high;late;take_steps;step_11')" = 5 ]
	[ "$(of 'high;late;run_program;0x102005')" = 1000 ]
	! grep -q 'run_program;[a-z]*[. ]' out || false
	! grep 0xffffffff out err || false
}

@test "--in, --from, --until, --only and calls are of the kernel that has moved" {
	away --in decompress
	[ "$(of 'low;early;decompress')" = 5 ]
	! grep high out || false
	away --in run_program
	[ "$(of 'high;late;run_program;0x102005')" = 1000 ]
	! grep -v '^#\|;run_program' out || false
	away --what calls --from probe_devices
	[ "$(of 'high;late;probe_devices;pass')" = 1 ]
	[ "$(of 'high;late;run_program;0x102000')" = 1 ]
	away --until run_program
	grep -qx 'kst-count: CPU#0: run_program < late < high' err
	away --trace
	for f in decompress late take_steps step_11 step_21 run_program 0x102000; do
		[ "$(grep -c "	B	$f\$" out)" = 1 ]
	done
	! grep 0xffffffff out || false
	away --trace --only decompress --only run_program
	[ "$(cut -f 3- out | tr '\n' ' ')" = "B	decompress E	decompress B	run_program E	run_program " ]
}
