#!/bin/sh
# SPDX-License-Identifier: ISC
# The worker of kst-batch, which GNU parallel starts in the run's folder with
# the number of a job. JOB/NUMBER.KIND is what an item reads; it makes
# JOB/NUMBER.TAG.folded, .svg, and .sum with what the filters have counted; TAG
# tells this attempt from others. Then it prints `NUMBER TAG`; when nobody reads
# that any more it ends.
#
# kst-batch puts before it: version, the run's folder and that which options are
# relative to (here, folder), jobs, tries, hosts and bar for GNU parallel, workers,
# block and log for what is split, what is empty unless a picture is wanted,
# captures are sent, folded text has one count (picture, sent, plain), and the
# steps: `steps` as a pipe, `each` for many files, `draw`.
# shellcheck disable=SC2034,SC2154
if [ "$1" = part ]; then # of what `split` reads
	steps >"$base-$2.folded" 3>"$base-$2.sum" || [ -e "$base-$2.sum" ]
	exit
fi
v=$(kst-fold --version)
[ "$v" = "kst-fold $version" ] || {
	echo "kst-batch: $(uname -n): no kst-fold $version, but '$v'" >&2
	exit 1
}
exec 4>&1 2>/dev/null
tag=.$(uname -n)-$$ shape='' part='' run=$PWD
d=$run/$1
cd "$folder" || [ "$sent" ] || exit

# end NUMBER KIND: draws it, and says that it is done.
end() {
	if [ "$picture" ]; then
		draw <"$d/$1$tag.folded" >"$d/$1$tag.svg"
		echo "command=kst-svg status=$?" >>"$d/$1$tag.sum"
	fi
	[ -z "$sent" ] || rm -f "$d/$1.$2"
	echo "$1 ${tag#.}" >&4 || exit
}

# unpack PACKER FILE: says how that ended, which a pipe does not.
unpack() {
	"$1" -dcq <"$2"
	echo "command=unpack status=$?" >&3
}

# split NUMBER KIND BORDER: GNU parallel has the parts folded.
split() {
	case $2 in
	lines) shape='--shape folded' part=--plain sum=$plain ;;
	*) shape='--shape trace' part=--part sum=--plain ;;
	esac
	base=$d/$1$tag
	export base shape part run
	parallel --plain --will-cite --ungroup --halt now,fail=1 \
		-j"$workers" ${log:+--joblog "+$log"} --pipepart -a "$d/$1.$2" \
		--block "$block" --recend '\n' --recstart "$3" \
		'exec sh "$run"/work part {#}'
	{
		n=1
		while [ -e "$base-$n.sum" ]; do
			cat "$base-$n.sum" >&3 && cat "$base-$n.folded" || exit
			n=$((n + 1))
		done
		echo command=add >&3
	} | kst-fold --shape folded $sum && echo command=add >&3
	shape='' part=''
}

one() { # NUMBER KIND
	f=$d/$1.$2
	case $2 in
	foreign) ;;
	text | small) <"$f" steps ;;
	capture) split "$@" '[kst-capture ' ;;
	round) split "$@" '-<!OSDK_PROF_BT_ROUND!>-' ;;
	thread) split "$@" 'Thread ' ;;
	lines) split "$@" '' ;;
	json)
		echo command=json >&3
		kst-json --summary-fd 3 <"$f" | steps
		;;
	add | plain)
		sum=--plain
		[ "$2" = plain ] || sum=
		xargs -0r -a "$f" cat -- |
			kst-fold --summary-fd 3 --shape folded $sum
		;;
	draw) cat "$f" ;;
	*)
		case $(unpack "$2" "$f" 3>/dev/null | head -c 4096 |
			tr -d '[:space:]\357\273\277' | head -c 2) in
		'{"' | '{}')
			echo command=json >&3
			unpack "$2" "$f" | kst-json --summary-fd 3 | steps
			;;
		*) unpack "$2" "$f" | steps ;;
		esac
		;;
	esac
}

# Short captures: a process of each filter for all. What a filter that failed
# did not get to is done by itself.
set --
for f in "$d"/*.small; do
	[ ! -e "$f" ] || set -- "$@" "${f%.small}"
done
[ $# = 0 ] || each "$@"
rm -f "$d"/*"$tag".[12]
for f in "$d"/*; do
	n=${f##*/} kind=${f##*.}
	n=${n%%.*}
	[ "$n.$kind" = "${f##*/}" ] || continue # what an attempt makes
	[ -e "$d/$n$tag.folded" ] ||
		one "$n" "$kind" 3>"$d/$n$tag.sum" >"$d/$n$tag.folded"
	end "$n" "$kind"
done
