#!/bin/sh
# SPDX-License-Identifier: ISC
# Becomes GNU parallel in the run's folder: `run start` starts the worker with
# each number of a job in the file `list`, `run clean` removes what hosts were
# sent.
#
# kst-batch puts before it what it puts before the worker, and sets the
# arguments: after the first, options for the files that hosts are sent.
# shellcheck disable=SC2154
cd "$here" || exit
exec </dev/null
# messages of a group in the background must not stop it
trap '' TTOU
# Some versions of GNU parallel refuse folders with other bytes in their names.
case ${TMPDIR-} in *[!-A-Za-z0-9_+,.%:/=\ ]*) unset TMPDIR ;; esac
what=$1 cd=''
away=.kst-batch-${here##*/run-} # the folder on hosts for what they are sent
shift
command -v parallel >/dev/null || {
	echo 'kst-batch: parallel cannot be run: No such file or directory' >&2
	exit 127
}
export PARALLEL_SHELL=/bin/sh KST_BATCH="$here"
# How soon a login that does not answer is given up.
export PARALLEL_SSH="${PARALLEL_SSH-ssh -o BatchMode=yes -o ConnectTimeout=10 \
-o ServerAliveInterval=5 -o ServerAliveCountMax=3}"
# A host has one connection, which its jobs share: the user's own, if ssh is
# configured so, or by a socket in this folder.
share='-F ssh-config'
if [ "$hosts" ]; then
	printf '%s\n' 'Include ~/.ssh/config' 'Include /etc/ssh/ssh_config' \
		'Host *' 'ControlPath ssh-%C' >ssh-config
	case $PARALLEL_SSH in
	ssh | 'ssh '*) PARALLEL_SSH="ssh $share${PARALLEL_SSH#ssh}" ;;
	esac
	sed -E "s|^([[:blank:]]*([0-9]+/)?ssh )|\\1$share |" "$hosts" >logins
	hosts=$here/logins
	[ "$what" = clean ] || sed -E 's|^[[:blank:]]*([0-9]+/)?||' logins | {
		while read -r login; do
			case $login in
			'' | '#'* | :) continue ;;
			*' '*) ;;
			*) login="$PARALLEL_SSH $login" ;;
			esac
			[ "${login%% *}" = ssh ] || continue
			# `-MNf` stays for ever if there is such a socket
			# shellcheck disable=SC2086
			${login% *} -o BatchMode=yes -o ConnectTimeout=10 \
				-o ControlMaster=auto -o ControlPersist=60 \
				"${login##* }" true &
		done
		wait
	} 2>/dev/null
fi
# Its folder keeps what it finds out about machines: the user's own, or where
# there can be none, one of this run.
home=$here/parallel
case $home in *[!-A-Za-z0-9_+,.%:/=\ ]*) home=/proc/$$/cwd/parallel ;; esac
[ -w "${HOME-}" ] || export PARALLEL_HOME="${PARALLEL_HOME-$home}"

[ "$what" = start ] || {
	export TMPDIR=. # of which it does not quote the name
	exec parallel --plain --will-cite --nonall --slf "$hosts" \
		"exec 2>/dev/null; rm -rf $away"
}
if [ -z "$hosts" ]; then
	set -- --ungroup
elif [ -z "$sent" ]; then
	cd="cd \"\$KST_BATCH\" && "
	set -- --env KST_BATCH --line-buffer
else
	# follows the links that stand for the names
	export PARALLEL_RSYNC_OPTS="${PARALLEL_RSYNC_OPTS--rLDzR}"
	# what a job prints comes when its files have come
	set -- "$@" --basefile work --transferfile {} --return {} \
		--workdir "$away"
fi
# A job is tried again, where it has not failed, if it can be.
[ -z "$hosts" ] ||
	set -- "$@" --slf "$hosts" --filter-hosts --retries="$tries"
exec parallel --plain --will-cite --termseq TERM,1000,KILL,25 -a list \
	${bar:+--bar} ${log:+--joblog "+$log"} -j"$jobs" "$@" \
	"${cd}exec sh ./work {}"
