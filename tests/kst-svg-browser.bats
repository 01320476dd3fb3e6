# SPDX-License-Identifier: ISC
# slow
# lane: long

setup_file() {
	cd "$BATS_TEST_DIRNAME/svg" || exit 1
	if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
		npm ci --no-audit --no-fund >&2
	fi
}

setup() {
	cd "$BATS_TEST_DIRNAME/svg" || exit 1
}

# passes FILE: the tests in FILE.test.mjs.
passes() {
	timeout 2000 node --test "$1.test.mjs"
}

@test "one can walk, zoom, search and switch views" {
	passes picture
}

@test "callers and callees, merged recursion, the table" {
	passes views
}

@test "ranges of time are selected and compared" {
	passes when
}

@test "flame charts have tracks, an axis and a ruler" {
	passes chart
}

@test "pictures are readable, and hostile names are text" {
	passes look
}

@test "speedscope passes the trailer by, and has charts in the same order" {
	passes readers
}

@test "axe-core finds nothing wrong" {
	passes axe
}

@test "the same in Firefox and WebKit" {
	passes browsers
}
