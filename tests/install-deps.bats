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
	rm -f bin/apt-get
}

@test "elsewhere than on Debian nothing is said when all is there" {
	PATH=$PWD/bin run bin/sh "$deps" --tests
	echo "$output"
	[ "$status" = 0 ] && [ -z "$output" ]
}

@test "elsewhere what is missing is named, and the status is 1" {
	rm bin/zstd
	PKG_CONFIG_LIBDIR=/nowhere PATH=$PWD/bin run bin/sh "$deps"
	echo "$output"
	[ "$status" = 1 ]
	[[ ${lines[0]} = *"missing: zstd libpcre2-8 libelf libdw libxxhash zlib liblzma libzstd liblz4" ]]
	[[ ${lines[1]} = *" libpcre2-dev "* ]]
}
