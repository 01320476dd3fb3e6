#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# kst-batch: from one processor to two, its overhead over the bare pipe, a run
# with nothing to do, and memory.
#
#	B=build bash tests/bench/batch.sh [MEGABYTES]
set -eu
cd "$(dirname "$0")/../.."
B=$(cd "${B:-build}" && pwd)
mb=${1:-2000}
export PATH="$B:$PATH"
. tests/bench/lib.bash
dir=$(mktemp -d "${TMPDIR:-/tmp}/kst-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
${CC:-cc} -O2 -o "$dir/gen" tests/bench/gen_gdb.c

# fill DIR FILES MB: archives of so many files of so many megabytes.
fill() {
	mkdir -p "$dir/$1"
	for ((i = 1; i <= $2; i++)); do
		"$dir/gen" "$3" 4 $((i % 16 + 1)) >"$dir/$1/$i.txt"
	done
}

# seconds COMMAND...: how long it takes, in $seconds.
seconds() {
	local TIMEFORMAT=%3R
	seconds=$({ time "$@" >/dev/null 2>&3; } 3>/dev/null 2>&1)
}

# halves DIR: two processors, each with one half of the archive for itself:
# what the machine has to give.
halves() {
	rm -rf "$dir/out" "$dir/out1"
	taskset -c 0 kst-batch --clean '' -j1 -o "$dir/out" "$dir/$1"/*[0-4].txt* &
	taskset -c 1 kst-batch --clean '' -j1 -o "$dir/out1" "$dir/$1"/*[5-9].txt*
	wait
}

# scale NAME DIR: one processor with one job, two with two, in turn.
scale() {
	local i one='' two='' ratios='' ceiling='' t
	for ((i = 0; i < 5; i++)); do
		rm -rf "$dir/out"
		seconds taskset -c 0 kst-batch --clean '' -j1 -o "$dir/out" "$dir/$2"
		t=$seconds
		rm -rf "$dir/out"
		seconds taskset -c 0,1 kst-batch --clean '' -j2 -o "$dir/out" "$dir/$2"
		one+="$t"$'\n' two+="$seconds"$'\n'
		ratios+="$(awk -v a="$t" -v b="$seconds" \
			'BEGIN { printf "%.3f", a / b }')"$'\n'
		seconds halves "$2"
		ceiling+="$(awk -v a="$t" -v b="$seconds" \
			'BEGIN { printf "%.3f", a / b }')"$'\n'
	done
	t=$(printf %s "$one" | median)
	printf '%-34s %6.2f s   %-28s %6.2f s   ratio %.2f  mark 1.8\n' "$1" \
		"$t" 'two processors' "$(printf %s "$two" | median)" \
		"$(printf %s "$ratios" | median)"
	awk -v mb="$mb" -v t="$t" -v c="$(printf %s "$ceiling" | median)" 'BEGIN {
		printf "  one processor: %.0f MB/s of text; ", mb / t
		printf "two runs side by side, each alone: %.2f\n", c }'
}

files=$((mb / 16))
fill plain $files 16
mkdir "$dir/packed"
for f in "$dir"/plain/*; do zstd -q -o "$dir/packed/${f##*/}.zst" "$f"; done
echo "archives: $files files, $mb MB, packed $(du -sm "$dir/packed" | cut -f1) MB"
scale 'one processor, plain' plain
scale 'one processor, zstd' packed
rm -rf "$dir/plain" "$dir/packed"

fill small 1000 1
cat >"$dir/bare.sh" <<'EOF'
mkdir -p "$1/pipe"
for f in "$1"/small/*; do
	kst-clean "$f" | kst-fold >"$1/pipe/${f##*/}.folded"
done
EOF
PAIRS=7 pair 1.10 'kst-batch -j1, 1000 files of 1 MB' \
	"taskset -c 0 kst-batch --force --clean= -j1 -q -o $dir/out $dir/small" \
	"taskset -c 0 sh $dir/bare.sh $dir" 'the bare pipe'
PAIRS=7 pair 1.10 'kst-batch -j2, the same' \
	"taskset -c 0,1 kst-batch --force --clean= -j2 -q -o $dir/out $dir/small" \
	"taskset -c 0,1 sh $dir/bare.sh $dir" 'the bare pipe'
peak - 'memory, 1000 files of 1 MB' kst-batch --clean '' -f -o "$dir/out" "$dir/small"

for ((i = 0; i < 10000; i++)); do
	[ -d "$dir/many/$((i % 100))" ] || mkdir -p "$dir/many/$((i % 100))"
	echo "a;b;c $i" >"$dir/many/$((i % 100))/$i"
done
peak - 'memory, 10,000 files' kst-batch --clean '' -o "$dir/out2" "$dir/many"
seconds kst-batch --clean '' -o "$dir/out2" "$dir/many"
printf '%-34s %6.2f s   mark 2\n' '10,000 files, nothing to do' "$seconds"
"$dir/gen" 1000 4 >"$dir/one"
peak - 'memory, one file of 1 GB' kst-batch --clean '' -o "$dir/out3" "$dir/one"
rm -rf "$dir/out3"
peak - 'memory, the same in one piece' kst-batch --block 0 --clean '' -o "$dir/out3" "$dir/one"
