#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# kst-svg on sorted folded text against `LC_ALL=C sort` of the same file: the
# mark is 0.7 of its processor time; unsorted input three times of sorted.
#
#	B=build bash tests/bench/svg.sh [STACKS]
set -eu
# shellcheck source=tests/bench/lib.bash
. "$(dirname "$0")/lib.bash"
n=${1:-100000}

program gen gen_gdb
"$dir/gen" --folded "$n" >"$dir/unsorted"
LC_ALL=C sort "$dir/unsorted" >"$dir/sorted"
echo "folded text: $n stacks, $(($(wc -c <"$dir/sorted") / 1000000)) MB"

svg="$B/kst-svg $dir/sorted"
pair 0.70 'kst-svg, sorted' "$svg" "sort $dir/sorted" 'LC_ALL=C sort'
pair 3.00 'kst-svg, unsorted' "$B/kst-svg $dir/unsorted" "$svg" 'kst-svg, sorted'
pair 3.00 'kst-svg --reverse' "$B/kst-svg --reverse $dir/sorted" "$svg" 'kst-svg, sorted'
peak 48 "kst-svg, $n stacks" "$B/kst-svg" "$dir/sorted"
peak 48 "kst-svg, unsorted" "$B/kst-svg" "$dir/unsorted"
peak 48 "kst-svg --reverse" "$B/kst-svg" --reverse "$dir/sorted"
"$B/kst-svg" --no-script "$dir/sorted" >"$dir/a.svg"
"$B/kst-svg" --no-script "$dir/unsorted" | cmp - "$dir/a.svg" &&
	echo 'sorted or not: the same picture'
"$B/kst-svg" "$dir/sorted" >"$dir/a.svg"
printf '%-34s %6.1f MB\n' 'the picture' "$(($(wc -c <"$dir/a.svg") / 100000))e-1"
rm -f "$dir/unsorted"

"$dir/gen" --folded $((n * 10)) | LC_ALL=C sort -S 1G >"$dir/sorted"
peak 64 "kst-svg, $((n * 10)) stacks" "$B/kst-svg" "$dir/sorted"
peak 400 "kst-svg --reverse, $((n * 10))" "$B/kst-svg" --reverse "$dir/sorted"
PAIRS=3 pair 4.00 "kst-svg --all" "$B/kst-svg --all $dir/sorted" "$B/kst-svg $dir/sorted" 'kst-svg'
peak 475 "kst-svg --all" "$B/kst-svg" --all "$dir/sorted"

peer inferno-flamegraph "inferno-flamegraph $dir/sorted"
peer flamegraph.pl "flamegraph.pl $dir/sorted"

program frames gen_frames
"$dir/frames" deep 622 >"$dir/unsorted"
LC_ALL=C sort -S 1G "$dir/unsorted" >"$dir/sorted"
rm "$dir/unsorted"
PAIRS=3 pair 2.00 'kst-svg, 9,500 deep' "$svg" "sort $dir/sorted" 'LC_ALL=C sort'
peak 128 'kst-svg, 9,500 deep' "$B/kst-svg" "$dir/sorted"
