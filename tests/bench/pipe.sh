#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# kst-clean and kst-fold on gdb text, against pcre2grep counting its frame
# lines: the marks are 0.75 and 0.5 of its processor time, and 16 MiB.
#
#	B=build bash tests/bench/pipe.sh [MEGABYTES]
set -eu
# shellcheck source=tests/bench/lib.bash
. "$(dirname "$0")/lib.bash"
mb=${1:-100}

program gen gen_gdb
"$dir/gen" "$mb" >"$dir/gdb.txt"
"$B/kst-clean" "$dir/gdb.txt" >"$dir/clean.txt"
"$B/kst-fold" "$dir/clean.txt" >"$dir/folded"
echo "gdb text: $mb MB, $(wc -l <"$dir/gdb.txt") lines, $(wc -l <"$dir/folded") different stacks"

grep="pcre2grep -c ^# $dir/gdb.txt"
pair 0.75 'kst-clean' "$B/kst-clean $dir/gdb.txt" "$grep" "pcre2grep -c '^#'"
pair 0.50 'kst-fold, of cleaned text' "$B/kst-fold $dir/clean.txt" "$grep" "pcre2grep -c '^#'"
pair 0.9 'kst-clean -u' "$B/kst-clean -u $dir/gdb.txt" "$grep" "pcre2grep -c '^#'"
for ((i = 0; i < mb * 5 / 3; i++)); do zcat share/demo/capture.txt.gz; done >"$dir/demo.txt"
pair - 'kst-clean, the demonstration' "$B/kst-clean $dir/demo.txt" "pcre2grep -c ^# $dir/demo.txt" "pcre2grep -c '^#'"
peak 16 "kst-clean, $mb MB" "$B/kst-clean" "$dir/gdb.txt"
peak 16 "kst-fold, $mb MB" "$B/kst-fold" "$dir/clean.txt"

"$dir/gen" $((mb * 10)) 353 >"$dir/large.txt"
peak 16 "kst-clean, $((mb * 10)) MB" "$B/kst-clean" "$dir/large.txt"
"$B/kst-clean" "$dir/large.txt" >"$dir/large-clean.txt"
peak 16 "kst-fold, $((mb * 10)) MB" "$B/kst-fold" "$dir/large-clean.txt"

peer stackcollapse-gdb.pl "stackcollapse-gdb.pl $dir/gdb.txt"
