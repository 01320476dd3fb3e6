#!/bin/sh
# SPDX-License-Identifier: ISC
# Words that readers had to read twice, in messages, --help, pages and README.
# Run by lint.sh, with the commands in $B. Prints what it finds.
#
#	sh tests/words.sh
set -u
cd "$(dirname "$0")/.." || exit
B=${B:-build}
bad=0

say() {
	printf 'lint: %s\n' "$*" >&2
	bad=1
}

# Each phrase has a usual one in its place: "not a", "anyway", "was not
# replaced", "newer", "current directory", "unknown", "only if the status is 0".
words='no ELF file|no JSON|no QEMU:|all the same|left so|stays as it was'
words="$words|younger|working folder|nothing tells|0 alone"
found=$(grep -n -E "\".*($words)" cmd/*/*.c cmd/*/*/*.c common/*/*.c |
	grep -v 'no ELF file given'
	grep -n -E "$words" cmd/*/*.1 docs/*.[57] README.md)
[ -z "$found" ] || say "words that need a second reading:
$found"

# A row of --help is read without the row above it, for example in a menu of
# completion.
for c in "$B"/kst-*; do
	case ${c##*/} in *.*) continue ;; esac
	rows=$("$c" --help=rows 2>/dev/null | awk -F '\t' \
		'$5 ~ /^(the same|these|such|of |end there|end at this)/ {
			print "--" $2 ": " $5 }')
	[ -z "$rows" ] || say "${c##*/}: rows that do not stand alone: $rows"
done

# apropos(1) and `kst help` show a page by its NAME line alone: what the reader
# can do with it.
verbs='answer|build|choose|compare|convert|count|draw|find|give|make|name|process'
verbs="$verbs|read|run|sample|show|tell|use|write|rewrite"
for page in cmd/*/*.1 docs/*.[57]; do
	grep -q -E "^\.Nd ($verbs)[ ,]" "$page" ||
		say "$page: the NAME line does not begin with a verb"
	! grep -A1 '^\.It Fl h , ' "$page" | grep -q '^Print' ||
		grep -q '^Print a summary of the options\.$' "$page" ||
		say "$page: -h is not described as in the other pages"
done

# Beyond 40 words a sentence is two, or a list.
long=$(awk '
	FNR == 1 { n = literal = 0 }
	function check() {
		if (n > 40)
			print FILENAME ":" FNR ": a sentence of " n " words"
		n = 0
	}
	/^\.B/ { literal = $1 == ".Bd" }
	/^\.E/ { literal = 0 }
	/^\.(S[hs]|It|Pp|B[dl]|E[dl]|Dl|Nd)/ { n = 0; next }
	literal { next }
	/^\./ {
		for (i = 2; i <= NF; i++)
			n += $i !~ /^([A-Z][a-z]|[.,;:()])$/
		if ($NF ~ /^[.;:]$/)
			check()
		next
	}
	{ n += NF }
	/[.;:]$/ { check() }' cmd/*/*.1 docs/*.[57])
[ -z "$long" ] || say "sentences to divide:
$long"
exit $bad
