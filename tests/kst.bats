#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# kst help: pages of the tree that it stands in.

@test "pages are shown from the checkout, or from where a tarball was unpacked" {
	cd "$BATS_TEST_TMPDIR"
	mkdir -p bin "it's/build" "it's/docs" "it's/cmd/kst-fold" un/bin un/share/man/man5
	printf '#!/bin/sh\n[ "$1" != -w ] || exec test -e "$3"\nhead -n 1 "$2"\n' >bin/man
	chmod +x bin/man
	PATH="$PWD/bin:$PATH"
	for d in "it's/build" un/bin; do cp "$B/kst" "$B/kst-fold" "$d"; done
	echo folded >"it's/docs/kst-folded.5"
	echo recipes >"it's/docs/kst-recipes.7"
	echo fold >"it's/cmd/kst-fold/kst-fold.1"
	mkdir "it's/cmd/kst"
	echo command >"it's/cmd/kst/kst.1"
	echo overview >"it's/docs/kst.7"
	echo unpacked >un/share/man/man5/kst-folded.5
	for n in folded recipes fold; do
		[ "$("it's/build/kst" help $n)" = $n ]
	done
	[ "$("it's/build/kst" help kst-fold)" = fold ]
	[ "$("it's/build/kst" help)" = overview ]
	[ "$(un/bin/kst help folded)" = unpacked ]
	[[ "$(un/bin/kst help fold)" == *"kst-fold [options]"* ]]
	run un/bin/kst help recipes
	[ "$status" = 2 ]
}
