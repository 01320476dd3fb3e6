#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# kst-clean where little repeats, against the rules of OSDK's profiler
# (tests/bench/osdk.c), and what 200 rules take.
#
#	B=build bash tests/bench/names.sh [MEGABYTES]
set -eu
# shellcheck source=tests/bench/lib.bash
. "$(dirname "$0")/lib.bash"
mb=${1:-100}

program gen gen_frames
program osdk osdk
for kind in args names locals nested long mangled; do
	"$dir/gen" $kind "$mb" >"$dir/$kind"
done
"$dir/gen" rules 200 >"$dir/200.rules"
sed 's/.* in //; s/ .*//' "$dir/mangled" >"$dir/symbols"
printf '#!/bin/sh\nexec c++filt <%s\n' "$dir/symbols" >"$dir/filt"
chmod +x "$dir/filt"

pair 0.25 'arguments all different' "$B/kst-clean $dir/args" "$dir/osdk $dir/args" "OSDK's rules"
pair 0.50 'names all different' "$B/kst-clean $dir/names" "$dir/osdk $dir/names" "OSDK's rules"
pair 2.00 'the same, 200 rules' "$B/kst-clean -r $dir/200.rules $dir/names" "$B/kst-clean $dir/names" 'kst-clean without'
pair 1.00 'names of 3.3 kB' "$B/kst-clean $dir/long" "$dir/osdk $dir/long" "OSDK's rules"
pair 1.00 'mangled names' "$B/kst-clean -d $dir/mangled" "$dir/filt" 'c++filt'
pair - 'bt full' "$B/kst-clean $dir/locals" "$dir/osdk $dir/locals" "OSDK's rules"
cpu_ms "$B/kst-clean" "$dir/nested"
echo "names of operator< and (x): $((mb * 1000 / (cpu_ms + 1))) MB/s  mark 50"
