#!/bin/sh
# SPDX-License-Identifier: ISC
# The worker of kst-batch, which GNU parallel starts in the run's folder with
# the number of a job. JOB/NUMBER.KIND is what an item reads; it makes
# JOB/TAG/NUMBER.folded, .svg, and .sum with what the filters have counted; TAG
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
exec 4>&1 2>/dev/null
tag=$(uname -n)-$$ shape='' part='' run=$PWD
d=$run/$1 t=$run/$1/$tag
mkdir "$t" || exit
cd "$folder" || [ "$sent" ] || exit

# end NUMBER KIND: draws it, and says that it is done.
end() {
	if [ "$picture" ]; then
		draw <"$t/$1.folded" >"$t/$1.svg"
		echo "command=kst-svg status=$?" >>"$t/$1.sum"
	fi
	[ -z "$sent" ] || rm -f "$d/$1.$2"
	echo "$1 $tag" >&4 || exit
}

# unpack FILE: says how that ended, which a pipe does not.
unpack() {
	case $1 in
	*.gz) gzip -dcq <"$1" ;;
	*.zst) zstd -dcq <"$1" ;;
	*.xz) xz -dcq <"$1" ;;
	esac
	echo "command=unpack status=$?" >&3
}

# split NUMBER KIND BORDER: GNU parallel has the parts folded.
split() {
	case $2 in
	lines) shape='--shape folded' part=--plain sum=$plain ;;
	*) shape='--shape trace' part=--part sum=--plain ;;
	esac
	base=$t/$1
	export base shape part run
	parallel --plain --will-cite --ungroup --halt now,fail=1 \
		-j"$workers" ${log:+--joblog "+$log"} --pipepart -a "$d/$1.$2" \
		--block "$block" --recend '\n' --recstart "$3" \
		'exec sh "$run"/work part {#}' 4>&-
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
		case $(unpack "$f" 3>/dev/null | head -c 4096 |
			tr -d '[:space:]\357\273\277' | head -c 2) in
		'{"' | '{}')
			echo command=json >&3
			unpack "$f" | kst-json --summary-fd 3 | steps
			;;
		*) unpack "$f" | steps ;;
		esac
		;;
	esac
}

# Short captures: one process of each packer, and of each filter, for all. A
# packer writes at most 16 MiB a file.
short() {
	ln -s "$@" "$t"
	for packer in gzip.gz zstd.zst xz.xz; do
		set -- "$t"/*.small."${packer#*.}"
		[ -e "$1" ] || continue
		(ulimit -f 32768 && exec "${packer%.*}" -dfkq -- "$@") || {
			for f; do set -- "$@" "${f%.*}" && shift; done
			rm -f "$@"
		}
	done
	set -- "$t"/*.small
	[ -e "$1" ] || return
	for f; do set -- "$@" "${f%.small}" && shift; done
	each "$@"
	for f in "$t"/*.small.*; do
		f=${f%.small.*}
		[ ! -e "$f.sum" ] || echo "command=unpack status=0" >>"$f.sum"
	done
}
set -- "$d"/*.small*
[ ! -e "$1" ] || short "$@"
rm -f "$t"/*.[12] "$t"/*.small*

# What was not folded is done by itself: it failed, or is packed JSON.
for f in "$d"/*.*; do
	[ ! -d "$f" ] || continue # of an attempt
	n=${f##*/}
	kind=${n#*.} n=${n%%.*}
	[ -s "$t/$n.folded" ] ||
		{ [ "$kind" = small ] && [ -e "$t/$n.folded" ]; } ||
		one "$n" "$kind" 3>"$t/$n.sum" >"$t/$n.folded"
	end "$n" "$kind"
done
