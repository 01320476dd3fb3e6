#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# kst-batch: from one processor to two, its overhead over the bare pipe, a run
# with nothing to do, and memory.
#
#	B=build bash tests/bench/batch.sh [MEGABYTES]	ROUNDS=5 KERNEL=vmlinux
set -eu
# shellcheck source=tests/bench/lib.bash
. "$(dirname "$0")/lib.bash"
mb=${1:-2000}
export PATH="$B:$PATH"
program gen gen_gdb

# fill DIR FILES MB: archives of so many files of so many megabytes. What is
# to be written to the disk is written before time is taken.
fill() {
	mkdir -p "$dir/$1"
	for ((i = 1; i <= $2; i++)); do
		"$dir/gen" "$3" 0 0 $((i % 16 + 1)) >"$dir/$1/$i.txt"
	done
	sync
}

# seconds COMMAND...: how long it takes, in $seconds.
seconds() {
	local TIMEFORMAT=%3R
	seconds=$({ time "$@" >/dev/null 2>&3; } 3>/dev/null 2>&1)
}

cat >"$dir/bare.sh" <<'EOF'
# bare.sh OUT FILE...: the bare pipe over files.
out=$1
shift
mkdir -p "$out"
for f; do
	case $f in
	*.zst) zstd -dcq "$f" | kst-clean ;;
	*) kst-clean "$f" ;;
	esac | kst-fold >"$out/${f##*/}.folded"
done
EOF

# bare DIR, bare_twice DIR: the bare pipe on one processor, and two of them on
# two, each over one half of the archive: what the machine has to give, as
# processors share memory and caches.
bare() { taskset -c 0 sh "$dir/bare.sh" "$dir/pipe$BASHPID" "$dir/$1"/*; }
bare_twice() {
	local out=$dir/pipe$BASHPID
	taskset -c 0 sh "$dir/bare.sh" "$out" "$dir/$1"/*[02468].txt* &
	taskset -c 1 sh "$dir/bare.sh" "$out" "$dir/$1"/*[13579].txt*
	wait
}

# kst_batch PROCESSORS JOBS DIR
kst_batch() {
	taskset -c "$1" kst-batch --clean -q -j"$2" -o "$dir/out$BASHPID" \
		"$dir/$3"
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f\n", a / b }'; }

# scale NAME DIR MARK: from one processor to two, in turn, of kst-batch and of the
# bare pipe.
scale() {
	local i one='' two='' ratios='' ceiling='' t
	for ((i = 0; i < ${ROUNDS:-5}; i++)); do
		seconds kst_batch 0 1 "$2"
		t=$seconds
		seconds kst_batch 0,1 2 "$2"
		one+="$t"$'\n' two+="$seconds"$'\n'
		ratios+="$(ratio "$t" "$seconds")"$'\n'
		seconds bare "$2"
		t=$seconds
		seconds bare_twice "$2"
		ceiling+="$(ratio "$t" "$seconds")"$'\n'
	done
	t=$(printf %s "$one" | median)
	printf '%-34s %6.2f s   %-28s %6.2f s   ratio %.2f  mark %s\n' "$1" \
		"$t" 'two processors' "$(printf %s "$two" | median)" \
		"$(printf %s "$ratios" | median)" "$3"
	awk -v mb="$mb" -v t="$t" -v c="$(printf %s "$ceiling" | median)" 'BEGIN {
		printf "  one processor: %.0f MB/s of text; ", mb / t
		printf "this machine gives two bare pipes at once %.2f\n", c }'
}

files=$((mb / 16))
fill plain $files 16
mkdir "$dir/packed"
for f in "$dir"/plain/*; do zstd -q -o "$dir/packed/${f##*/}.zst" "$f"; done
sync
echo "archives: $files files, $mb MB, packed $(du -sm "$dir/packed" | cut -f1) MB"
scale 'one processor, plain' plain 1.6
scale 'one processor, zstd' packed 1.7
mkdir "$dir/mixed"
mv "$dir"/plain/*[0-4].txt "$dir"/packed/*[5-9].txt.zst "$dir/mixed"
scale 'one processor, half of it zstd' mixed -
rm -rf "$dir/plain" "$dir/packed" "$dir/mixed"

fill small 1000 1
small() { kst_batch "$1" "$2" small; }
PAIRS=9 pair 1.15 'kst-batch -j1, 1000 files of 1 MB' 'small 0 1' \
	'bare small' 'the bare pipe'
PAIRS=9 pair 1.25 'kst-batch -j2, the same' 'small 0,1 2' \
	'bare_twice small' 'two bare pipes at once'
# captures of 13 kB against one pipe over all of them
mkdir "$dir/tiny"
"$dir/gen" 13 >"$dir/text"
split -b 13000 -a 4 "$dir/text" "$dir/tiny/"
tiny() { rm -rf "$dir/out6" && kst-batch --clean -q -o "$dir/out6" "$dir/tiny" || true; }
tiny_pipe() { cat "$dir/tiny"/* | kst-clean | kst-fold; }
PAIRS=9 pair 3 '1000 files of 13 kB' tiny tiny_pipe 'one pipe over all'
peak - 'memory, 1000 files of 1 MB' kst-batch --clean -f -o "$dir/out" "$dir/small"

for ((i = 0; i < 10000; i++)); do
	[ -d "$dir/many/$((i % 100))" ] || mkdir -p "$dir/many/$((i % 100))"
	echo "a;b;c $i" >"$dir/many/$((i % 100))/$i"
done
peak - 'memory, 10,000 files' kst-batch --clean -o "$dir/out2" "$dir/many"
seconds kst-batch --clean -o "$dir/out2" "$dir/many"
printf '%-34s %6.2f s   mark 2\n' '10,000 files, nothing to do' "$seconds"
# short captures share processes: each, and what kst-sym learns of a kernel
mkdir "$dir/short" "$dir/raw"
"$dir/gen" 24 >"$dir/text"
split -b 3000 -a 4 "$dir/text" "$dir/short/"
short() { kst-batch --clean -f -q -o "$dir/out4" "$dir/short" || true; }
cpu_ms short
awk -v ms="$cpu_ms" -v n="$(ls "$dir/short" | wc -l)" 'BEGIN {
	printf "%d captures of 3 kB: %.2f ms of CPU each  mark 0.7\n", n, ms / n }'
if [ -s "${KERNEL:-}" ]; then
	nm "$KERNEL" | awk '$2 == "T" { print $1 }' >"$dir/addresses"
	for ((i = 1; i <= 60; i++)); do
		awk -v i=$i 'NR % 997 == i { printf "#%d  0x%s in ?? ()\n", n++, $1 }' \
			"$dir/addresses" | head -n 40 >"$dir/raw/$i"
	done
	cpu_ms kst-batch -q --sym="-e $KERNEL" -o "$dir/out5" "$dir/raw"
	echo "--sym, 60 captures, $KERNEL: $cpu_ms ms of CPU  mark 2000"
fi
"$dir/gen" 1000 >"$dir/one"
peak - 'memory, one file of 1 GB' kst-batch --clean -o "$dir/out3" "$dir/one"
rm -rf "$dir/out3"
peak - 'memory, the same in one piece' kst-batch --block 0 --clean -o "$dir/out3" "$dir/one"
