#!/bin/sh
# SPDX-License-Identifier: ISC
# Runs the golden cases: tests/golden/COMMAND/CASE.* (see tests/README.md).
#
#	B=build sh tests/golden.sh [COMMAND ...]
#	B=build BLESS=COMMAND/CASE sh tests/golden.sh     rewrite what is expected
#
# Prints each failure with its difference; exits 1 when there was any.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
B=$(cd "${B:-$root/build}" && pwd) || exit 1
export PATH="$B:$PATH" LC_ALL=C B
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0 n=0

# run_case COMMAND CASE: out, err, rc into $tmp; in the folder of the case.
run_case() {
	in=/dev/null
	[ -f "$2.in" ] && in=$2.in
	if [ -f "$2.cmd" ]; then
		sh "./$2.cmd" <"$in" >"$tmp/out" 2>"$tmp/err"
	else
		args=
		[ -f "$2.args" ] && args=$(cat "./$2.args")
		eval "set -- \"\$1\" $args"
		"$@" <"$in" >"$tmp/out" 2>"$tmp/err"
	fi
	echo $? >"$tmp/rc"
}

# same KIND DEFAULT: compares with the case's file, or with the default text.
same() {
	# most have no messages: nothing is started to see that
	if [ -z "$2" ] && [ ! -s "$tmp/$1" ] && [ ! -f "$case.$1" ]; then
		return 0
	elif [ -f "$case.$1" ]; then
		diff -a -u "$case.$1" "$tmp/$1" >"$tmp/diff" 2>&1
	else
		printf "$2" | diff -a -u - "$tmp/$1" >"$tmp/diff" 2>&1
	fi && return 0
	echo "not ok: $command/$case: $1 differs"
	head -n 40 "$tmp/diff"
	return 1
}

keep() {
	if [ "$(cat "$tmp/$1" && echo x)" = "$(printf "$2" && echo x)" ]; then
		rm -f "$case.$1"
	else
		cp "$tmp/$1" "$case.$1"
	fi
}

# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(cd "$root/tests/golden" && ls)
for command; do
	[ -d "$root/tests/golden/$command" ] || continue
	cd "$root/tests/golden/$command" || exit 1
	for case in $(ls | sed -n -E 's/\.(in|args|cmd)$//p' | sort -u); do
		if [ -n "${BLESS:-}" ] && [ "$BLESS" != "$command/$case" ] &&
			[ "$BLESS" != "$command" ]; then
			continue
		fi
		n=$((n + 1))
		run_case "$command" "$case"
		if [ -n "${BLESS:-}" ]; then
			keep out '' && keep err '' && keep rc '0\n'
			echo "blessed $command/$case"
			continue
		fi
		ok=1
		same out '' || ok=0
		same err '' || ok=0
		same rc '0\n' || ok=0
		[ $ok = 1 ] || failed=$((failed + 1))
		[ -z "${STOP:-}" ] || [ $failed = 0 ] || exit 1
	done
done
echo "golden: $n cases, $failed failed"
[ $failed = 0 ] && [ $n -gt 0 ]
