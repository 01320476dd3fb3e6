#!/bin/sh
# SPDX-License-Identifier: ISC
# Rules that no other linter knows: SPDX lines, headers that compile alone,
# foreign headers only in their homes, pages that have all of a command.
#
#	B=build sh tests/lint.sh
set -u
B=${B:-build}
cd "$(dirname "$0")/.." || exit 1
bad=0
say() {
	echo "lint: $*"
	bad=1
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

git ls-files 'cmd/*' 'common/*' 'tests/*.*' Makefile config.mk share/install-deps \
	'docs/*' 'packaging/*' '*.md' .ci/run tests/run |
	grep -v -E -e '^tests/(golden|fixtures|data|stacks/.*\.out)(/|$)' \
		-e '^tests/fuzz/.*\.seeds/|(^|/)(pkg-descr|DESCR)$' \
		-e '\.(json|lock|gz|png|svg)$' | while read -r f; do
	[ ! -f "$f" ] || echo "$f"
done >"$tmp/files"
xargs awk 'FNR == 1 && NR > 1 && !found { print before }
	FNR == 1 { found = 0; before = FILENAME }
	FNR <= 3 && /SPDX-License-Identifier: ISC/ { found = 1 }
	FNR > 3 { nextfile }
	END { if (!found) print before }' <"$tmp/files" |
	sed 's/^/lint: /; s/$/: no SPDX line/' | grep . && bad=1

# Of each command, with the room that its headers name files from.
for d in common/ cmd/*/; do
	[ "$d" != common/ ] || d=common
	find "$d" -name '*.h' | sort >"$tmp/headers"
	[ ! -s "$tmp/headers" ] || xargs cc -std=c11 -D_GNU_SOURCE \
		-DKST_VERSION='"0"' -DKST_DATADIR='"/"' -Icommon -I"$d" -Wall \
		-Wextra -Wno-unused-function -fsyntax-only -x c <"$tmp/headers" ||
		say "a header of $d does not compile alone"
done
grep -n -E '#include <(pcre2|gelf|libelf|elfutils|dwarf|uthash|xxhash|libiberty|demangle|zlib)' \
	common/*/*.h cmd/*/*.h cmd/*/*/*.h && say 'a header includes a foreign header'

# One dialect: what is never written, and what instead.
code=$(git ls-files 'common/*.[ch]' 'cmd/*.[ch]')
never() {
	echo "$code" | xargs grep -n -E "$1" | grep -v -E "${3:-^$}" &&
		say "write $2"
}
never 'sizeof\([^ )]*\)' 'sizeof x' 'sizeof\((int|char|u?int[0-9]+_t)\)'
never '\bint (rc|ret)\b' 'status for a result of 0 or -1'
never '"[^"]*%[#0-9]*ll[diuxo]|unsigned long long' 'PRIu64'
never '\bbehind\b' 'after, in comments and messages'
never 'The only (file|module|place)' 'what the file does'
never '\b(is|are) no [a-z]' 'is not a' '[Tt]here (is|are) no|(is|are) no (longer|more)'
never 'msg_text\(([^(),]+), strlen\(\1\)' 'msg_str(s)' '^common/base/msg.c:'
# Commands tell each other data (--summary-fd, --help=rows), never sentences; those
# that are named read the text of other tools as their input.
never '\b(strstr|memmem|strn?cmp|bytes_(is|starts|ends))\([^"]*"[^"]*[a-z]+ [a-z]+' \
	'keys and numbers for programs, and read those' \
	'^cmd/kst-(btrace|clean|svg|sym)/|^common/trace/trace|"Backtrace stopped:'
never '\b(strstr|memmem|strn?cmp|bytes_[a-z]*)\([^",]*\b(why|error|message|err)\b' \
	'an enum beside the message, and compare that' '^common/elf/dwunits'
echo "$code" | grep '\.h$' | xargs grep -H -m1 '^#ifndef' | awk -F: '{
	guard = $1
	gsub(/.*\/|\.h$/, "", guard)
	guard = ($1 ~ /^common/ ? "KST_" : "") toupper(guard) "_H"
	if ($2 != "#ifndef " guard)
		print "lint: " $1 ": the guard is " guard
}' | grep . && bad=1

# A header that one short file uses belongs into that file. A file includes another by
# its path below common or the command.
git ls-files 'c*/*.[ch]' 'tests/*.[ch]' | xargs awk '
	{ lines[FILENAME]++ }
	/^#include "/ {
		split($0, part, "\"")
		name = part[2]
		sub(/[ch]$/, "", name)
		for (; ; name = substr(name, index(name, "/") + 1)) {
			if (!((FILENAME, name) in seen)) {
				seen[FILENAME, name] = 1
				users[name] = users[name] " " FILENAME
			}
			if (!index(name, "/"))
				break
		}
	}
	END {
		for (h in lines) {
			if (h !~ /^(common|cmd)\/.*\.h$/)
				continue
			name = own = h
			sub(/^common\/|^cmd\/[^\/]*\//, "", name)
			sub(/h$/, "", name)
			sub(/h$/, "c", own)
			n = split(users[name], file, " ")
			many = 0
			user = ""
			for (i = 1; i <= n; i++) {
				if (file[i] == own)
					continue
				many++
				user = file[i]
			}
			if (many > 1 || user ~ /main\.c$|\.h$|^tests\//)
				continue
			if (lines[h] + lines[own] + (user ? lines[user] : 0) < 260)
				print "lint: " h ": only " user " uses it; both are short: make them one"
		}
	}' | sort | grep . && bad=1

# A parser, as its header names it, is called by a fuzz entry, or is named in the
# first comment of one that reaches it. Not: callbacks, words of a command line,
# whole files without a look into them, and what kst wrote itself.
for f in $(git ls-files 'common/*.h' 'cmd/*.h' |
	grep -v '^cmd/kst-flame/' | xargs grep -h -v '^typedef' |
	grep -o -E '[a-z0-9_]+_(parse|read)(_[a-z]+)?\(' | tr -d '(' | sort -u); do
	case $f in *_read_both | vcpu_read | \
		unwind_read | conn_read | wire_read | opt_read | share_read | shape_read | \
		address_parse | file_read | hosts_read) continue ;; esac
	grep -q -w "$f" tests/fuzz/*.c || say "$f has no fuzz entry"
done

# A test links what it tests.
git ls-files 'tests/*.[ch]' | xargs grep -n -E '#include ".*\.c"' &&
	say 'a test does not include a source file'

# A main.c shows what its command does; files and functions have their limits.
{ echo "$code" | grep '\.c$' && git ls-files 'share/svg/*.js'; } | xargs awk '
	function check() {
		if (n > (file ~ /\/main\.c$/ ? 150 : 400))
			print "lint: " file ": more than " \
				(file ~ /\/main\.c$/ ? 150 : 400) " lines"
	}
	FNR == 1 { check(); file = FILENAME; begin = 0 }
	{ n = FNR }
	/^{/ { begin = FNR }
	/^}/ && begin && FNR - begin > 61 {
		print "lint: " file ":" begin ": a function of more than 60 lines"
	}
	/^}/ { begin = 0 }
	END { check() }' | grep . && bad=1

# Includes go down only, as docs/design.md draws the rooms.
# A function is declared in the header of its file, or of its room.
awk -f tests/homes.awk common/*/*.[ch] cmd/*/*.[ch] cmd/*/*/*.[ch] || bad=1

awk -f tests/rooms.awk docs/design.md common/*/*.[ch] cmd/*/*.[ch] \
	cmd/*/*/*.[ch] || bad=1

# A room has at most fifteen files.
echo "$code" | sed 's|/[^/]*$||' | sort | uniq -c | while read -r n room; do
	[ "$n" -le 15 ] || echo "lint: $room has $n files; a room has at most 15"
done | grep . && bad=1

# No circle of files: nm tells which object uses a symbol of which.
for d in "$B"/common "$B"/cmd/*/; do
	find "$d" -name '*.o' -exec nm -A -g {} + | awk -v base="$B/" '
		{ file = substr($1, length(base) + 1); sub(/\.o:.*/, "", file) }
		(getline line < (file ".c")) < 0 { next } # it has gone
		{ close(file ".c") }
		$(NF - 1) == "U" { used[file " " $NF] }
		$(NF - 1) != "U" { home[$NF] = file }
		END {
			for (use in used) {
				split(use, part, " ")
				if (part[2] in home)
					print part[1], home[part[2]]
			}
		}' | sort -u | tsort 2>&1 >/dev/null |
		sed -n "s/^tsort: -: input contains a loop:/circle:/p
			s/^tsort: /lint:     /p" | sed 's/^circle:/lint: a circle of files:/'
done | grep . && bad=1

# home HEADER-REGEX FILES-REGEX
home() {
	grep -l -E "#include <$1" common/*/*.c cmd/*/*.c cmd/*/*/*.c 2>/dev/null |
		grep -v -E "$2" | while read -r f; do
		echo "lint: $f: <$1> has its home elsewhere"
	done | grep . && bad=1
	return 0
}
home 'pcre2' '^common/names/rx\.c$'
home 'xxhash' '^common/set/hash\.c$'
home 'libiberty' '^common/names/demangle\.c$'
home '(gelf|libelf|elfutils|dwarf)' '^common/(elf|elffile|cfi|kimage)/[a-z]*\.c$'
home '(lzma|zstd|lz4)' '^common/kimage/unpack\.c$'
home 'zlib' '^(common/kimage/unpack|cmd/kst-export/pprof|cmd/kst-import/read)\.c$'

# The options in a help text, and in a page's list of options.
help_options() {
	awk '/^(  -|      --)/ {
		for (i = 1; $i ~ /^-/; i++) {
			sub(/[,\[].*/, "", $i)
			print $i
		}
	}' | sort
}
page_options() {
	awk '/^\.It Fl/ {
		gsub(/\\/, "")
		for (i = 2; i <= NF; i++)
			if ($i == "Fl")
				flags = 1
			else if ($i ~ /^[A-Z][a-z]$/)
				flags = 0
			else if (flags && $i != ",")
				print "-" $i
	}' "$1" | sort
}

