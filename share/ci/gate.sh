#!/bin/sh
# SPDX-License-Identifier: ISC
# Boots a kernel in QEMU, samples it, and compares with an archive of before: run
# after run, until kst-diff has a verdict.
#
# usage: gate.sh KERNEL.elf BEFORE OUT QEMU-COMMAND...
#
# BEFORE is OUT/captures of an earlier kernel; without such a folder the archive
# is recorded, RUNS_MAX runs, and nothing is compared. OUT gets captures/ (the
# archive), report.md, before.svg, after.svg and diff.svg. In the environment: RUNS
# (3) and RUNS_MAX (9), the least and most boots; WARMUP (5 seconds before the first
# sample), DURATION (10 seconds of samples), RATE (99 samples a second of each CPU),
# GATES (--gate +2%), CLEAN (options of kst-clean), LINKS (what comes before the
# pictures' names in report.md). Exit status: that of kst-diff: 3 regression, 5 not
# decided after RUNS_MAX runs.
set -eu
[ $# -ge 4 ] || {
	sed -n 's/^# usage: /usage: /p' "$0" >&2
	exit 2
}
kernel=$1 before=$2 out=$3
shift 3
first=${RUNS:-3} last=${RUNS_MAX:-9}
tmp=$(mktemp -d)
qemu=
# shellcheck disable=SC2329
end() {
	[ -z "$qemu" ] || kill "$qemu" 2>/dev/null || true
	rm -rf "$tmp"
}
trap end EXIT
trap 'exit 4' INT TERM

# fold CAPTURE.txt.gz FOLDER: cleaned and folded.
fold() {
	gzip -dc "$1" >"$tmp/capture"
	# shellcheck disable=SC2086
	kst-clean ${CLEAN:-} "$tmp/capture" >"$tmp/clean"
	kst-fold "$tmp/clean" >"$2/$(basename "$1" .txt.gz).folded"
}

# run NAME QEMU-COMMAND...: boots once; the capture goes into the archive.
run() {
	name=$out/captures/$1.txt.gz
	shift
	"$@" -gdb "unix:$tmp/gdb,server=on,wait=off" </dev/null >&2 &
	qemu=$!
	tries=300
	until [ -S "$tmp/gdb" ] || [ $tries = 0 ]; do # a busy host starts late
		kill -0 "$qemu" || exit 4
		sleep 0.1
		tries=$((tries - 1))
	done
	sleep "${WARMUP:-5}"
	kst-capture -q -r "$tmp/gdb" -e "$kernel" -d "${DURATION:-10}" \
		-F "${RATE:-99}" -o "$tmp/new"
	gzip -c "$tmp/new" >"$name"
	kill "$qemu" 2>/dev/null || true
	wait "$qemu" 2>/dev/null || true
	qemu=
	rm -f "$tmp/gdb" "$tmp/new"
	fold "$name" "$tmp/after"
}

# compare [OPTION ...]: kst-diff with the gates.
compare() {
	# shellcheck disable=SC2086
	kst-diff --rounds "$first-$last" ${GATES:---gate +2%} "$@" \
		"$tmp/before" "$tmp/after"
}

mkdir -p "$out/captures" "$tmp/before" "$tmp/after"
rm -f "$out"/captures/*.txt.gz
if [ -d "$before" ]; then
	for f in "$before"/*.txt.gz; do
		fold "$f" "$tmp/before"
	done
fi
i=0 status=5
while [ $status = 5 ] && [ $i -lt "$last" ]; do
	i=$((i + 1))
	run $i "$@"
	if [ -d "$before" ] && [ $i -ge "$first" ]; then
		status=0
		compare >"$tmp/answer" || status=$?
	fi
done
[ -d "$before" ] || {
	echo "gate.sh: nothing to compare with yet: no folder $before" >&2
	exit 0
}

cat "$tmp/answer"
for side in before after; do
	kst-fold "$tmp/$side"/*.folded >"$tmp/sum"
	kst-svg --title $side "$tmp/sum" >"$out/$side.svg"
done
kst-diff --folded --normalize "$tmp/before" "$tmp/after" >"$tmp/both.folded"
kst-svg --differential --title 'before and after' "$tmp/both.folded" \
	>"$out/diff.svg"
{
	compare --markdown 2>/dev/null || true
	echo
	for picture in before after diff; do
		echo "[$picture](${LINKS:-}$picture.svg)"
	done
} >"$out/report.md"
exit $status
