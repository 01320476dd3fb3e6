# SPDX-License-Identifier: ISC
# slow
# lane: long
# Two hosts, each a network namespace of this machine with an sshd of its own.

. "$BATS_TEST_DIRNAME/trace.bash"

setup_file() {
	[ "$(id -u)" = 0 ] || return 0
	cd "$BATS_FILE_TMPDIR" || exit 1
	mkdir -p "a/x y" a/z
	trace 1 1200 >t
	for i in $(seq 1 48); do
		d="a/x y"
		[ $((i % 2)) = 0 ] || d="a/z"
		case $((i % 4)) in
		0) head -n $((i * 300)) t | gzip >"$d/it's \"$i\"
.gz" ;;
		1) head -n $((i * 300)) t >"$d/-n$i" ;;
		2) head -n $((i * 300)) t | zstd -q >"$d/\$(touch hit)$i" ;;
		3) head -n $((i * 300)) t | kst-fold >"$d/$i;*?.folded" ;;
		esac
	done
	gzip -c t | head -c 3000 >a/cut.gz
	printf 'skip k::m1::\n' >"my rules.txt"
	rc=0
	batch -o want --merge want.sum a || rc=$?
	[ $rc = 1 ]
	# What runs on must not keep a pipe open.
	sh "$BATS_TEST_DIRNAME/hosts.sh" up "$PWD/shared" "$PATH" | cat
	# A private home may hide where the build is.
	mkdir bin
	cp "$B"/kst-* bin
	sh "$BATS_TEST_DIRNAME/hosts.sh" up "$PWD/apart" "$PWD/bin:$PATH" \
		private "$PWD/a"
}

teardown_file() {
	cd "$BATS_FILE_TMPDIR" || exit 1
	for d in shared apart; do
		[ ! -d $d ] || sh "$BATS_TEST_DIRNAME/hosts.sh" down "$PWD/$d"
	done
}

setup() {
	[ "$(id -u)" = 0 ] || skip "network namespaces need root"
	cd "$BATS_FILE_TMPDIR" || exit 1
	rm -rf out got.sum* log
}

batch() {
	kst-batch --clean="--rules './my rules.txt'" --svg "$@" 2>err
}

# same: all results are as on one machine, and hosts made them.
same() {
	! grep 'made here' err &&
	diff -rq -x .kst-batch want out && cmp want.sum got.sum &&
		[ ! -e hit ] && [ -z "$(find out/.kst-batch -name "run-*")" ]
}

# used HOST...: each has done some of the work.
used() {
	for h; do cut -f2 log | grep -q "root@.*\.$h\$" || return 1; done
}

@test "two hosts that share the file system" {
	rc=0
	batch --hosts shared/hosts --joblog log --merge got.sum -o out a || rc=$?
	cat err
	[ $rc = 1 ]
	same
	used 2 3
	grep -q '^kst-batch: a/cut.gz:[0-9]*: damaged or cut off: gzip' err
	rc=0
	batch --hosts shared/hosts --merge got.sum -o out a || rc=$?
	grep -q ': 0 made, 49 up to date' err
}

@test "two hosts that are sent the files, and the rule file" {
	rc=0
	# where the hosts do not see it
	cp "my rules.txt" "a/.kst-batch rules"
	connections=$(grep -c Accepted apart/log-2)
	mkdir "a tmp"
	TMPDIR="$PWD/a tmp" kst-batch --clean="--rules './a/.kst-batch rules'" --svg --hosts \
		apart/hosts --send --joblog log --merge got.sum -o out a 2>err || rc=$?
	cat err
	[ $rc = 1 ]
	same
	used 2 3
	# one, but for a machine so busy that it does not come in time
	[ $(($(grep -c Accepted apart/log-2) - connections)) -lt 4 ]
	[ "$(wc -l <log)" -lt 12 ]
	grep -q '^kst-batch: a/cut.gz:[0-9]*: damaged or cut off: gzip' err
	kst-batch --clean="--rules './a/.kst-batch rules'" --svg --hosts \
		apart/hosts --send -n -o out a >list
	[ ! -s list ]
	kst-batch --hosts apart/hosts --send -fn -o out a 2>err >list
	grep -q '^kst-batch: 49 captures: no run was measured here yet; with these hosts about ' err
	# nothing of it is left there
	[ "$(find apart/root-? -maxdepth 1 -name '.kst-batch*')" = "" ]
}

# cut_off FLAGS: host 3 is cut off when it has begun to deliver. It is given up
# after 6 seconds, not 60, as its jobs wait for that again and again.
cut_off() {
	dir=$1
	shift
	sed 's/Timeout=30/Timeout=4/; s/Interval=5/Interval=1/; s/Max=12/Max=6/' \
		"$dir/hosts" >impatient
	batch --hosts impatient "$@" --joblog log --merge got.sum -o out a &
	pid=$!
	for i in $(seq 600); do
		! used 3 2>/dev/null || break
		sleep 0.05
	done
	sh "$BATS_TEST_DIRNAME/hosts.sh" cut "$PWD/$dir" 3
	begin=$(wc -l <log)
	rc=0
	wait $pid || rc=$?
	sh "$BATS_TEST_DIRNAME/hosts.sh" join "$PWD/$dir" 3
	cat err
	[ $rc = 1 ]
	grep -q ' 49 made, .* 1 broken, 0 failed' err
	same
	# it was in the middle
	[ "$begin" -lt 49 ]
}

