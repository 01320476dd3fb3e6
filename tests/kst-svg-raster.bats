# SPDX-License-Identifier: ISC
# slow
# Programs that draw pictures without a browser: right colours, also without
# the style sheet.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	im=$(command -v convert-im6.q16 || command -v convert)
	{
		printf 'a;b 1000000\na;e_[k] 300000\nc_[j] 400000\n'
		for i in $(seq 2000); do echo "w;n$i 1"; done
	} >in
	for o in --no-script --all; do
		kst-svg -c kernel "$o" in >"a$o.svg"
		perl -0pe 's/<style>.*?<\/style>//s' "a$o.svg" >"bare$o.svg"
	done
}

# colour PNG X Y: as RRGGBB; all are 1200 pixels wide
colour() {
	[ "$1.rgb" -nt "$1" ] || "$im" "$1" -alpha off -depth 8 "rgb:$1.rgb"
	od -An -tx1 -j $((($3 * 1200 + $2) * 3)) -N 3 "$1.rgb" | tr -d ' \n'
}

# right PNG: page, root, and frames of the kernel's palette in their shades
right() {
	echo "$1"
	[ "$(colour "$1" 600 5)" = ffffff ]
	[ "$(colour "$1" 600 85)" = d7dbe1 ]
	[ "$(colour "$1" 400 67)" = d9d2c6 ]
	[ "$(colour "$1" 800 49)" = dfac80 ]
	[ "$(colour "$1" 1100 67)" = afddaf ]
	# some of the narrow ones, which touch: no white and no black
	[ "$(colour "$1" 1189 49)" = dcd6ce ]
}

@test "librsvg, Inkscape, ImageMagick and CairoSVG" {
	for f in a--no-script a--all bare--no-script bare--all; do
		rsvg-convert "$f.svg" -o "r$f.png"
		right "r$f.png"
		"$im" "$f.svg" "m$f.png"
		right "m$f.png"
	done
	for f in a--no-script a--all bare--all; do
		cairosvg "$f.svg" -o "c$f.png"
		right "c$f.png"
	done
	for f in a bare; do
		HOME=$PWD inkscape "$f--all.svg" -o "i$f.png" 2>/dev/null
		right "i$f.png"
	done
}

@test "differential pictures and charts" {
	printf 'a 100 900\nb 900 100\n' | kst-svg >d.svg
	rsvg-convert d.svg -o d.png
	[ "$(colour d.png 100 49)" != "$(colour d.png 900 49)" ]
	for x in 100 900; do
		! colour d.png $x 49 | grep -E '000000|ffffff' || false
	done
	printf 'a 100\nb 900\n' | kst-svg --flamechart >c.svg
	rsvg-convert c.svg -o c.png
	[ "$(colour c.png 10 78)" != ffffff ]
}
