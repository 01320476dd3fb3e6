#!/bin/sh
# SPDX-License-Identifier: ISC
# rmdirs.sh DESTDIR PREFIX DIR...: removes the folders that installing made,
# from the inside out, as long as they are empty; but none that a system has
# ready for everybody.
dest=$1 prefix=${2%/}
shift 2

is_shared() {
	[ -z "$dest" ] || return 1
	case $prefix in '' | /usr | /usr/local) ;; *) return 1 ;; esac
	case ${1#"$prefix"} in
	'' | /bin | /share | /share/man | /share/doc) return 0 ;;
	*) return 1 ;;
	esac
}

for d; do
	while [ "$d" != / ] && [ "$d" != . ] && ! is_shared "$d"; do
		[ ! -e "$dest$d" ] || rmdir "$dest$d" 2>/dev/null || break
		[ "$dest$d" != "$prefix" ] || break
		d=$(dirname "$d")
	done
done
[ -z "$dest" ] || rmdir "$dest" 2>/dev/null
exit 0
