#!/bin/sh
# SPDX-License-Identifier: ISC
# Becomes GNU parallel in the run's folder: `run start` starts `work` with each
# number of a job in the file `list`, `run clean` removes what hosts were sent.
#
# kst-batch puts variables before it, and sets the arguments: after the first,
# options for the files that hosts are sent.
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

# For the shell of a login, whichever it is.
question="exec sh -c 'echo \"kst-batch-host \$(nproc 2>/dev/null || \
getconf _NPROCESSORS_ONLN || echo 1) \$(kst-fold --version)\"'"
patience=
! timeout --foreground 1 true 2>/dev/null || patience='timeout --foreground 60'

# probe NUMBER CORES LOGIN: prints CORES/LOGIN if it has kst of this version, and
# makes the connection, which stays. CORES of 0 are counted there. A login that
# does not answer may only be busy, or about to boot: it is asked three times.
probe() {
	cores=$2 login=$3 why=
	case $login in
	'ssh '*) login="ssh $share ${login#ssh }" ;;
	esac
	case $login in
	:) call='sh -c' ;;
	*' '*) call=$login ;;
	*) call="$PARALLEL_SSH $login" ;;
	esac
	# `-MNf` stays for ever if there is such a socket
	case $call in
	'ssh '*) call="${call% *} -o BatchMode=yes -o ConnectTimeout=10 \
-o ControlMaster=auto -o ControlPersist=60 ${call##* }" ;;
	esac
	for pause in 0 2 5; do
		sleep $pause
		answer=$($patience sh -c "exec $call \"\$1\"" sh "$question" \
			2>"probe-$1" | sed -n 's/^kst-batch-host //p')
		case $answer in
		*" kst-fold $version")
			[ "$cores" != 0 ] || cores=${answer%% *}
			echo "$cores/$login"
			return
			;;
		?*)
			why="it has no kst $version, but '${answer#* }'"
			break
			;;
		esac
	done
	why=${why:-$(tail -n 1 "probe-$1")}
	printf '%s\n' "kst-batch: ${login##* } is left out: ${why:-no answer}" |
		tr -d '\000-\011\013-\037\177' >&2
}

# Writes the logins that answer to `alive`.
probe_all() {
	printf '%s\n' 'Include ~/.ssh/config' 'Include /etc/ssh/ssh_config' \
		'Host *' 'ControlPath ssh-%C' >ssh-config
	case $PARALLEL_SSH in
	ssh | 'ssh '*) PARALLEL_SSH="ssh $share${PARALLEL_SSH#ssh}" ;;
	esac
	tr -d '\r' <"$hosts" | sed -E -e '/^[[:blank:]]*(#|$)/d' \
		-e 's|^[[:blank:]]*([0-9]+)/|\1 |' -e t \
		-e 's|^[[:blank:]]*|0 |' | {
		n=0
		while read -r cores login; do
			probe $((n += 1)) "$cores" "$login" &
		done
		wait
	} >alive
	cat alive >>used
}
# Its folder keeps what it finds out about machines: the user's own, or where
# there can be none, one of this run.
home=$here/parallel
case $home in *[!-A-Za-z0-9_+,.%:/=\ ]*) home=/proc/$$/cwd/parallel ;; esac
[ -w "${HOME-}" ] || export PARALLEL_HOME="${PARALLEL_HOME-$home}"

[ "$what" = start ] || {
	[ -s used ] || exit 0
	export TMPDIR=. # of which it does not quote the name
	exec parallel --plain --will-cite --nonall --slf used \
		"exec 2>/dev/null; rm -rf $away"
}
if [ -z "$sent" ]; then
	cd="cd \"\$KST_BATCH\" && "
	set -- --env KST_BATCH --line-buffer
else
	# follows the links that stand for the names
	export PARALLEL_RSYNC_OPTS="${PARALLEL_RSYNC_OPTS--rLDzR}"
	# what a job prints comes when its files have come
	set -- "$@" --basefile work --transferfile {} --return {} \
		--workdir "$away"
fi
# A job is tried again, where it has not failed, if it can be. --filter-hosts
# would drop hosts that take ten seconds to answer, as busy ones do.
probe_all
[ -s alive ] || exit 127
set -- "$@" --slf alive --retries="$tries"
exec parallel --plain --will-cite --termseq TERM,1000,KILL,25 -a list \
	${bar:+--bar} ${log:+--joblog "+$log"} -j"$jobs" "$@" \
	"${cd}exec sh ./work {}"
