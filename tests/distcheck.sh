#!/bin/sh
# SPDX-License-Identifier: ISC
# distcheck.sh NAME: unpacks NAME.tar.gz, builds it, runs the quick tests,
# installs and uninstalls it; nothing may be left behind, and the installed
# commands must work on their own.
set -eu
name=$1
tar=$PWD/$name.tar.gz
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
tar xzf "$tar"
cd "$name"
make -j2 all units
B=build sh tests/run --quick kst-clean kst-fold every

make install DESTDIR="$dir/root" PREFIX=/usr
for f in "$dir"/root/usr/bin/kst-*; do
	"$f" --version
done
printf '#0  a ()\n#1  b ()\n' >"$dir/in"
(
	cd /
	unset KST_SHARE
	PATH="$dir/root/usr/bin:$PATH"
	kst-clean --rules guest "$dir/in" | kst-fold | grep -qx 'b;a 1'
)
ls "$dir"/root/usr/share/man/man1/kst-fold.1 \
	"$dir"/root/usr/share/bash-completion/completions/kst-fold \
	"$dir"/root/usr/share/kst/rules/default.rules >/dev/null

make uninstall DESTDIR="$dir/root" PREFIX=/usr
if [ -e "$dir/root" ]; then
	echo "left behind:"
	find "$dir/root"
	exit 1
fi

# With other things in the prefix, those stay and ours go.
mkdir -p "$dir/root/usr/bin"
touch "$dir/root/usr/bin/other"
make install DESTDIR="$dir/root" PREFIX=/usr >/dev/null
make uninstall DESTDIR="$dir/root" PREFIX=/usr >/dev/null
[ "$(find "$dir/root" -type f)" = "$dir/root/usr/bin/other" ]
[ "$(find "$dir/root" | wc -l)" = 4 ]
echo "distcheck: $name builds, works, installs and uninstalls"
