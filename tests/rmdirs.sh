#!/bin/sh
# SPDX-License-Identifier: ISC
# rmdirs.sh DESTDIR PREFIX DIR...: removes the folders that installing made,
# from the inside out, as long as they are empty. In a system's own prefix,
# where folders stand ready that are not ours, none is removed.
dest=$1 prefix=$2
shift 2
if [ -z "$dest" ]; then
	case $prefix in
	/ | /usr | /usr/ | /usr/local | /usr/local/) exit 0 ;;
	esac
fi
for d; do
	while [ "$d" != / ] && [ "$d" != . ]; do
		[ ! -e "$dest$d" ] || rmdir "$dest$d" 2>/dev/null || break
		[ "$dest$d" != "$prefix" ] || break
		d=$(dirname "$d")
	done
done
[ -z "$dest" ] || rmdir "$dest" 2>/dev/null
exit 0
