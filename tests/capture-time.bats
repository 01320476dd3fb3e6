#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# slow
# needs: guest
# When a guest did what: its phases are known, 1.2 s of work_a, 0.6 s of work_b and
# 0.2 s of work_c on CPU 0, over and over; CPU 2 is halted half of the time.

. "$BATS_TEST_DIRNAME/guest.bash"

setup() {
	D=$BATS_TEST_TMPDIR G=$BATS_TEST_TMPDIR/gdb
	PATH="$B:$PATH"
}

teardown() {
	end_guest
}

# phases CHART: `PHASE MS UNKNOWN` of the phases that CPU 0 went through as a
# whole. Unknown is the time around them without a stack, and in them what samples
# are more than 10 ms late: a busy host may have stopped the guest for it.
phases() {
	awk -F'[; ]' '$1 == "CPU#0" {
		p = ""
		late = $NF / 1e6 > 30 ? $NF / 1e6 - 20 : 0
		for (i = 2; i < NF; i++)
			if ($i ~ /^work_/)
				p = $i
		now += $NF / 1e6
		if (p == "") {
			gap += $NF / 1e6
			next
		}
		if (p != last) {
			if (whole)
				print last, end - begin, unknown + gap
			if (last)
				whole = 1
			begin = now - $NF / 1e6
			unknown = gap
		}
		unknown += late
		gap = 0
		last = p
		end = now
	}' "$1"
}

# A second of the guest is longer than one of the host where that is busy, so that
# phases are held against the cycle that they are in: both ends of each are off by a
# sample, 20 ms of 2000, at most, and by what is unknown of the cycle.
in_time() {
	kst-fold --order time "$D/trace" >"$D/chart"
	phases "$D/chart" >"$D/phases"
	cat "$D/phases"
	awk 'BEGIN { want["work_a"] = 60; want["work_b"] = 30; want["work_c"] = 10 }
		{ name[NR] = $1; ms[NR] = $2; unknown[NR] = $3 }
		END { for (i = 1; i + 2 <= NR; i++) {
			all = ms[i] + ms[i + 1] + ms[i + 2]
			may = 3 + 100 * (unknown[i] + unknown[i + 1] + unknown[i + 2]) / all
			for (k = i; k < i + 3; k++) {
				off = 100 * ms[k] / all - want[name[k]]
				n++
				if (off < -may || off > may)
					bad++
			} }
			print n + 0, bad + 0
			exit (n < 3 || bad > 0) }' "$D/phases"
}

# The cells of the strip: all pieces but those at a border have one phase.
one_phase() {
	awk -F'[; ]' '$2 == "CPU#0" {
		for (i = 4; i < NF; i++)
			if ($i ~ /^work_/ && !seen[$1 $i]++)
				n[$1]++
	}
	END {
		for (p in n)
			if (n[p] > 1)
				mixed++
			else
				pure++
		print pure + 0, mixed + 0
		exit !(pure > 30 && (mixed < 12 || mixed < pure / 5))
	}' "$D/when"
}

# CPU 0 never halts, and CPU 2 does half of the time.
half_halted() {
	awk -F'[; ]' '$1 !~ /^#/ { n[$2, $3] += $NF }
		END { halted = n["CPU#2", "halted"]
			share = halted / (halted + n["CPU#2", "running"])
			print share
			exit !(n["CPU#0", "halted"] == 0 && share > .4 && share < .6) }' \
		"$D/when"
}

# Three tries, the later ones longer, for the sake of the host's other users.
@test "phases of a guest begin and end in a flame chart when they do" {
	boot cycle2000 -s 3
	for seconds in 7 20 60; do
		kst-capture -q -b rsp -r "$G" -e "$ELF" -F 50 --duration $seconds >"$D/trace"
		kst-fold --by time=100ms,cpu,state "$D/trace" >"$D/when"
		! { in_time && one_phase && half_halted; } || break
		[ $seconds != 60 ]
	done
	# the graph of a range has its phase alone, and the sums are those without
	sed -E 's/^\[[^;]*;[^;]*;[^;]*;//' "$D/when" | kst-fold --no-trailer |
		cmp - <(kst-fold --no-trailer "$D/trace")
}
