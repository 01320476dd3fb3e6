#!/bin/sh
# SPDX-License-Identifier: ISC
# draw.sh OPTIONS...: what kst-svg draws, without its style sheet.
f=$(mktemp) || exit 3
kst-svg --no-script "$@" >"$f"
rc=$?
sed '/^<style>$/,/^<\/style>$/d' "$f"
rm -f "$f"
exit $rc
