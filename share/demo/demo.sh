#!/bin/sh
# SPDX-License-Identifier: ISC
# demo.sh BUILD_DIR OUT.svg: the main job on the archived capture of the
# demonstration guest, with a word on each step.
set -eu
B=$1 out=$2
here=$(dirname "$0")
PATH=$(cd "$B" && pwd):$PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

gzip -dc "$here/capture.txt.gz" >"$tmp/capture.txt"
echo "capture  share/demo/capture.txt.gz: $(grep -c '^\[kst-capture seq' "$tmp/capture.txt") captures of a guest with $(
	grep -o 'CPU#[0-9]*' "$tmp/capture.txt" | sort -u | wc -l) CPUs, $(
	wc -l <"$tmp/capture.txt") lines of trace text"
kst-clean --rules guest "$tmp/capture.txt" >"$tmp/clean.txt"
echo "clean    names without addresses and arguments, the guest's clock left out"
kst-fold --by cpu,state "$tmp/clean.txt" >"$tmp/demo.folded"
echo "fold     $(grep -vc '^#' "$tmp/demo.folded") different stacks below the CPUs and their states, $(
	awk '{ s += $NF } END { print s }' "$tmp/demo.folded") in all"
kst-svg --title 'The demonstration guest' --subtitle 'samples by CPU' \
	"$tmp/demo.folded" >"$out.tmp"
mv "$out.tmp" "$out"
echo "svg      $out, $(wc -c <"$out") bytes: open it in a browser"
echo
echo "the same in one line, with PATH=$B:\$PATH:"
echo "  gzip -dc share/demo/capture.txt.gz | kst-clean --rules guest |"
echo "      kst-fold --by cpu,state | kst-svg > demo.svg"
