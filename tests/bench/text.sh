#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# What kst-btrace, kst-osv and kst-json read in a second of processor time:
# the mark is 300 MB for btrace's and OSv's text.
#
#	B=build bash tests/bench/text.sh [MEGABYTES]
set -eu
# shellcheck source=tests/bench/lib.bash
. "$(dirname "$0")/lib.bash"
mb=${1:-200}
cpu_ms=0

program gen gen_text

# rate MARK NAME FILE COMMAND...: the median of $PAIRS runs.
rate() {
	local mark=$1 name=$2 file=$3 i all=''
	shift 3
	for ((i = 0; i < PAIRS; i++)); do
		cpu_ms "$@" "$file"
		all+="$cpu_ms"$'\n'
	done
	set -- "$(($(wc -c <"$file") / 1000 / ($(printf %s "$all" | median) + 1)))"
	printf '%-34s %6d MB/s of CPU  mark %s' "$name" "$1" "$mark"
	was "$name, MB/s" "$1"
}

for kind in printf map newmap osv json; do
	"$dir/gen" $kind "$mb" >"$dir/$kind"
done
rate 300 'kst-btrace, printf stream' "$dir/printf" "$B/kst-btrace"
rate 300 'kst-btrace, maps' "$dir/map" "$B/kst-btrace"
rate 300 'kst-btrace, maps, a quarter new' "$dir/newmap" "$B/kst-btrace"
rate 300 'kst-btrace -c profile, printf' "$dir/printf" \
	env KST_SHARE="$PWD/share" "$B/kst-btrace" -c profile
rate 300 'kst-osv, console log' "$dir/osv" "$B/kst-osv"
python3 tests/osv-tracefile.py 1 300000 >"$dir/tracefile"
rate - 'kst-osv -b, tracefile' "$dir/tracefile" "$B/kst-osv" -b
rate - 'kst-json, JSON to trace text' "$dir/json" "$B/kst-json"
"$B/kst-json" "$dir/json" >"$dir/trace"
rate - 'kst-json -j, trace text to JSON' "$dir/trace" "$B/kst-json" -j
peak 16 "kst-json, $mb MB" "$B/kst-json" "$dir/json"
peak 16 "kst-osv, $mb MB" "$B/kst-osv" "$dir/osv"
