#!/bin/sh
# SPDX-License-Identifier: ISC
# Boots a kernel in QEMU, samples it, and compares with an archive of before.
#
# usage: gate.sh KERNEL.elf BEFORE OUT QEMU-COMMAND...
#
# BEFORE is OUT/captures of an earlier run; without such a folder nothing is
# compared. OUT gets captures/ (the archive), report.md and diff.svg. In the
# environment: RUNS (3 boots), WARMUP (5 seconds before the first sample), DURATION
# (10 seconds of samples), GATES (--gate +2%), CLEAN (options of kst-clean).
# Exit status: that of kst-diff, 3 is a regression.
set -eu
[ $# -ge 4 ] || {
	sed -n 's/^# usage: /usage: /p' "$0" >&2
	exit 2
}
kernel=$1 before=$2 out=$3
shift 3
tmp=$(mktemp -d)
qemu=
# shellcheck disable=SC2329
end() {
	[ -z "$qemu" ] || kill "$qemu" 2>/dev/null || true
	rm -rf "$tmp"
}
trap end EXIT
trap 'exit 4' INT TERM

# fold FROM TO: the captures of a folder, cleaned and folded, a file each.
fold() {
	mkdir -p "$2"
	for f in "$1"/*.txt.gz; do
		gzip -dc "$f" >"$tmp/capture"
		# shellcheck disable=SC2086
		kst-clean ${CLEAN:-} "$tmp/capture" >"$tmp/clean"
		kst-fold "$tmp/clean" >"$2/$(basename "$f" .txt.gz).folded"
	done
}

mkdir -p "$out/captures"
i=0
while [ $i -lt "${RUNS:-3}" ]; do
	i=$((i + 1))
	"$@" -gdb "unix:$tmp/gdb,server=on,wait=off" </dev/null >&2 &
	qemu=$!
	sleep "${WARMUP:-5}"
	kst-capture -q -r "$tmp/gdb" -e "$kernel" -d "${DURATION:-10}" \
		-o "$tmp/capture"
	gzip -c "$tmp/capture" >"$out/captures/$i.txt.gz"
	kill "$qemu" 2>/dev/null || true
	wait "$qemu" 2>/dev/null || true
	qemu=
	rm -f "$tmp/gdb"
done

[ -d "$before" ] || {
	echo "gate.sh: nothing to compare with yet: no folder $before" >&2
	exit 0
}
fold "$before" "$tmp/before"
fold "$out/captures" "$tmp/after"
kst-diff --folded --normalize "$tmp/before" "$tmp/after" >"$tmp/both.folded"
kst-svg --differential --title 'before and after' "$tmp/both.folded" \
	>"$out/diff.svg"
status=0
# shellcheck disable=SC2086
kst-diff --markdown ${GATES:---gate +2%} "$tmp/before" "$tmp/after" \
	>"$out/report.md" || status=$?
exit $status
