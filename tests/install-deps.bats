# SPDX-License-Identifier: ISC
# share/install-deps where there is no apt-get: it looks for the programs and
# libraries themselves.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	deps=$BATS_TEST_DIRNAME/../share/install-deps
	mkdir bin
	IFS=:
	for d in $PATH; do
		# in bin, its cc would find no compiler but itself
		case $d in *ccache*) continue ;; esac
		[ ! -d "$d" ] || ln -s "$d"/* bin/ 2>/dev/null || :
	done
	unset IFS
	rm -f bin/apt-get bin/brew
}

@test "elsewhere than on Debian nothing is said when all is there" {
	PATH=$PWD/bin run bin/sh "$deps" --check
	echo "$output"
	[ "$status" = 0 ]
	[ -z "$output" ]
	for p in qemu-system-x86_64 shellcheck chromium arm-linux-gnueabi-gcc rsync sshd lldb; do
		rm -f "bin/$p"
	done
	PATH=$PWD/bin run bin/sh "$deps" --check
	[ "$status" = 0 ]
	[ -z "$output" ]
	PATH=$PWD/bin run bin/sh "$deps" --tests
	[ "$status" = 1 ]
	for p in $(sed -n '1s/.*missing: //p' <<<"$output"); do
		printf '#!/bin/sh\n' >"bin/$p"
		chmod +x "bin/$p"
		case $p in sshd | lldb | rsync) named="${named-} $p" ;; esac
	done
	[ "$named" = ' rsync lldb' ] || [ "$named" = ' rsync sshd lldb' ]
	PATH=$PWD/bin run bin/sh "$deps" --tests
	echo "$output"
	[ "$status" = 0 ]
	[ -z "$output" ]
}

@test "elsewhere what is missing is named, and the status is 1" {
	rm bin/zstd
	PKG_CONFIG_LIBDIR=/nowhere PATH=$PWD/bin run bin/sh "$deps"
	echo "$output"
	[ "$status" = 1 ]
	[[ ${lines[0]} = *"missing: zstd libpcre2-8 libelf libdw zlib liblzma libzstd liblz4" ]]
	[[ ${lines[1]} = *" libpcre2-dev "* ]]
}

@test "other systems' installers: what -n says is what is run" {
	rm bin/zstd
	# as root, since sudo has a PATH of its own
	rm -f bin/id
	printf '#!/bin/sh\necho 0\n' >bin/id
	chmod +x bin/id
	for m in apk dnf pacman zypper pkg pkg_add brew; do
		printf '#!/bin/sh\necho %s "$@"\n' $m >bin/$m
		chmod +x bin/$m
		PATH=$PWD/bin bin/sh "$deps" -n >said
		PATH=$PWD/bin bin/sh "$deps" 2>done
		grep -q 'installing: zstd' done
		[ "$(tail -n 1 done)" = "$(cat said)" ]
		grep -q "^$m .*pcre2.* zstd" said
		rm bin/$m
	done
}

@test "with CMDS what these commands need is enough" {
	rm bin/zstd
	printf '#!/bin/sh\n' >bin/dnf
	chmod +x bin/dnf
	CMDS='kst-clean kst-fold' PATH=$PWD/bin run bin/sh "$deps" -n
	[[ $output = *pcre2* && $output != *elfutils* ]]
	[[ $output != *zlib* ]]
	CMDS='kst-clean kst-export' PATH=$PWD/bin run bin/sh "$deps" -n
	[[ $output = *zlib-devel* && $output != *elfutils* ]]
	CMDS='kst-clean kst-sym' PATH=$PWD/bin run bin/sh "$deps" -n
	[[ $output = *elfutils* ]]
	run sh "$deps" --nosuch
	[ "$status" = 2 ]
}
