# SPDX-License-Identifier: ISC
# slow
# The pictures of README.md, docs/reading.md and docs/case.md are what `make pictures` draws now.

@test "docs have the pictures that are drawn now" {
	cd "$BATS_TEST_DIRNAME/.."
	B=$B sh tests/pictures.sh "$BATS_TEST_TMPDIR"
	echo 'if this fails: make pictures, look at them, and commit docs/'
	cmp docs/demo.svg "$BATS_TEST_TMPDIR/demo.svg"
	diff docs/pictures/drawn "$BATS_TEST_TMPDIR/drawn"
	# README.md's command draws it
	sed -n '/^    gzip -dc/,/demo.svg$/p' README.md |
		sed "s,> docs/demo.svg,> '$BATS_TEST_TMPDIR/own.svg'," >"$BATS_TEST_TMPDIR/draw"
	sh "$BATS_TEST_TMPDIR/draw"
	cmp docs/demo.svg "$BATS_TEST_TMPDIR/own.svg"
	for png in docs/demo.png docs/pictures/{callers,diff,boot}.png; do
		[ "$(head -c 4 "$png" | tail -c 3)" = PNG ]
		grep -q "(${png#docs/})" docs/reading.md
	done
	for png in docs/pictures/{xv6,xv6-diff}.png; do
		[ "$(head -c 4 "$png" | tail -c 3)" = PNG ]
		grep -q "(${png#docs/})" docs/case.md
	done
}
