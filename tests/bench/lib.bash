# SPDX-License-Identifier: ISC
# What the benches share; to be sourced by bash. They run at the root of the source,
# with the commands in $B and files in $dir, which is removed at their end. Time is
# the processor time of a whole command, user and system; two commands run in turn,
# and what counts is the median of the ratios of the pairs, which holds when the
# machine's speed drifts.

: "${PAIRS:=9}"
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit
B=$(cd "${B:-build}" && pwd) || exit
dir=$(mktemp -d "${TMPDIR:-/tmp}/kst-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
before=$PWD/tests/bench/before.tsv
saved=${SAVED:+$(realpath "$SAVED")}

# program NAME SOURCE: $dir/NAME, of tests/bench/SOURCE.c.
program() { ${CC:-cc} -O2 -D_GNU_SOURCE -o "$dir/$1" "tests/bench/$2.c"; }

# cpu_ms COMMAND...: runs it, its output thrown away; milliseconds in $cpu_ms.
cpu_ms() {
	local TIMEFORMAT='%3U %3S' t
	t=$({ time "$@" >/dev/null 2>&3; } 3>/dev/null 2>&1)
	cpu_ms=$(awk '{ printf "%d", ($1 + $2) * 1000 + .5 }' <<<"$t")
}

median() { sort -g | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }

# was NAME VALUE: the value of the version before, from the table; notes this one.
was() {
	printf '%s\t%s\n' "$2" "$1" >>"${saved:-/dev/null}"
	awk -F '\t' -v name="$1" -v now="$2" '$2 == name && $1 > 0 {
		printf "  was %s (x %.2f)", $1, now / $1 }
	END { print "" }' "$before"
}

# pair MARK NAME 'COMMAND A' 'COMMAND B' WHAT: the ratio A/B, beside the mark.
pair() {
	local mark=$1 name=$2 a=$3 b=$4 what=$5 i ta tb ratios='' as='' bs=''
	for ((i = 0; i < PAIRS; i++)); do
		# shellcheck disable=SC2086
		cpu_ms $a
		ta=$cpu_ms
		# shellcheck disable=SC2086
		cpu_ms $b
		tb=$cpu_ms
		as+="$ta"$'\n' bs+="$tb"$'\n'
		ratios+="$(awk -v a="$ta" -v b="$tb" \
			'BEGIN { printf "%.4f", a / (b ? b : 1) }')"$'\n'
	done
	ratios=$(printf %s "$ratios" | median)
	printf '%-34s %6s ms  %-28s %6s ms  ratio %.2f  mark %s' "$name" \
		"$(printf %s "$as" | median)" "$what" \
		"$(printf %s "$bs" | median)" "$ratios" "$mark"
	was "$name" "$ratios"
}

# peak MARK NAME COMMAND...: its largest memory.
peak() {
	local mark=$1 name=$2 file
	shift 2
	file=$(mktemp)
	/usr/bin/time -o "$file" -f %M "$@" >/dev/null 2>&1
	set -- "$(awk '{ printf "%.1f", $1 / 1024 }' "$file")"
	printf '%-34s %6.1f MiB  mark %s MiB' "$name" "$1" "$mark"
	was "$name, MiB" "$1"
	rm -f "$file"
}

# peer NAME 'COMMAND': its processor time, if it is on PATH.
peer() {
	command -v "$1" >/dev/null 2>&1 || return 0
	# shellcheck disable=SC2086
	cpu_ms $2
	printf '%-34s %6s ms\n' "$1" "$cpu_ms"
}
