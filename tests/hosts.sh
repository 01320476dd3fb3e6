#!/bin/sh
# SPDX-License-Identifier: ISC
# Two hosts for a test, as network namespaces of this machine with a bridge
# between them, each with an sshd of its own that only this test can log in
# to. Needs root.
#
#	sh tests/hosts.sh up DIR PATH [private HIDE]   DIR/hosts for --hosts
#	sh tests/hosts.sh cut DIR N               host N is cut off from the net
#	sh tests/hosts.sh join DIR N              and back again
#	sh tests/hosts.sh down DIR
#
# PATH is what a login finds commands in. With `private` each host has a home
# of its own and sees an empty folder in the place of HIDE.
set -eu
what=$1 dir=$2
id=$(printf %s "$dir" | cksum | cut -c1-5)
net=10.$((id % 200 + 20)).$((id / 200 % 250))

# in_host N COMMAND...
in_host() {
	n=$1
	shift
	ip netns exec "kst$id-$n" "$@"
}

up() {
	mkdir -p "$dir" /run/sshd
	chmod 700 "$dir"
	ssh-keygen -q -t ed25519 -N '' -f "$dir/key"
	ssh-keygen -q -t ed25519 -N '' -f "$dir/hostkey"
	cp "$dir/key.pub" "$dir/authorized"
	ip link add "kst$id" type bridge
	ip addr add "$net.1/24" dev "kst$id"
	ip link set "kst$id" up
	: >"$dir/hosts"
	for n in 2 3; do
		ip netns add "kst$id-$n"
		ip link add "k$id-$n" type veth peer name eth0 netns "kst$id-$n"
		ip link set "k$id-$n" master "kst$id" up
		in_host "$n" ip addr add "$net.$n/24" dev eth0
		in_host "$n" ip link set eth0 up
		in_host "$n" ip link set lo up
		cat >"$dir/sshd-$n.conf" <<-EOF
			ListenAddress $net.$n
			HostKey $dir/hostkey
			PidFile $dir/sshd-$n.pid
			AuthorizedKeysFile $dir/authorized
			StrictModes no
			UsePAM no
			PasswordAuthentication no
			PermitRootLogin yes
			MaxStartups 100
			SetEnv PATH=$1 KST_SHARE=${KST_SHARE:-}
		EOF
		mkdir -p "$dir/root-$n"
		# A function's redirection leaves the old pipes open in the shell.
		(
			exec >"$dir/log-$n" 2>&1 </dev/null 3>&- 4>&-
			# shellcheck disable=SC2016
			exec ip netns exec "kst$id-$n" unshare -mu sh -c '
			hostname "kst-host-$2" && mount --make-rprivate / &&
			if [ "$3" = private ]; then
				mount --bind "$1/root-$2" /root &&
				mount -t tmpfs none "$4"
			fi &&
			exec /usr/sbin/sshd -D -e -f "$1/sshd-$2.conf"' \
				sh "$dir" "$n" "${2-}" "${3-}"
		) &
		echo $! >"$dir/pid-$n"
		echo "2/ssh -i $dir/key -o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no -o LogLevel=ERROR -o ConnectTimeout=30 -o ServerAliveInterval=5 -o ServerAliveCountMax=12 root@$net.$n" >>"$dir/hosts"
	done
	for n in 2 3; do
		i=0
		until ssh -i "$dir/key" -o UserKnownHostsFile=/dev/null \
			-o StrictHostKeyChecking=no -o LogLevel=ERROR \
			-o ConnectTimeout=2 "root@$net.$n" true; do
			i=$((i + 1))
			[ $i -lt 50 ] || exit 1
			sleep 0.1
		done
	done
}

down() {
	for n in 2 3; do
		# all processes of the host: sshd and what logins have started
		for p in $(ip netns pids "kst$id-$n" 2>/dev/null); do
			kill -9 "$p" 2>/dev/null || true
		done
		ip netns del "kst$id-$n" 2>/dev/null || true
		ip link del "k$id-$n" 2>/dev/null || true
	done
	ip link del "kst$id" 2>/dev/null || true
}

case $what in
up) up "$3" "${4-}" "${5-}" ;;
cut) ip link set "k$id-$3" down ;;
join) ip link set "k$id-$3" up ;;
down) down ;;
*) exit 2 ;;
esac
