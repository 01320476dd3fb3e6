#!/bin/sh
# SPDX-License-Identifier: ISC
# Links a Linux module to where it was loaded, so that its addresses, ORC
# tables and debug information are those of memory.
#
# usage: module.sh MODULE.ko SECTIONS OUTPUT
#   SECTIONS  lines of a section's name and address, as the guest prints them:
#             cd /sys/module/NAME/sections && grep . .[!.]* [!.]*
#   LD        the linker; that of another architecture links its modules
set -eu
if [ $# -ne 3 ]; then
	echo "usage: module.sh MODULE.ko SECTIONS OUTPUT" >&2
	exit 2
fi
script=$(mktemp)
trap 'rm -f "$script"' EXIT
awk -F '[: \t]+' '
	BEGIN { print "SECTIONS {" }
	$1 ~ /^[A-Za-z0-9_.$-]+$/ && $2 ~ /^0x[0-9a-f]+$/ && !seen[$1]++ {
		printf "%s %s : { *(%s) }\n", $1, $2, $1
		n++
	}
	END {
		print "}"
		exit n == 0
	}' "$2" >"$script" || {
	echo "module.sh: $2: no section with an address" >&2
	exit 1
}
# What the guest does not list is not there, and may be put anywhere. The kernel is
# not linked, so that calls to it may not reach 0: kst follows none of them.
said=$(${LD:-ld} -e 0 -z noexecstack --no-warn-rwx-segments \
	--no-check-sections --unresolved-symbols=ignore-all --noinhibit-exec \
	-T "$script" -o "$3" "$1" 2>&1) || {
	printf '%s\n' "$said" >&2
	exit 1
}
