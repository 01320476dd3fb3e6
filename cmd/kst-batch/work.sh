#!/bin/sh
# SPDX-License-Identifier: ISC
# The worker of kst-batch, which GNU parallel starts in the run's folder with
# the number of a job. It reads JOB/job:
#
#	small FIRST LAST	short captures: a process of each filter for all
#	KIND UNIT		a capture, a picture or a sum by itself
#
# UNIT.in is what a unit reads. It makes UNIT.TAG.folded, .svg, and .sum with
# what the filters have counted; TAG tells this attempt from others. Then it
# prints `UNIT .TAG`; when nobody reads that any more it ends.
#
# kst-batch puts before it: version, the folder that options are relative to
# ("": this one, all has been sent), picture, which is empty if none is wanted,
# and the steps: `steps` as a pipe, `each` for many files, `draw`.
# shellcheck disable=SC2034,SC2154
v=$(kst-fold --version)
[ "$v" = "kst-fold $version" ] || {
	echo "kst-batch: $(uname -n): no kst-fold $version, but '$v'" >&2
	exit 1
}
exec 4>&1 2>/dev/null
tag=.$(uname -n)-$$ shape='' part=''
d=$1
if [ "$1" = part ]; then d=$2; fi
if [ "$folder" ]; then
	d=$(pwd)/$d
	cd "$folder" || exit
fi

# end UNIT: draws it, and says that it is done.
end() {
	if [ "$picture" ]; then
		draw <"$d/$1$tag.folded" >"$d/$1$tag.svg"
		echo "command=kst-svg status=$?" >>"$d/$1$tag.sum"
	fi
	[ "$folder" ] || rm -f "$d/$1.in"
	echo "$1 $tag" >&4 || exit
}

# unpack UNIT PACKER: says how that ended, which a pipe does not.
unpack() {
	"$2" -dcq <"$d/$1.in"
	echo "unpack=$2 status=$?" >&3
}

one() { # UNIT KIND
	case $2 in
	foreign) ;;
	text) <"$d/$1.in" steps ;;
	json)
		echo json >&3
		kst-json --summary-fd 3 <"$d/$1.in" | steps
		;;
	sum | plain)
		[ "$2" = sum ] || part=--plain
		# shellcheck disable=SC2086
		xargs -0r -a "$d/$1.in" cat -- |
			kst-fold --summary-fd 3 --shape folded $part
		part=
		;;
	draw) cat "$d/$1.in" ;;
	*)
		case $(unpack "$@" 3>/dev/null | head -c 4096 |
			tr -d '[:space:]\357\273\277' | head -c 2) in
		'{"' | '{}')
			echo json >&3
			unpack "$@" | kst-json --summary-fd 3 | steps
			;;
		*) unpack "$@" | steps ;;
		esac
		;;
	esac 3>"$d/$1$tag.sum" >"$d/$1$tag.folded"
	end "$1"
}

# small FIRST LAST: what a filter that failed did not get to is done by itself.
small() {
	n=$1 last=$2
	set --
	while [ "$n" -le "$last" ]; do
		set -- "$@" "$d/$n"
		n=$((n + 1))
	done
	each "$@"
	rm -f "$d"/*"$tag".[12]
	for f; do
		if [ -e "$f$tag.folded" ]; then
			end "${f##*/}"
		else
			one "${f##*/}" text
		fi
	done
}

# part JOB UNIT SHAPE OPTION NUMBER: a part, from the standard input.
if [ "$1" = part ]; then
	shape="--shape $4" part=$5
	steps >"$d/$3-$6.folded" 3>"$d/$3-$6.sum"
	echo "$3 part" >&4
	exit
fi
while [ -d "$d" ] && read -r kind n last; do
	case $kind in
	small) small "$n" "$last" ;;
	*) one "$n" "$kind" ;;
	esac
done <"$d/job"
