# SPDX-License-Identifier: ISC
# Kernels as they boot, and lists of symbols, in place of ELF files: small ones,
# made here; tests/kernels/run has Debian's.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

make_kernel() {
	python3 "$BATS_TEST_DIRNAME/fixtures/kimage/make.py" "$@"
}

# all_named FILE [KERNEL]: the first and last byte of each function has its name.
all_named() {
	local f=$1 of=${2:-$1}
	kst-sym --shape folded -e "$f" "$of.bytes" | sed 's/ 1$//' | diff "$of.want" - >diff || {
		echo "$f:" && head -n 5 diff
		return 1
	}
}

@test "kallsyms of every layout, the base left to a relocation or not" {
	local bad=0
	for layout in 5.4 6.1 6.2 6.4 7.1; do
		for shape in elf arm64 arm64-rela; do
			make_kernel $layout $shape bare "$layout-$shape"
			all_named "$layout-$shape" || bad=1
		done
	done
	return $bad
}

@test "packed in any way, as a bzImage, a zboot, or the whole file" {
	local bad=0
	for packed in gzip.bz xz.bz lzma.bz lz4.bz zstd.bz gzip.zboot xz.zboot \
		zstd.zboot gzip zstd; do
		make_kernel 6.4 elf $packed $packed
		all_named $packed || bad=1
	done
	make_kernel 7.1 arm64 gzip.zboot zboot
	all_named zboot || bad=1
	return $bad
}

@test "a packed ELF file with symbols keeps them, and its lines" {
	echo 'int one(void) { return 1; } int _start(void) { return one(); }' >k.c
	for m in -m64 -m32; do
		cc $m -g -O0 -nostdlib -static -no-pie -o k.elf k.c
		at=$(nm k.elf | sed -n 's/ T one$//p')
		for pack in 'gzip -c' 'xz -c' 'zstd -qc'; do
			$pack k.elf >k.packed
			run -0 kst-sym -l -e k.packed <<<"#0  0x$at in ?? ()"
			[[ $output = *'in one () at k.c:1' ]]
		done
	done
}

@test "System.map, and a list out of order with a module" {
	make_kernel 6.4 elf bare k
	all_named k.map k
	{
		printf 'ffffffffc0001000 t mod_read\t[mod]\n'
		printf 'ffffffffc0000000 t mod_init\t[mod]\n'
		sort -R k.map
	} >list
	all_named list k
	run -0 kst-sym --shape folded -e list <<<'0xffffffffc0000fff;0xffffffffc0001010 1'
	[ "$output" = "mod_init;mod_read 1" ]
}

@test "moved: @+OFFSET" {
	make_kernel 7.1 arm64 gzip k
	awk 'NR == 10 { print $3 }' k.map >want
	awk 'NR == 10 { print "0x" substr($1, 1, 7) "1" substr($1, 9) " 1" }' k.map |
		kst-sym --shape folded -e k@+100000000 | cut -d' ' -f1 | diff want -
}

@test "what cannot be read says why: status 1" {
	make_kernel 6.4 elf xz.bz k
	head -c 9000 k >cut
	run -1 kst-sym -e cut /dev/null
	[ "$output" = "kst-sym: cut: a truncated kernel" ]
	printf 'XXXXXXXX' | dd of=k bs=1 seek=6000 conv=notrunc status=none
	run -1 kst-sym -e k /dev/null
	[ "$output" = "kst-sym: k: a damaged kernel, compressed with xz" ]
	make_kernel 6.4 arm64 bare flat
	head -c 100000 flat >cut
	run -1 kst-sym -e cut /dev/null
	[ "$output" = "kst-sym: cut: a kernel without kallsyms, or with an unknown load address" ]
	make_kernel 6.4 arm64 cut flat
	run -1 kst-sym -e flat /dev/null
	[ "$output" = "kst-sym: flat: a truncated kernel" ]
	head -c 513M /dev/zero | zstd -q >zeros.zst
	run -1 kst-sym -e zeros.zst /dev/null
	[ "$output" = "kst-sym: zeros.zst: a kernel of more than 512 MiB" ]
	head -n 50 k.map >map
	echo wrong >>map
	run -1 kst-sym -e map /dev/null
	[[ "$output" == "kst-sym: map: line "*" is not \`ADDRESS TYPE NAME'" ]]
	sed 's/^[0-9a-f]*/0000000000000000/' k.map >zeros
	run -1 kst-sym -e zeros /dev/null
	[ "$output" = "kst-sym: zeros: its addresses are all 0: /proc/kallsyms shows the real ones only to root" ]
}
