#!/bin/sh
# SPDX-License-Identifier: ISC
# rmdirs.sh DESTDIR DIR...: removes the folders that installing made, from the
# inside out, as long as they are empty. Without DESTDIR only kst's own go.
dest=$1
shift
[ -n "$dest" ] || exit 0
for d; do
	while [ "$d" != / ] && [ "$d" != . ]; do
		rmdir "$dest$d" 2>/dev/null || break
		d=$(dirname "$d")
	done
done
rmdir "$dest" 2>/dev/null
exit 0
