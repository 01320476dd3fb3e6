# SPDX-License-Identifier: ISC
# What kst-span does with streams: live, long, broken.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

@test "--list prints a span as soon as it ends" {
	mkfifo pipe
	kst-span --list <pipe >out 3>&- &
	pid=$!
	exec 5>pipe
	printf '1\tt\tB\ta\n5\tt\tE\ta\n' >&5
	for _ in $(seq 300); do
		[ -s out ] && break
		sleep 0.1
	done
	cp out soon
	exec 5>&-
	wait $pid
	[ "$(cat soon)" = "$(printf '0.000000001\tt\t0\t0.000000004\ta()')" ]
}

@test "a closed pipe ends it quietly" {
	seq 200000 | awk '{ print $1 "\tt\tB\tf" NR "\n" $1 "\tt\tE\tf" NR }' \
		>events
	kst-span --list events 2>err | head -n 1 >out
	[ "$(wc -l <out)" = 1 ]
	[ ! -s err ]
}

@test "a million tracks take 300 MiB, and more are left out" {
	perl -e 'for (1 .. 1100000) { printf "%d\tt%d\tB\tf\n", $_, $_ }
		printf "%d\tt%d\tE\tf\n", 2000000000 + $_, $_
			for 1, 1099999, 2, 1100000' >many
	rc=0
	/usr/bin/time -o kb -f %M kst-span --calls --no-trailer many \
		>got 2>err || rc=$?
	[ $rc = 1 ]
	[ "$(cat got)" = "f 1048576" ]
	grep -q ' 51426 events of too many tracks' err
	[ -n "${SANITIZED-}" ] || [ "$(tail -n 1 kb)" -lt 300000 ]
}

@test "NUL, invalid UTF-8 and a line of 1 MiB are bytes like others" {
	perl -e 'print "1\tt\tB\ta\0b\xff\n5\tt\tE\ta\0b\xff\n";
		my $n = "x" x 1048576;
		print "6\tt\tB\t$n\n7\tt\tE\t$n\n"' >events
	kst-span --no-trailer events >out
	[ "$(head -c 5 out | od -An -c | tr -d ' ')" = 'a?b377' ]
	[ "$(tail -n 1 out | wc -c)" = 1048579 ]
}

@test "a missing file among good ones: the others are read, status 1" {
	printf '1\tt\tB\ta\n' >one
	printf '5\tt\tE\ta\n' >two
	run ! kst-span one missing two
	[ "${lines[0]}" = 'kst-span: missing: No such file or directory' ]
	[ "${lines[1]}" = 'a 4' ]
	[ "$(kst-span --no-trailer one - <two)" = 'a 4' ]
}

# The same events with times and names of all lengths, which decide how a line
# is read, and with CR LF, which makes each go the long way.
@test "short cuts in reading change nothing" {
	for base in 0 100000000 99999990000 1700000000000000000 \
		18446744073700000000; do
		awk -v base=$base -v ofs=0 'BEGIN {
	srand(base % 1000 + 7)
	split(base, digits, "")
	head = length(base) > 7 ? substr(base, 1, length(base) - 7) : ""
	for (i = 0; i < 40000; i++) {
		t += int(rand() * 200)
		time = head == "" ? t : head sprintf("%07d", t)
		k = int(rand() * 3)
		track = k == 0 ? "cpu0" : k == 1 ? "cpu1 Ring3" : \
		    "a track with a long name"
		if (d[k] == 0 || (d[k] < 30 && rand() < 0.5)) {
			n = int(rand() * 6) * 7
			name = substr("a_function_whose_name_is_long" \
			    "_and_longer_still", 1, n + 1)
			stack[k, d[k]++] = name
			kind = "B"
		} else {
			name = stack[k, --d[k]]
			kind = "E"
		}
		if (rand() < 0.001)
			name = name "?"
		print time "\t" track "\t" kind "\t" name
	}
}' >events
		for opts in '' --calls '--by track'; do
			# shellcheck disable=SC2086
			kst-span $opts events >got 2>got.err
			# shellcheck disable=SC2086
			sed 's/$/\r/' events | kst-span $opts >want 2>want.err
			[ -s got ]
			cmp got want
			cmp got.err want.err
		done
	done
}

@test "percentiles: exact at first, within 0.4 % of the truth later" {
	seq 1000 | awk '{ print t "\tt\tB\tf\n" t + $1 "\tt\tE\tf"; t += $1 }
	BEGIN { t = 0 }' | kst-span --summary --csv | tail -n 1 >out
	[ "$(cat out)" = 1000,0,500500,500500,1,500,900,990,1000,f ]
	perl -e 'for (1 .. 100000) {
		print "$t\tt\tB\tf\n", $t += $_, "\tt\tE\tf\n"
	}' | sed '1s/^/0/' | kst-span --summary --csv | tail -n 1 | awk -F, '
	function near(got, want) {
		return got >= want * 0.996 && got <= want * 1.004
	}
	{ exit !($1 == 100000 && $5 == 1 && $9 == 100000 &&
	    near($6, 50000) && near($7, 90000) && near($8, 99000)) }'
}

