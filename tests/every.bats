# SPDX-License-Identifier: ISC
# What every command does alike, whatever it is for.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	commands=$(cd "$B" && ls -d kst-* | grep -v '\.')
}

# each FUNCTION: runs it for every command, names those where it fails.
each() {
	bad=
	for c in $commands; do
		"$@" "$c" || bad="$bad $c"
	done
	[ -z "$bad" ] || {
		echo "failed for:$bad"
		return 1
	}
}

helps() {
	"$1" -h >out 2>err && [ ! -s err ] && grep -q "^usage: $1" out &&
		"$1" --help | cmp -s - out &&
		! awk 'length > 80' out | grep .
}
@test "-h and --help: usage on stdout, status 0, 80 columns" {
	each helps
}

versions() {
	"$1" -V >out && grep -q -E "^$1 [0-9]+\.[0-9]+" out &&
		"$1" --version | cmp -s - out
}
@test "-V and --version" {
	each versions
}

refuses() {
	rc=0
	"$1" --no-such-option </dev/null >out 2>err || rc=$?
	[ $rc = 2 ] && [ ! -s out ] && grep -q "^$1: " err
}
@test "an unknown option is wrong usage: status 2" {
	each refuses
}

fails_full() {
	rc=0
	"$1" --help >/dev/full 2>err || rc=$?
	[ $rc = 4 ] && grep -q "^$1: cannot write" err
}
@test "a full disk is a failure with a message" {
	each fails_full
}

fails_closed() {
	rc=0
	"$1" --help >&- 2>err || rc=$?
	[ $rc = 4 ]
}
@test "a closed standard output is a failure" {
	each fails_closed
}
