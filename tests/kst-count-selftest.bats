#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# slow
# needs: guest
# --selftest: whether a QEMU counts right.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	export TMPDIR=$PWD
	PATH="$B:$PATH"
}

# hex FILE: its bytes.
hex() {
	od -An -v -tx1 "$1" | tr -d ' \n'
}

@test "the QEMU at hand counts right, by block and by instruction" {
	while read -r arch n; do
		kst-count --selftest -- qemu-system-$arch >out 2>err
		cat err
		[ ! -s out ]
		grep -q "executed $n of $n known .* $n were counted one by one, of which 0 have another .* 4 of 4" err
		grep -q 'can be trusted' err
	done <<<$'x86_64 19008\ni386 19008\naarch64 21005\nriscv64 28006'
}

@test "a QEMU that executes something else is not trusted" {
	# compressed instructions are exceptions then
	run timeout 100 kst-count --selftest -- qemu-system-riscv64 -cpu rv64,c=false
	echo "$output"
	[ "$status" = 1 ]
	[[ $output == *"cannot be trusted"* ]]
	for command in ./run.sh qemu-system-sparc; do
		run kst-count --selftest -- $command
		[ "$status" = 2 ]
		[[ $output == *"give qemu-system-x86_64"* ]]
	done
	run kst-count --selftest -e kernel.elf -- qemu-system-x86_64
	[ "$status" = 2 ]
}

@test "the guests are those of the sources" {
	hex "$B/kst-count" >command
	for arch in x86_64 aarch64 riscv64; do
		case $arch in
		x86_64) cc=(gcc -m32 -Wl,-Ttext=0x100000) && copy=objcopy ;;
		aarch64) cc=(aarch64-linux-gnu-gcc -Wl,-Ttext=0x40080000) && copy=aarch64-linux-gnu-objcopy ;;
		riscv64) cc=(riscv64-linux-gnu-gcc -march=rv64imac_zicsr -mabi=lp64 -mno-relax
			-Wl,-Ttext=0x80000000) && copy=riscv64-linux-gnu-objcopy ;;
		esac
		"${cc[@]}" -nostdlib -static -Wl,--build-id=none,-e,start,-N -o guest \
			"$BATS_TEST_DIRNAME/count/selftest/$arch.S" 2>err || { cat err; false; }
		$copy -O binary -j .text guest bytes
		# up to the space for the stack
		text=$(hex bytes | sed 's/00000000000000000000000000000000.*//; s/\(00\)*$//')
		[ "${#text}" -ge 140 ]
		grep -q "${text%0100130000*}" command
	done
}