@test "a host is cut off in mid-run: the other one does its work" {
	cut_off shared
}

@test "a host that was sent files is cut off in mid-run" {
	cut_off apart --send
}

@test "of one result a part has come: it is done again" {
	mkdir -p once
	cat >once/rsync <<-EOF
		#!/bin/sh
		$(command -v rsync) "\$@" || exit
		[ -e half ] || ! f=\$(find . -name '*.svg' | grep .) ||
			echo "\$f" | tee half | head -n 1 | xargs rm
	EOF
	sed -i "s|half|$PWD/once/half|g" once/rsync
	chmod +x once/rsync
	rc=0
	PATH=$PWD/once:$PATH batch --hosts apart/hosts --send \
		--merge got.sum -o out a || rc=$?
	cat err
	[ -s once/half ]
	[ $rc = 1 ]
	same
}

@test "hosts that are tried again do not get a further connection for ever" {
	TMPDIR=/nonexistent batch --hosts shared/hosts -o out a/z
	grep -q '^kst-batch: 24 captures are made on this machine: no host did them$' err
	# those that end by themselves have another name, or end soon
	for i in $(seq 300); do
		pgrep -f "^ssh .*$PWD/shared/key" || break
		sleep 0.1
	done
	run pgrep -f "^ssh .*$PWD/shared/key"
	[ "$status" = 1 ]
}

@test "the user's own connection to a host serves" {
	read -r login <shared/hosts
	own="-o ControlPath=$PWD/own"
	echo "${login/ssh/ssh $own}" >with-own
	# shellcheck disable=SC2086
	${login#*/} $own -o ControlMaster=yes -fnN 3>&-
	connections=$(grep -c Accepted shared/log-2)
	rc=0
	batch --hosts with-own --joblog log --merge got.sum -o out a || rc=$?
	${login#*/} $own -O exit
	[ $rc = 1 ]
	same
	used 2
	[ "$(grep -c Accepted shared/log-2)" = "$connections" ]
}

@test "ssh's file of PARALLEL_SSH holds, with names of hosts that it alone has" {
	read -r login <shared/hosts
	cat >cfg <<-EOF
		Host kst-alias
			HostName ${login##*@}
			User root
			IdentityFile $PWD/shared/key
			UserKnownHostsFile /dev/null
			StrictHostKeyChecking no
			LogLevel ERROR
	EOF
	echo 2/kst-alias >alias
	PARALLEL_SSH="ssh -F $PWD/cfg" batch --hosts alias --joblog log -o out a/z
	cut -f2 log | grep -q kst-alias
	[ "$(find out -name '*.folded' | wc -l)" = 24 ]
}

@test "what a killed run left at work on hosts does no harm to the next one" {
	for i in 1 2 3; do
		kst-batch --hosts shared/hosts --svg --fold=--leaf-first \
			-o out a 2>err &
		pid=$!
		for k in $(seq 200); do
			[ "$(find out -name '*.folded' 2>/dev/null | wc -l)" -lt $((i * 5)) ] || break
			sleep 0.02
		done
		kill -9 $pid
		wait $pid || true
		rc=0
		batch --merge got.sum -o out a || rc=$?
		[ $rc = 1 ]
		sleep 1
		same
		rm -rf out got.sum*
	done
}

@test "hosts that do not answer, or have another version, are left out" {
	mkdir old
	printf '#!/bin/sh\necho kst-fold 0.0.1\n' >old/kst-fold
	printf '#!/bin/sh\n[ "$1" != -l ] || shift 2\nshift\nPATH="%s/old:$PATH" exec sh -c "$*"\n' "$PWD" >old-ssh
	chmod +x old-ssh old/kst-fold
	sed -n 1p shared/hosts >some
	sed -n '1s/root@.*/root@127.0.0.77/p' shared/hosts >none
	echo "1/$PWD/old-ssh root@old" >>none
	cat none >>some
	rc=0
	batch --hosts some --joblog log -o out a/z || rc=$?
	cat err
	[ $rc = 0 ]
	grep -q '^kst-batch: root@127.0.0.77 is left out: .*refused' err
	grep -q "^kst-batch: root@old is left out: it has no kst .*, but 'kst-fold 0.0.1'" err
	used 2
	[ "$(cut -f2 log | sort -u | wc -l)" = 1 ]
	[ "$(find out -name '*.folded' | wc -l)" = 24 ]
	rc=0
	batch --hosts none --merge sum2 -o out2 a/z || rc=$?
	[ $rc = 0 ]
	grep -q '^kst-batch: 24 captures are made on this machine: no host did them$' err
	grep -q '24 captures: 24 made' err
}

@test "this machine as one of the hosts" {
	sed -n 2p shared/hosts >some
	echo ': ' >>some
	rc=0
	batch --hosts some --joblog log --merge got.sum -o out a || rc=$?
	[ $rc = 1 ]
	same
	cut -f2 log | grep -qx :
}
