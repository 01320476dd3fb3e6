#!/bin/bash
# SPDX-License-Identifier: ISC
# kst-sym on a generated ELF file of 20,000 functions and over 30 MB, with
# inlined calls in each: loading, and a million distinct addresses in no
# order. Judged by processor time.
#
#	B=build [KERNEL=vmlinux] bash tests/bench/sym.sh
#
# With a kernel of hundreds of MB: what its first ten addresses cost.
# shellcheck disable=SC2154
set -eu
# shellcheck source=tests/bench/lib.bash
. "$(dirname "$0")/lib.bash"

sh tests/bench/gen_elf "$dir" 100 1000000
echo "ELF file: $(nm "$dir/kernel" | grep -c ' T f') functions," \
	"$(stat -c %s "$dir/kernel") bytes"

head -n 20000 "$dir/raw" | sed 's/^#[0-9]* *//; s/ .*//' >"$dir/addrs"
head -n 20000 "$dir/raw" >"$dir/raw20k"
head -n 1 "$dir/raw" >"$dir/raw1"

# rate NAME OPTIONS...: frames written a second.
rate() {
	local name=$1 i ms='' n
	shift
	n=$("$B/kst-sym" "$@" -e "$dir/kernel" "$dir/raw" | wc -l)
	for ((i = 0; i < 5; i++)); do
		cpu_ms "$B/kst-sym" "$@" -e "$dir/kernel" "$dir/raw"
		ms+="$cpu_ms"$'\n'
	done
	printf '%s\n' "$name $n $(printf %s "$ms" | median)" | awk '{
		printf "%-34s %6d ms  %d frames, %.2f M a second  mark 1.00\n",
		    $1, $3, $2, $2 / $3 / 1000 }'
}

for opt in --no-inline --annotate --lines; do
	ms=''
	for ((i = 0; i < 5; i++)); do
		cpu_ms "$B/kst-sym" $opt -e "$dir/kernel" "$dir/raw1"
		ms+="$cpu_ms"$'\n'
	done
	printf '%-34s %6s ms  mark 500\n' "load, one address, $opt" \
		"$(printf %s "$ms" | median)"
done
rate distinct:--no-inline --no-inline
rate distinct:with-inlined
rate distinct:--lines --lines
cpu_ms addr2line -f -i -e "$dir/kernel" "@$dir/addrs"
printf '%-34s %6s ms for 20000 addresses, ' 'addr2line -f -i' "$cpu_ms"
cpu_ms "$B/kst-sym" --lines -e "$dir/kernel" "$dir/raw20k"
echo "kst-sym --lines $cpu_ms ms"
if [ -s "${KERNEL:-}" ]; then
	nm "$KERNEL" | awk '$2 == "T" && n++ % 997 == 1 { print "0x" $1 }' |
		head -n 10 >"$dir/ten"
	sed 's/.*/#0  & in ?? ()/' "$dir/ten" >"$dir/raw10"
	a="$B/kst-sym -e $KERNEL $dir/raw10"
	b="eu-addr2line -f -i -e $KERNEL $(tr '\n' ' ' <"$dir/ten")"
	pair 1.15 'ten addresses of a vmlinux' "$a" "$b" 'eu-addr2line -f -i'
	# shellcheck disable=SC2086
	peak 120 'their memory' $a
	# shellcheck disable=SC2086
	peak - 'eu-addr2line'"'s" $b
fi
