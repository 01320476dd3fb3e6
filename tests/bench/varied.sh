#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Every filter at 10, 1,000 and 100,000 different stacks of as many functions,
# against md5sum of the same bytes, whose time no content changes: what was made
# for few stacks may cost where there are many.
#
#	B=build bash tests/bench/varied.sh [MEGABYTES]
set -eu
: "${PAIRS:=5}"
# shellcheck source=tests/bench/lib.bash
. "$(dirname "$0")/lib.bash"
mb=${1:-50}
export KST_SHARE=$PWD/share

for g in gen_gdb gen_text uftgen; do program $g $g; done

# row NAME FILE COMMAND...
row() { pair - "$1, $n" "${*:3}" "md5sum $2" md5sum; }

cd "$dir"
for n in 10 1000 100000; do
	./gen_gdb "$mb" $n $n >gdb
	"$B/kst-clean" gdb >clean
	./gen_gdb --folded $n $n >once
	: >unsorted
	while [ "$(stat -c %s unsorted)" -lt $((mb * 1000000)) ]; do
		cat once >>unsorted
	done
	sort -S 1G unsorted >sorted
	sed 's/[0-9]*$/7/' unsorted >other
	./gen_text map "$mb" $n >maps
	./gen_text json "$mb" $n >profile
	./uftgen uftrace $((mb * 60000)) 1 $n walk
	"$B/kst-uftrace" uftrace >events

	row kst-clean gdb "$B/kst-clean" gdb
	row 'kst-clean -r linux' gdb "$B/kst-clean" -r linux gdb
	row kst-fold clean "$B/kst-fold" clean
	row 'kst-json -j' gdb "$B/kst-json" -j gdb
	row 'kst-fold, unsorted' unsorted "$B/kst-fold" unsorted
	row 'kst-fold, sorted' sorted "$B/kst-fold" sorted
	row 'kst-svg, unsorted' unsorted "$B/kst-svg" unsorted
	row 'kst-svg, sorted' sorted "$B/kst-svg" sorted
	row kst-top unsorted "$B/kst-top" unsorted
	row 'kst-diff --folded' unsorted "$B/kst-diff" --folded unsorted other
	row kst-btrace maps "$B/kst-btrace" maps
	row kst-json profile "$B/kst-json" profile
	row kst-uftrace uftrace/*.dat "$B/kst-uftrace" uftrace
	row kst-span events "$B/kst-span" events
	rm -r gdb clean unsorted sorted other maps profile uftrace events
done
