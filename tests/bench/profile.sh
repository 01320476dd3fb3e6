#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# kst-top and kst-diff on folded text against kst-fold of the same: kst-top is
# to take at most 1.2 times its time, kst-diff --folded of two files 0.3 s and
# 32 MiB. kst-fold of sorted folded text is to take the time of `LC_ALL=C sort`
# and hold one line, of unsorted text the time of sort too.
#
#	B=build bash tests/bench/profile.sh [STACKS]
set -eu
# shellcheck source=tests/bench/lib.bash
. "$(dirname "$0")/lib.bash"
n=${1:-100000}

program gen gen_gdb
"$dir/gen" --folded "$n" >"$dir/unsorted"
LC_ALL=C sort "$dir/unsorted" >"$dir/a"
sed 's/[0-9]*$/7/' "$dir/a" >"$dir/b"
echo "folded text: $n stacks, $(($(wc -c <"$dir/a") / 1000000)) MB"

fold="$B/kst-fold $dir/unsorted"
pair 1.20 kst-top "$B/kst-top $dir/unsorted" "$fold" kst-fold
pair 2.00 'kst-diff --folded, two files' "$B/kst-diff --folded $dir/a $dir/b" "$fold" kst-fold
peak 32 'kst-top' "$B/kst-top" "$dir/a"
peak 32 'kst-diff --folded' "$B/kst-diff" --folded "$dir/a" "$dir/b"
pair 1.00 'kst-fold, sorted' "$B/kst-fold $dir/a" "sort $dir/a" 'LC_ALL=C sort'
peak 4 'kst-fold, sorted' "$B/kst-fold" "$dir/a"
pair 1.00 'kst-fold, unsorted' "$fold" "sort $dir/unsorted" 'LC_ALL=C sort'
peer inferno-diff-folded "inferno-diff-folded $dir/a $dir/b"