# A command has a page with EXAMPLES and all its options, and is in the lists.
for d in cmd/*/; do
	c=$(basename "$d")
	page=$d$c.1
	grep -q -F "[$c]($page)" README.md ||
		say "README.md has no link to the page of $c"
	grep -q "^\.Xr $c 1" docs/kst.7 ||
		say "$c is not among the commands of docs/kst.7"
	[ -f "$page" ] || {
		say "$c has no manual page: $page"
		continue
	}
	grep -q '^\.Sh EXAMPLES' "$page" || say "$page has no section EXAMPLES"
	"$B/$c" --help >"$tmp/text" || {
		say "$c does not print its help"
		continue
	}
	help_options <"$tmp/text" >"$tmp/help"
	page_options "$page" >"$tmp/page"
	# what is listed "as for kst-NAME" has its words in that page
	for p in $page $(sed -n 's|.*, as for \(kst-[a-z]*\):$|cmd/\1/\1.1|p' "$tmp/text"); do
		page_options "$p"
	done | sort -u >"$tmp/pages"
	for o in $(sort -u "$tmp/help" | comm -23 - "$tmp/pages"); do
		say "$c: option $o is in --help, but not in $page"
	done
	for o in $(comm -13 "$tmp/help" "$tmp/page"); do
		say "$c: option $o is in $page, but not in --help"
	done
done

# What `kst` draws has all commands.
"$B/kst" >"$tmp/drawing"
for c in cmd/kst-*/; do
	grep -q -w "$(basename "$c")" "$tmp/drawing" ||
		say "$(basename "$c") is not in what kst draws"
