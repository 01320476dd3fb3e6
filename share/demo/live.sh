#!/bin/sh
# SPDX-License-Identifier: ISC
# live.sh BUILD_DIR OUT.svg: boots the demonstration guest in QEMU, samples it
# for five seconds and draws what its CPUs did.
set -eu
B=$(cd "$1" && pwd) out=$2
PATH=$B:$PATH
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
qemu=
# shellcheck disable=SC2329
end() {
	[ -z "$qemu" ] || kill "$qemu" 2>/dev/null || true
	rm -rf "$tmp"
}
trap end EXIT
trap 'exit 1' INT TERM

echo "boot     $B/guest/cfi.elf, four CPUs, in qemu-system-x86_64"
qemu=$("$here/../../tests/guest/run" -t 120 -g "$tmp/gdb.sock" "$B/guest/cfi.elf")
echo "capture  five seconds, through $tmp/gdb.sock"
kst-capture --remote "$tmp/gdb.sock" --elf "$B/guest/cfi.elf" --duration 5 \
	--interval 0.02 >"$tmp/capture.txt"
kst-clean --rules guest "$tmp/capture.txt" |
	kst-fold --by cpu,state >"$tmp/live.folded"
kst-svg --title 'The demonstration guest, live' --subtitle 'samples by CPU' \
	"$tmp/live.folded" >"$out.tmp"
mv "$out.tmp" "$out"
echo "svg      $out: open it in a browser"
