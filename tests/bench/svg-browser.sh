#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The picture of 300,000 frames in Chromium, Firefox and WebKit: how long it takes
# to load, zoom and search, how large it is; and one of as many frames in 500
# pieces of time, where ranges are selected.
#
#	B=build bash tests/bench/svg-browser.sh
#	BROWSERS='firefox webkit' B=build bash tests/bench/svg-browser.sh
set -eu
# shellcheck source=tests/bench/lib.bash
. "$(dirname "$0")/lib.bash"

[ tests/svg/node_modules/.package-lock.json -nt tests/svg/package-lock.json ] ||
	(cd tests/svg && npm ci --no-audit --no-fund >/dev/null)
program gen gen_gdb
"$dir/gen" --folded 24000 | LC_ALL=C sort | "$B/kst-svg" --all >"$dir/a.svg"
"$dir/gen" --folded 12000 | awk '{ printf "[%05.1fs];CPU#%d;%s\n",
	NR * 7919 % 500 / 10, NR % 4, $0 }' | LC_ALL=C sort |
	"$B/kst-svg" --all >"$dir/when.svg"
export B
timeout 400 node tests/svg/marks.mjs "$dir/a.svg" "$dir/when.svg"
