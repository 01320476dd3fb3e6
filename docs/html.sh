#!/bin/sh
# SPDX-License-Identifier: ISC
# The manual pages as HTML, with an index and the pictures: `make html`.
#
#	docs/html.sh DIR
set -eu
cd "$(dirname "$0")/.."
out=${1:?usage: docs/html.sh DIR}
rm -rf "$out"
mkdir -p "$out"
out=$(realpath "$out")
pages=$(mktemp -d) # mandoc looks in its folder which pages are ours
trap 'rm -rf "$pages"' EXIT
cp cmd/*/*.1 docs/*.[57] "$pages"
cp docs/demo.svg docs/demo.png docs/pictures/*.png "$out"
cat >"$out/kst.css" <<'END'
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52em; margin: 2em auto; padding: 0 1em }
pre, code { font-family: ui-monospace, monospace; font-size: 14px }
pre { overflow-x: auto; padding: .6em 1em; border-left: 3px solid #8888 }
table { border-spacing: 1em 0 }
td { vertical-align: top }
.head, .foot { width: 100% }
.head-vol { text-align: center }
.head-rtitle, .foot-os { text-align: right }
.Bl-tag > dt { margin-top: .6em }
.Nd, .Nm { display: inline }
.permalink { color: inherit; text-decoration: none }
img { max-width: 100%; background: #fff }
END

# page FILE: its name for links, and its one line
page() {
	name=$(basename "$1")
	(cd "$pages" && mandoc -T html -O \
		'style=kst.css,man=%N.%S.html;https://manpages.debian.org/%N.%S' \
		"$name") >"$out/$name.html"
	line=$(sed -n 's/^\.Nd //p' "$1" | sed 's/&/\&amp;/g; s/</\&lt;/g')
	echo "<tr><td><a href=\"$name.html\">$name</a><td>$line"
}

# section TITLE FILE...
section() {
	echo "<h2>$1</h2><table>"
	shift
	for f; do page "$f"; done
	echo "</table>"
}

# shown PICTURE WHAT LINK
shown() {
	echo "<h3>$2</h3><a href=\"$3\"><img src=\"$1\" alt=\"$2\"></a>"
}

{
	echo '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>kst</title>'
	echo '<meta name="viewport" content="width=device-width">'
	echo '<link rel="stylesheet" href="kst.css"><h1>kst</h1>'
	echo '<p>Flame graphs of a kernel in QEMU, with nothing added to the kernel.'
	shown demo.png 'Debian in QEMU: four CPUs, kernel and programs' demo.svg
	section Begin docs/kst.7 docs/kst-oneliners.7 docs/kst-reading.7 \
		docs/kst-recipes.7 docs/kst-coming-from.7
	section Commands cmd/*/*.1
	section Formats docs/*.5
	section More docs/kst-capture-backends.7 docs/kst-programs.7 \
		docs/kst-statistics.7
	echo '<h2>Pictures</h2>'
	shown callers.png 'Callers and callees of one function' demo.svg#sandwich=ksys_write
	shown diff.png 'The same load with another option of redis' diff.png
	shown boot.png 'A boot, from the first instruction' boot.png
	echo '</html>'
} >"$out/index.html"
