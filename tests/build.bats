# SPDX-License-Identifier: ISC
# slow
# What a packager relies on in the Makefile.

setup() {
	cd "$BATS_TEST_DIRNAME/.." || exit 1
	T=$BATS_TEST_TMPDIR
	unset MAKEFLAGS MAKELEVEL B
}

# A pkg-config that knows one library.
only_pcre2() {
	printf '#!/bin/sh\nfor l in "$@"; do case $l in -* | libpcre2-8) ;; *)
		echo "no $l" >&2; exit 1 ;; esac; done\nexec pkg-config "$@"\n' \
		>"$T/only-pcre2"
	chmod +x "$T/only-pcre2"
}

@test "some commands alone need pcre2 alone, and two builds are the same bytes" {
	only_pcre2
	for copy in a b; do
		mkdir "$T/$copy"
		git ls-files -z -- . ':!tests' ':!docs/demo*' |
			xargs -0 cp --parents -t "$T/$copy"
		make -C "$T/$copy" CMDS='kst-fold kst-clean' \
			PKG_CONFIG="$T/only-pcre2" >/dev/null
		[ "$(cd "$T/$copy/build" && echo kst*)" = 'kst-clean kst-fold' ]
		make -C "$T/$copy" CMDS='kst-fold kst-clean' DESTDIR="$T/$copy/to" \
			PREFIX=/usr PKG_CONFIG="$T/only-pcre2" install >/dev/null
		[ "$(ls "$T/$copy/to/usr/share/man/man1" | wc -l)" = 2 ]
		[ "$(echo 'a;b 2' | "$T/$copy/to/usr/bin/kst-fold")" = 'a;b 2' ]
	done
	cmp "$T/a/build/kst-fold" "$T/b/build/kst-fold"
	cmp "$T/a/build/kst-clean" "$T/b/build/kst-clean"
	! ldd "$T/a/build/kst-fold" | grep -e libelf -e libdw
}

@test "the environment's compiler and flags count" {
	CC=some-cc CFLAGS='-O1 -DMINE' CPPFLAGS=-DFIRST LDFLAGS=-Wl,--mine \
		make -n B="$T/b" >"$T/out" 2>/dev/null
	grep -q 'some-cc .*-DFIRST .*-O1 -DMINE .*-c -o' "$T/out"
	grep -q 'some-cc .*-Wl,--mine -o .*/kst-fold' "$T/out"
	PREFIX=/opt/kst DESTDIR="$T/to" make -n install >"$T/out"
	grep -q "$T/to/opt/kst/bin" "$T/out"
}

@test "the pages in HTML: what they link to is there" {
	sh docs/html.sh "$T/html"
	cd "$T/html"
	grep -ho 'href="[^"#]*' ./*.html | sed 's/href="//' | sort -u >links
	grep -qx kst-fold.1.html links
	grep -qx 'https://manpages.debian.org/gdb.1' links
	while read -r link; do
		case $link in http* | '') ;; *) [ -e "$link" ] ;; esac
	done <links
	[ "$(grep -c '<td>.' index.html)" = "$(ls ./*.[157].html | wc -l)" ]
}
