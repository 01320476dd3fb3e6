# SPDX-License-Identifier: ISC
# kst-tail on calls of known truth: random work, and a delay in one call of a
# thousand.

bats_require_minimum_version 1.5.0

setup() {
	cat >"$BATS_TEST_TMPDIR/calls.py" <<'PY'
import random
import sys

random.seed(int(sys.argv[1]))
where, calls, time = sys.argv[2], 1000, 0
slow = random.randrange(calls)


def event(kind, name):
    print(f"{time}\tcpu0\t{kind}\t{name}")


def span(name, *inside):
    global time
    event("B", name)
    time += int(random.gammavariate(2, 50))
    for each in inside:
        each()
    event("E", name)


def delay(*names):
    global time
    for name in names:
        event("B", name)
    time += 20000
    for name in reversed(names):
        event("E", name)


def sleep():
    global time
    event("B", "[away]")
    time += random.randrange(500000, 1000000)
    event("E", "[away]")


for i in range(calls):
    late = where if i == slow else ""
    sleeps = len(sys.argv) > 3 and i % 20 == 7
    span("sys_read",
         lambda: span("fileread",
                      lambda: span("ilock", lambda: late == "lock" and
                                   delay("acquire")),
                      lambda: sleeps and span("sleep", sleep),
                      lambda: span("readi", *[lambda: span("bread")] * 4,
                                   lambda: late == "self" and delay(),
                                   lambda: late == "interrupt" and
                                   delay("exception", "timer"))))
    time += 100
PY
}

causes() { # SEED WHERE
	python3 "$BATS_TEST_TMPDIR/calls.py" "$1" "$2" |
		kst-tail --of sys_read --table
}

@test "the first row is the delay of one call, with its length" {
	for seed in 1 2 3; do
		for pair in lock:ilock\;acquire self:readi \
			interrupt:readi\;exception\;timer; do
			run --separate-stderr causes "$seed" "${pair%%:*}"
			[ "$status" -eq 0 ]
			set -- ${lines[1]}
			[ "$7" = "sys_read;fileread;${pair#*:}" ]
			[ "$1" -ge 19500 ]
			[ "$1" -le 20500 ]
			[ "$5" = 1 ]
			[[ $6 == 0.0[0-4]? ]]
		done
	done
}

@test "without a delay no stack differs by more than chance" {
	none=0
	for seed in $(seq 20); do
		run --separate-stderr causes "$seed" nowhere
		case $stderr in *"no stack differs by more than chance"*)
			none=$((none + 1)) ;;
		esac
	done
	echo "$none of 20"
	[ "$none" -ge 19 ]
}

@test "the difference is drawn, and what was typical with it" {
	python3 "$BATS_TEST_TMPDIR/calls.py" 1 lock >"$BATS_TEST_TMPDIR/events"
	kst-tail --of sys_read "$BATS_TEST_TMPDIR/events" \
		>"$BATS_TEST_TMPDIR/tail.folded" 2>/dev/null
	kst-svg "$BATS_TEST_TMPDIR/tail.folded" | grep -q 'acquire (0 ns → 20 µs'
	run kst-diff "$BATS_TEST_TMPDIR/tail.folded"
	[[ ${lines[2]} == *acquire ]]
}

@test "a slow call's place in the trace is where kst-span finds it" {
	python3 "$BATS_TEST_TMPDIR/calls.py" 3 self >"$BATS_TEST_TMPDIR/events"
	run --separate-stderr kst-tail --of sys_read --list "$BATS_TEST_TMPDIR/events"
	[ "${#lines[@]}" -eq 1 ]
	set -- ${lines[0]}
	run --separate-stderr kst-span --list --since "$1" --period "${3}s" \
		"$BATS_TEST_TMPDIR/events"
	[[ ${lines[*]} == *"$1	cpu0	0	$3	sys_read()"* ]]
}

@test "thousands of calls that take equally long are typical, and time away is named" {
	awk 'BEGIN { OFS = "\t"; t = 0
		for (i = 0; i < 3000; i++) {
			print t, "stack#1", "B", "sys_read"
			print t += 100, "stack#1", "B", "sleep"
			t += 19000
			if (i == 2000) {
				print t, "stack#1", "B", "[away]"
				print t += 1e6, "stack#1", "E", "[away]"
			}
			print t, "stack#1", "E", "sleep"
			print t += 36, "stack#1", "E", "sys_read"
		} }' >"$BATS_TEST_TMPDIR/events"
	run --separate-stderr kst-tail --of sys_read --table "$BATS_TEST_TMPDIR/events"
	[ "$status" -eq 0 ]
	[[ $stderr == *'1.00 ms (100 %) of the difference is in sys_read;sleep;[away]'* ]]
}

@test "--running finds a delay among calls that sleep far longer" {
	for seed in 1 2 3; do
		for where in lock none; do
			python3 "$BATS_TEST_TMPDIR/calls.py" $seed $where sleeps >"$BATS_TEST_TMPDIR/events"
			run --separate-stderr kst-tail --of sys_read --table "$BATS_TEST_TMPDIR/events"
			set -- ${lines[1]}
			[ "$7" = "sys_read;fileread;sleep;[away]" ]
			run --separate-stderr kst-tail --of sys_read --running --table "$BATS_TEST_TMPDIR/events"
			[ "$status" -eq 0 ]
			[[ $output != *away* ]]
			if [ $where = none ]; then
				[[ $stderr = *'by more than chance'* ]]
				continue
			fi
			set -- ${lines[1]}
			[ "$7" = "sys_read;fileread;ilock;acquire" ]
			[ "$1" -ge 19500 ]
			[ "$1" -le 20500 ]
			[[ $6 == 0.0[0-4]? ]]
		done
	done
}