done

# kst-os(5) tells of each OS file, and of no others.
sed -n 's/^\.It Pa \([^ /]*\.os\)$/\1/p' docs/kst-os.5 | sort >"$tmp/page"
for f in share/os/*.os; do
	basename "$f"
done | sort >"$tmp/files"
for f in $(comm -3 "$tmp/page" "$tmp/files"); do
	say "docs/kst-os.5 and share/os do not have the same files: $f"
done

sh tests/words.sh || bad=1

# Where the first of two conditions fails, or one that is turned round by !, bash goes on.
awk 'negated && !/^}/ { print FILENAME ":" FNR - 1 ": " negated; n++ }
	{ negated = "" } /^@test/ { t = 1 } /^}/ { t = 0 }
	t && /^\t+! / && !/\|\||(&&|\||\\)$/ { negated = $0 }
	t && /^\t+\[.* \]+ && (\[|! |grep|cmp|diff)/ &&
		!/\|\||&&$|(return|break|continue|=[01])$/ {
		print FILENAME ":" FNR ": " $0; n++ } END { exit n > 0 }' tests/*.bats ||
	say 'two conditions of a case are two lines, and ! CONDITION ends in || false'

# What packages are called after.
version=$(sed -n 's/^VERSION = //p' config.mk)
for f in NEWS.md debian/changelog packaging/*/APKBUILD packaging/*/PKGBUILD \
	packaging/*/*.spec packaging/*/default.nix packaging/*bsd/Makefile; do
	grep -m1 -E '^## |^kst-tools|(pkgver|ersion|VERSION|DISTNAME)[:= ]' "$f" |
		grep -q -F "$version" || say "$f: not of version $version"
done
exit $bad
