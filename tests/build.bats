# SPDX-License-Identifier: ISC
# slow
# lane: native
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
		make -C "$T/$copy" CMDS='kst-fold kst-clean' CFLAGS='-O0 -g' \
			PKG_CONFIG="$T/only-pcre2" >/dev/null
		[ "$(cd "$T/$copy/build" && echo kst*)" = 'kst-clean kst-fold' ]
		make -C "$T/$copy" CMDS='kst-fold kst-clean' CFLAGS='-O0 -g' DESTDIR="$T/$copy/to" \
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

@test "lint names a function that another file's header declares" {
	mkdir -p "$T/common/io" "$T/cmd/kst-x/sub"
	cp tests/homes.awk "$T"
	cd "$T"
	printf 'int\n%s(void)\n{\n}\n' a >common/io/in.c
	printf 'int\n%s(void)\n{\n}\n' b >>common/io/in.c
	printf 'static int\n%s(void)\n{\n}\n' c >>common/io/in.c
	printf 'struct x *\n%s(void)\n{\n}\n' d >cmd/kst-x/sub/y.c
	echo 'int a(void);' >common/io/in.h
	echo 'int b(void);' >common/io/io.h
	printf 'int c(void);\nint b(void);\n' >cmd/kst-x/other.h
	echo 'struct x *d(void);' >cmd/kst-x/sub/sub.h
	awk -f homes.awk common/*/*.[ch] cmd/*/*.h cmd/*/*/*.[ch]
	mv common/io/io.h common/io/other.h
	mv cmd/kst-x/sub/sub.h cmd/kst-x/x.h
	awk -f homes.awk common/*/*.[ch] cmd/*/*.h cmd/*/*/*.[ch] >out && return 1
	diff <(sort out) - <<-'END'
		lint: b of common/io/in.c is declared in common/io/other.h
		lint: d of cmd/kst-x/sub/y.c is declared in cmd/kst-x/x.h
	END
	sed -i 's|^|/* Of other files: for a reason. */\n|' common/io/other.h
	for n in $(seq 39); do
		printf 'int\nf%s(void)\n{\n}\n' "$n" >>common/io/in.c
		echo "int f$n(void);" >>common/io/other.h
	done
	mv cmd/kst-x/x.h cmd/kst-x/sub/y.h
	awk -f homes.awk common/*/*.[ch] cmd/*/*/*.[ch]
	printf 'int\ng(void)\n{\n}\n' >>common/io/in.c
	echo 'int g(void);' >>common/io/other.h
	awk -f homes.awk common/*/*.[ch] >out && return 1
	grep -q '41 functions are declared for other files; 40 may be' out
}

# What make builds is empty, and so quick; make takes a compiler that writes it.
empty_build() {
	echo 'int nothing;' | cc -x c -c -o "$T/empty.o" -
	cat >"$T/cc" <<-END
		#!/bin/sh
		case " \$* " in *' -o '*) ;; *) exit 0 ;; esac
		while [ "\$1" != -o ]; do shift; done
		cp "$T/empty.o" "\$2"
	END
	chmod +x "$T/cc"
}

@test "after some commands alone, make all makes a library for all" {
	empty_build
	of() {
		make CC="$T/cc" B="$T/b" "$@" "$T/b/libkst.a" >/dev/null
		ar t "$T/b/libkst.a" | sort
	}
	of CMDS='kst-clean kst-fold' >"$T/first"
	of >"$T/all"
	of CMDS='kst-clean kst-fold' >"$T/some"
	diff "$T/first" "$T/some"
	grep -qx elfsym.o "$T/all"
	[ "$(grep -c elf "$T/some")" = 0 ]
	grep -qx table.o "$T/some"
	diff "$T/all" <(of)
	# and nothing is done twice
	was=$(stat -c %y "$T/b/libkst.a")
	of >/dev/null
	[ "$(stat -c %y "$T/b/libkst.a")" = "$was" ]
}

