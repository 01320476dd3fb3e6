#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes what a release publishes, of HEAD: `make release` as root, on Debian.
#
#	packaging/release.sh DIR
#
# DIR gets the tarball, Debian's package, the filters linked statically with musl,
# SHA256SUMS, and `tag`, the text for `git tag -a -F`. Nothing is tagged or sent.
set -eu
cd "$(dirname "$0")/.."
out=$(realpath -m "${1:?usage: packaging/release.sh DIR}")
version=$(sed -n 's/^VERSION = //p' config.mk)
filters='kst-btrace kst-clean kst-console kst-diff kst-fold kst-perf kst-span kst-svg kst-top'
no() {
	echo "release: $*" >&2
	exit 1
}

[ -z "$(git status --porcelain)" ] || no "the tree has changes"
[ "$(sed -n 's/^## //p' NEWS.md | head -n 1)" = "$version" ] ||
	no "NEWS.md does not begin with $version"
[ -z "$(git tag -l "v$version")" ] || no "v$version is there already"
rm -rf "$out"
mkdir -p "$out"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

{
	printf 'kst %s\n' "$version"
	awk '/^## / { n++; next } n == 1' NEWS.md
} >"$out/tag"
git archive --format=tar --prefix="kst-$version/" HEAD | gzip -n9 \
	>"$out/kst-$version.tar.gz"
sh tests/package "$out"

# The libraries for musl are built of Debian's sources.
command -v musl-gcc >/dev/null || apt-get install -q -y musl-tools >&2
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] \
http://deb.debian.org/debian stable main" >"$tmp/sources"
mkdir -p "$tmp/lists/partial"
cat >"$tmp/apt" <<END
Dir::Etc::sourcelist "$tmp/sources";
Dir::Etc::sourceparts "-";
Dir::State::lists "$tmp/lists";
END
export APT_CONFIG="$tmp/apt"
apt-get update -q >&2
# library SOURCE OPTION...: static, with musl
library() {
	(
		mkdir "$tmp/$1"
		cd "$tmp/$1"
		apt-get source -q --download-only --tar-only "$1"
		tar xf "$1"_*.orig.tar.*
		cd ./*/
		shift
		[ -x configure ] || cd libiberty
		./configure -q CC=musl-gcc CFLAGS=-O2 --prefix="$tmp/musl" "$@"
		make -s -j"$(nproc)" install
	) >&2
}
library pcre2 --disable-shared --enable-jit
library libiberty --enable-install-libiberty
# xxHash is a header; those of Linux stand where musl-gcc does not look.
include=$tmp/musl/include
for d in linux asm-generic xxhash.h; do ln -s "/usr/include/$d" "$include/$d"; done
ln -s "/usr/include/$(gcc -print-multiarch)/asm" "$include/asm"
git clone -q . "$tmp/kst"
PKG_CONFIG_LIBDIR=$tmp/musl/lib/pkgconfig make -s -C "$tmp/kst" -j"$(nproc)" \
	CMDS="kst $filters" CC=musl-gcc CPPFLAGS="-isystem $include" \
	LDFLAGS="-static -L$(echo "$tmp"/musl/lib*/libiberty.a | xargs dirname)" \
	CFLAGS=-O2 PREFIX=/usr/local DESTDIR="$tmp/kst-$version-static" install >&2
# shellcheck disable=SC2086
B=$tmp/kst/build sh tests/golden.sh $filters
tar -C "$tmp" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 \
	--format=%ct)" -cf - "kst-$version-static" | gzip -n9 \
	>"$out/kst-$version-static-$(uname -m).tar.gz"

(cd "$out" && sha256sum kst* >SHA256SUMS)
ls -l "$out"