@test "deep stacks: counted, not timed, below 16384" {
	awk 'BEGIN {
		for (i = 0; i < 20000; i++) print i "\tt\tB\tf"
		for (; i < 40000; i++) print i "\tt\tE\tf"
	}' >events
	kst-span --summary --csv events >out 2>err
	[ "$(tail -n 1 out | cut -d , -f 1,2,10)" = 16384,0,f ]
	grep -q '3616 begins too deep' err
	! grep -q 'without begin' err
}

# walk OFFSET N: a random walk of calls on three tracks, some with arguments,
# results, errors, CRs, ends that miss and a name as long as a line.
walk() {
	perl -e 'my ($time, $n) = @ARGV;
		my @long = (q(), q(x) x 20, q(y) x 450);
		srand 1;
		for (1 .. $n) {
			$time += int rand 90;
			my $t = int rand 3;
			my $s = $st[$t] //= [];
			my $down = @$s < 1 || @$s < 50 && rand() < 0.5;
			push @$s, q(f) . int(rand 99) . $long[int 2.02 * rand]
				if $down;
			my $name = $s->[-1];
			pop @$s if !$down && rand() < 0.999;
			my $r = int rand 9;
			my $end = $r == 0 ? "\r\n" : "\n";
			my $args = $r > 3 ? q() : $down ? "\ta $r, \\x3d"
				: $r > 1 ? "\t= $r" : "\t! ENOENT";
			print "$time\tcpu$t\t", $down ? q(B) : q(E),
				"\t$name$args$end";
		}' "$1" "$2"
}

@test "the short cut for late times gives what the long way does" {
	walk 7 200000 >slow
	walk 1700000000000000007 200000 >fast
	for mode in --fold --calls --summary; do
		kst-span $mode slow >want 2>want.err
		kst-span $mode fast >got 2>got.err
		cmp got want
		cmp got.err want.err
	done
	kst-span --list slow 2>want.err | cut -f 2- >want
	kst-span --list fast 2>got.err | cut -f 2- >got
	cmp got want
	cmp got.err want.err
	grep -q 'without their end' got.err
	[ "$(grep -c 'a 3' got)" -gt 1000 ]
}

@test "--summary and --list of many distinct stacks take little memory" {
	walk 1700000000000000000 600000 >events
	for mode in --summary --list; do
		/usr/bin/time -o kb -f %M kst-span $mode events >out 2>err
		[ -n "${SANITIZED-}" ] || [ "$(tail -n 1 kb)" -lt 10000 ]
	done
}

# covered EVENTS: how many spans of the listing there are, and how many of them
# are not in the chart, from their begin to their end, at their depth.
covered() {
	kst-span --list "$1" 2>/dev/null >list
	kst-span --chart --no-trailer "$1" 2>/dev/null >chart
	perl -e 'open E, shift; while (<E>) { my ($t) = /^(\d+)\t/ or next;
			$t0 = $t if !defined $t0 || $t < $t0 } my %at;
		open C, "chart"; while (<C>) { my ($s, $n) = /^(.*) (\d+)$/;
			my ($track, @f) = split /;/, $s; my $from = $at{$track} // $t0;
			$at{$track} = $from + $n; my $d = 0;
			for (@f) { push @{$open{$track}{$d}}, [$from, $from + $n, $_]; $d++ } }
		open L, "list"; while (<L>) { my ($s, $track, $d, $dur, $what) = split /\t/;
			next if $dur eq "-"; my ($name) = $what =~ /^(.*?)\(/;
			for ($s, $dur) { s/\.//; $_ += 0 } $n++; next unless $dur;
			my $sum = 0; for (@{$open{$track}{$d}}) { my ($a, $b, $f) = @$_;
				$sum += $b - $a if $f eq $name && $a >= $s && $b <= $s + $dur }
			$bad++ if $sum != $dur }
		print $n + 0, " ", $bad + 0, "\n"' "$1"
}

@test "a chart has each span of the listing, of uftrace's and OSv's records" {
	kst-uftrace "$BATS_TEST_DIRNAME/golden/kst-uftrace/qemu.data" >uftrace 2>/dev/null
	kst-osv "$BATS_TEST_DIRNAME/golden/kst-osv/hello.in" >osv 2>/dev/null
	for of in uftrace osv; do
		read -r n bad < <(covered $of)
		echo "$of: $n spans, $bad not covered"
		[ "$n" -ge 4 ]
		[ "$bad" = 0 ]
	done
}