@test "lint goes on after what finds something, and fails; fmt names what it changes" {
	mkdir -p "$T/l/tests" "$T/l/common/io" "$T/bin"
	cp Makefile config.mk "$T/l"
	cd "$T/l"
	for tool in clang-format mandoc shellcheck; do
		printf '#!/bin/sh\n[ "$1" != --version ] || exec echo version 14.0
			echo "%s finds it"\nexit 1\n' $tool >"$T/bin/$tool"
	done
	chmod +x "$T"/bin/*
	PATH="$T/bin:$PATH"
	echo 'echo lint.sh finds it; exit "$(cat rc)"' >tests/lint.sh
	echo 1 >rc
	run make lint
	[ "$status" != 0 ]
	for tool in clang-format mandoc shellcheck lint.sh; do
		[[ $output = *"$tool finds it"* ]]
	done
	echo 0 >rc
	run make lint
	[ "$status" != 0 ]
	printf '#!/bin/sh\n' | tee "$T/bin/mandoc" "$T/bin/shellcheck" >/dev/null
	printf '#!/bin/sh\n[ "$1" != --version ] || exec echo version 14.0\n' \
		>"$T/bin/clang-format"
	make lint

	cat >"$T/bin/clang-format" <<-'END'
		#!/bin/sh
		[ "$1" = -i ] && exec sed -i 's/a/b/' "$2"
		[ "$1" = --dry-run ] && shift && for f; do
			! grep -q a "$f" || echo "$f:1:2: warning:" \
				"code should be clang-formatted" \
				"[-Wclang-format-violations]" >&2
		done
	END
	echo b >common/io/in.c
	echo a >common/io/out.c
	[ "$(make fmt)" = common/io/out.c ]
	grep -qx b common/io/out.c
	[ -z "$(make fmt)" ]
}

@test "tests/run does not pass when bats lacks results" {
	mkdir "$T/bin" "$T/b"
	cat >"$T/bin/bats" <<-'END'
		#!/bin/sh
		[ -z "$MUTE" ] || exit "$MUTE"
		i=0
		echo "1..${PLAN-2}"
		while [ $i -lt 2 ]; do i=$((i + 1)); echo "ok $i a"; done
	END
	chmod +x "$T/bin/bats"
	PATH="$T/bin:$PATH" B="$T/b"
	export B
	for n in 'install-deps' 'install-deps property kst-capture-stubs'; do
		MUTE='' sh tests/run $n >"$T/out"
		grep -qx 'all tests passed' "$T/out"
		for how in PLAN=3 PLAN=1 MUTE=0 MUTE=1; do
			env MUTE= "$how" sh tests/run $n >"$T/out" 2>&1 && return 1
			grep -q '^FAILED:.*not all results' "$T/out"
			! grep 'all tests passed' "$T/out" || return 1
		done
	done
	grep -q 'lane-guests.log: not all results; lane-rest.log' "$T/out"
}

# A suite of its own, whose second case fails the first $FAILS times.
@test "tests/run runs what failed once more, alone, and says so" {
	mkdir -p "$T/tree/tests" "$T/b"
	cp tests/run "$T/tree/tests/run"
	sed 's/^CASE/@test/' >"$T/tree/tests/odd.bats" <<-'END'
		CASE "a" { true; }
		CASE "b. (1 of 2) [x] in 3ms" {
			echo >>"$B/n"
			[ "$(grep -c '' "$B/n")" -gt "$FAILS" ]
		}
		CASE "b. (1 of 2) [x] in 3ms, too" { echo >>"$B/others"; }
	END
	B="$T/b"
	export B
	again() {
		rm -f "$B/n" "$B/others"
		# What bats exports would make the inner one its part, and so would a
		# "bats" of its own that stands in PATH before the one that is called.
		env -i PATH="${PATH#"$BATS_LIBEXEC":}" TMPDIR="$T" B="$B" FAILS="$1" AGAIN="$2" \
			sh "$T/tree/tests/run" odd >"$T/out" 2>&1
	}
	again 0 1
	[ "$(tail -n 1 "$T/out")" = 'all tests passed' ]
	again 1 1
	grep -qx 'all tests passed' "$T/out"
	[ "$(tail -n 1 "$T/out")" = \
		'passed only alone: tests/odd.bats: b. (1 of 2) [x] in 3ms' ]
	[ "$(grep -c '' "$B/others")" = 1 ]
	again 2 1 && return 1
	grep -qx 'FAILED: bats' "$T/out"
	again 1 0 && return 1
	grep -qx 'FAILED: bats' "$T/out"
}
