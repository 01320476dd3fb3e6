# SPDX-License-Identifier: ISC
# The Makefile and the script of the array in docs/scaling.md, as they stand.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	page=$BATS_TEST_DIRNAME/../docs/scaling.md
	for d in n1 n2 n3; do
		mkdir -p archive/$d
		for i in 1 2 3; do
			printf '[kst-capture seq=1]\nThread 1 (CPU#0 [running]):\n#0  0x1 in f%s::{impl#1}::g<u8> (...)\n#1  main ()\n' $i >archive/$d/$i.txt
		done
		gzip archive/$d/1.txt
		zstd -q --rm archive/$d/2.txt
	done
	printf 'main;f1::g 3\nmain;f2::g 3\nmain;f3::g 3\n' >want
}

# block LANGUAGE: the page's first block of code in that language.
block() {
	sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$page" | sed '1d;$d'
}

@test "the Makefile" {
	block make >archive.mk
	make -f archive.mk -j2
	grep -v '^#kst:' out/all.folded | cmp want -
	make -f archive.mk -q
	touch archive/n2/3.txt
	! make -f archive.mk -q || false
	make -f archive.mk -j2
	grep -v '^#kst:' out/all.folded | cmp want -
	cmp out/n1/2.txt.zst.folded out/n2/2.txt.zst.folded
}

@test "the tasks of the array, in any order, one of them twice" {
	block sh >array.sh
	for i in 2 0 1 0 3; do
		SLURM_ARRAY_TASK_ID=$i sh array.sh archive out
	done
	cat out/sums/*.folded | kst-fold --shape folded --plain --no-trailer |
		cmp want -
	[ -s out/n3/1.txt.gz.folded ]
}
