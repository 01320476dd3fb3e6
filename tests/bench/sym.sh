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

# Compiled once, assembled 100 times under other names: 100 units.
awk -v n=200 'BEGIN {
	print "extern volatile int sink;"
	for (i = 0; i < n; i++) {
		s = "struct s" i " *s, int n"
		printf "struct s%d { int a; struct s%d *next; char t[%d]; };\n",
		    i, i, i % 50 + 1
		inl = "static inline __attribute__((always_inline)) int "
		print inl "inner_" i "(" s ") { sink += n * " i ";" \
		    " s->a ^= sink; return s->a + s->t[0]; }"
		print inl "middle_" i "(" s ") { for (int i = 0; i < n; i++)" \
		    " sink ^= inner_" i "(s, i); return inner_" i "(s, n + 1); }"
		print "int f" i "_PART(" s ") { if (n < 0) return middle_" i \
		    "(s, -n); return inner_" i "(s, n) + middle_" i \
		    "(s, n / 2) + s->next->a; }"
	}
}' >"$dir/part.c"
gcc -O1 -g -S -o "$dir/part.s" "$dir/part.c"
for i in $(seq 100); do
	sed "s/PART/$i/g" "$dir/part.s" | as -o "$dir/part$i.o" -
done
echo 'volatile int sink; void _start(void) { for (;;) sink++; }' >"$dir/main.c"
gcc -nostdlib -static -o "$dir/kernel" "$dir/main.c" "$dir"/part*.o
rm "$dir"/part*.o
echo "ELF file: $(nm "$dir/kernel" | grep -c ' T f') functions," \
	"$(stat -c %s "$dir/kernel") bytes"

# Addresses all over .text, none twice.
readelf -SW "$dir/kernel" | sed 's/^ *\[ *[0-9]*\] *//' |
	awk '$1 == ".text" { print $3, $5 }' | {
	read -r start size
	awk -v start=$((0x$start)) -v size=$((0x$size)) 'BEGIN {
		step = 104729
		while (size % step == 0)
			step += 2
		for (i = 0; i < 1000000 && i < size; i++)
			printf "#%-2d 0x%016x in ?? ()\n", i % 20,
			    start + i * step % size
	}'
} >"$dir/raw"
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
