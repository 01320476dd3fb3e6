#!/bin/sh
# SPDX-License-Identifier: ISC
# A .dat file of 1 GB through kst-uftrace | kst-span: at least 10 M records a
# second and a processor-second for each of the two, and at least 3.5 times as
# fast as `uftrace dump --flame-graph` on the same file, with equal output:
# elapsed, with a core for each of the two. `kst-span --summary` takes at most
# 3 times the processor time of folding; on a random walk, where nearly every
# stack is new, it and kst-uftrace take half of what `uftrace report` takes. A
# hundredth of the trace, after nine tenths, takes a quarter of the time.
#
#	B=build sh tests/bench/uftrace.sh [RECORDS]
set -eu
cd "$(dirname "$0")/../.."
B=$(cd "${B:-build}" && pwd)
records=${1:-67108864}
dir=$(mktemp -d "${TMPDIR:-/tmp}/kst-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C

${CC:-cc} -O2 -o "$dir/uftgen" tests/bench/uftgen.c
"$dir/uftgen" "$dir/data" "$records" 1
cat "$dir"/data/*.dat >/dev/null

# seconds FILE: the elapsed and the processor time that time(1) wrote.
elapsed() { awk '{ print $1 }' "$1"; }
cpu() { awk '{ print $2 + $3 }' "$1"; }

run_uftrace() {
	/usr/bin/time -o "$dir/u.time" -f '%e %U %S' uftrace dump \
		-d "$dir/data" --flame-graph --sample-time=1 >"$dir/u.folded"
	elapsed "$dir/u.time" >>"$dir/u.all"
}
run_kst() {
	/usr/bin/time -o "$dir/k.time" -f '%e %U %S' sh -c "
		/usr/bin/time -o '$dir/a.time' -f '%e %U %S' \
			'$B/kst-uftrace' '$dir/data' |
		/usr/bin/time -o '$dir/b.time' -f '%e %U %S' \
			'$B/kst-span' --no-trailer >'$dir/k.folded'" 2>/dev/null
	elapsed "$dir/k.time" >>"$dir/k.all"
	cpu "$dir/a.time" >>"$dir/a.all"
	cpu "$dir/b.time" >>"$dir/b.all"
	"$B/kst-uftrace" "$dir/data" | /usr/bin/time -o "$dir/s.time" \
		-f '%e %U %S' "$B/kst-span" --summary >/dev/null 2>&1
	cpu "$dir/s.time" >>"$dir/s.all"
	/usr/bin/time -o "$dir/p.time" -f '%e %U %S' "$B/kst-uftrace" \
		--since "+${from}ns" --period "$((from / 90))ns" "$dir/data" \
		>/dev/null
	cpu "$dir/p.time" >>"$dir/p.all"
}
# a hundredth of the trace, after nine tenths
from=$("$B/kst-uftrace" "$dir/data" | sed -n '1p;$p' | awk '{
	ns = substr($1, length($1) - 14)
	from = NR == 1 ? ns : (ns - from) * 9 / 10
} END { printf "%d", from }')
for _ in 1 2 3 4 5; do
	run_uftrace
	run_kst
done

"$dir/uftgen" "$dir/walk" 4000000 1 1000 walk
for _ in 1 2 3 4 5; do
	/usr/bin/time -o "$dir/r.time" -f '%e %U %S' \
		uftrace report -d "$dir/walk" >/dev/null
	cpu "$dir/r.time" >>"$dir/r.all"
	/usr/bin/time -o "$dir/w.time" -f '%e %U %S' sh -c "
		'$B/kst-uftrace' '$dir/walk' |
		'$B/kst-span' --summary >/dev/null" 2>/dev/null
	cpu "$dir/w.time" >>"$dir/w.all"
done
median() { sort -n "$1" | sed -n 3p; }

sort "$dir/u.folded" | cmp - "$dir/k.folded" || {
	echo "uftrace: output differs"
	exit 1
}
echo "$records $(median "$dir/u.all") $(median "$dir/k.all") \
$(median "$dir/a.all") $(median "$dir/b.all") $(median "$dir/s.all") \
$(median "$dir/w.all") $(median "$dir/r.all") $(median "$dir/p.all")" | awk '
function say(what, value, unit, mark) {
	printf "%-36s %6.1f %-22s  mark %g\n", what, value, unit, mark
}
{
	say("kst-uftrace", $1 / $4 / 1e6, "M records/s of CPU time", 10)
	say("... 1 % of it, after 90 %", 100 * $9 / $4, "% of that CPU time", 25)
	say("kst-span", $1 / $5 / 1e6, "M records/s of CPU time", 10)
	say("kst-span --summary", $6 / $5, "x kst-span", 3)
	say("... of a random walk", $7 / $8, "x uftrace report", 0.5)
	say("kst-uftrace | kst-span", $2 / $3, "x uftrace dump", 3.5)
	printf "elapsed: the pipe %.2f s, uftrace dump %.2f s\n", $3, $2
}'
