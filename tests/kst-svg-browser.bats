# SPDX-License-Identifier: ISC
# slow

setup_file() {
	cd "$BATS_TEST_DIRNAME/svg" || exit 1
	if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
		npm ci --no-audit --no-fund >&2
	fi
}

setup() {
	cd "$BATS_TEST_DIRNAME/svg" || exit 1
}

@test "one can walk, zoom, search and switch views" {
	timeout 100 node --test picture.test.mjs
}

@test "callers and callees, merged recursion, the table" {
	timeout 100 node --test views.test.mjs
}

@test "ranges of time are selected and compared" {
	timeout 100 node --test when.test.mjs
}

@test "flame charts have tracks, an axis and a ruler" {
	timeout 100 node --test chart.test.mjs
}

@test "pictures are readable, and hostile names are text" {
	timeout 100 node --test look.test.mjs
}

@test "speedscope passes the trailer by, and has charts in the same order" {
	timeout 100 node --test readers.test.mjs
}

@test "axe-core finds nothing wrong" {
	timeout 100 node --test axe.test.mjs
}

@test "the same in Firefox and WebKit" {
	timeout 150 node --test browsers.test.mjs
}
