#!/bin/sh
# SPDX-License-Identifier: ISC
# Draws the pictures of README.md, docs/reading.md and docs/case.md from the folded text in
# docs/pictures, with kst-svg and headless Chromium: `make pictures`. With an
# operand it writes to that folder what needs no browser: demo.svg, and `drawn`,
# the checksum of what each PNG shows, for tests/pictures.bats.
#
# The text is of Debian's 6.1.0-50 in QEMU without KVM, sampled by kst-capture (rsp,
# 99 Hz) with the kernel's modules linked to where they were and Debian's redis
# and busybox, built with symbols:
#   redis     redis-benchmark, cp, tar and gzip on ext4, four CPUs
#   everysec, always
#             redis-benchmark -t set by appendfsync, two CPUs
#   boot      from the first instruction to the first shell script's end
# and of xv6-riscv, counted by kst-count as docs/case.md tells:
#   xv6, xv6-words
set -eu
cd "$(dirname "$0")/.."
PATH=$(cd "${B:-build}" && pwd):$PATH
out=${1:-docs}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

echo '# SPDX-License-Identifier: ISC' >"$tmp/drawn"

# folded NAME
folded() {
	gzip -dc "docs/pictures/$1.folded.gz" >"$tmp/$1.folded"
	echo "$tmp/$1.folded"
}

# draw NAME OPTION...: a picture, and the checksum without script and style
draw() {
	name=$1 && shift
	kst-svg -o "$tmp/$name.svg" "$@"
	kst-svg --no-script "$@" | sed '/^<style>/,/^<.style>/d' |
		sha256sum | sed "s/-\$/$name/" >>"$tmp/drawn"
}

# README.md shows this command; kst-flame ends with the same one.
draw demo --subject 'Debian: redis on ext4, cp, tar and gzip' "$(folded redis)"
kst-diff --folded "$(folded everysec)" "$(folded always)" >"$tmp/diff"
draw diff -t 'redis, appendfsync everysec → always' "$tmp/diff"
draw boot -t 'The boot of Debian' "$(folded boot)"
draw xv6 --subject 'xv6 to its shell' "$(folded xv6)"
kst-diff --folded "$(folded xv6)" "$(folded xv6-words)" >"$tmp/words"
draw xv6-diff -t 'xv6: memset by bytes → by words' "$tmp/words"
cp "$tmp/demo.svg" "$out/demo.svg"
if [ $# -gt 0 ]; then
	cp "$tmp/drawn" "$out/drawn"
	exit
fi

cd tests/svg
[ -e node_modules/.package-lock.json ] ||
	npm ci --no-audit --no-fund >&2

# shoot PNG SVG#VIEW WIDTH HEIGHT
shoot() {
	node shoot.mjs "$tmp/$2" "$tmp/shot.png" "$3" "$4"
	convert "$tmp/shot.png" +dither -colors 256 -strip "PNG8:../../docs/$1"
}

shoot demo.png demo.svg 1200 800
shoot pictures/callers.png 'demo.svg#sandwich=ksys_write' 900 860
shoot pictures/diff.png diff.svg 900 560
shoot pictures/boot.png boot.svg 900 560
shoot pictures/xv6.png xv6.svg 900 400
shoot pictures/xv6-diff.png xv6-diff.svg 900 400
cp "$tmp/drawn" ../../docs/pictures/drawn
