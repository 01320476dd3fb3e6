#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# kst-top and kst-diff on folded text against kst-fold of the same: kst-top is
# to take at most 1.2 times its time, kst-diff --folded of two files 0.3 s and
# 32 MiB.
#
#	B=build bash tests/bench/profile.sh [STACKS]
set -eu
cd "$(dirname "$0")/../.."
B=$(cd "${B:-build}" && pwd)
n=${1:-100000}
# shellcheck disable=SC1091
. tests/bench/lib.bash
dir=$(mktemp -d "${TMPDIR:-/tmp}/kst-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT

${CC:-cc} -O2 -o "$dir/gen" tests/bench/gen_gdb.c
"$dir/gen" --folded "$n" | LC_ALL=C sort >"$dir/a"
sed 's/[0-9]*$/7/' "$dir/a" >"$dir/b"
echo "folded text: $n stacks, $(($(wc -c <"$dir/a") / 1000000)) MB"

fold="$B/kst-fold $dir/a"
pair 1.20 kst-top "$B/kst-top $dir/a" "$fold" kst-fold
pair 2.00 'kst-diff --folded, two files' "$B/kst-diff --folded $dir/a $dir/b" "$fold" kst-fold
peak 32 'kst-top' "$B/kst-top" "$dir/a"
peak 32 'kst-diff --folded' "$B/kst-diff" --folded "$dir/a" "$dir/b"
peer inferno-diff-folded "inferno-diff-folded $dir/a $dir/b"
