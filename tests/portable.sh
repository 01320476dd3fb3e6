#!/bin/sh
# SPDX-License-Identifier: ISC
# The golden cases by commands that were built with -DKST_PORTABLE in $B; what only
# Linux has is asked for by common/base/port.c, and, as it may be missing, by
# the files of common/rights.
set -u
cd "$(dirname "$0")/.." || exit 1
export KST_SHARE="$PWD/share"

headers='sys/(prctl|signalfd|sendfile|epoll|eventfd|inotify|syscall|auxv|sysmacros)\.h'
! grep -rnE "^#include <($headers|malloc\.h|linux/)" cmd common --include='*.[ch]' |
	grep -vE '^(common/base/port|common/rights/(rights|calls))\.c:' || exit 1
calls='memfd_create|signalfd|prctl|sendfile(64)?|syscall|qsort_r|close_range'
calls="$calls|sched_getaffinity|mallopt|getrandom|splice|copy_file_range|basename"
# neither OpenBSD nor macOS has these
calls="$calls|sigtimedwait|sigwaitinfo"
for c in "$B"/kst "$B"/kst-*; do
	! nm -D --undefined-only "$c" 2>/dev/null | awk '{ print $2 }' |
		grep -E "^($calls)(@|\$)" || {
		echo "portable: $c asks for what only Linux has"
		exit 1
	}
done
sh tests/golden.sh
