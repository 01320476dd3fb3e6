# SPDX-License-Identifier: ISC
# slow
# A short form of `make sim`.

@test "simulated profiles: false alarms and power, 20 runs of each shape" {
	cd "$BATS_TEST_DIRNAME/.."
	python3 tests/sim.py -n 20 'folded, 10,000 : 10,000' \
		'folded, 2,000 : 10,000' 'folded, 500 : 20,000' \
		'folded, 600 : 60,000' '3 : 3 files of 2,000' \
		'2 : 2 files of 10,000, spread 0.9' \
		'1 : 3 files of 10,000, spread 0.9' \
		'trace, 500 captures, change each 20' \
		'trace, 500 captures, change each 100' \
		'trace, 60 captures, change each 5' \
		'gate in rounds, +0' 'gate in rounds, +2, the limit itself' \
		'gate in rounds, +4' 'gate in rounds, +8, spread 0.3' \
		'folded, 10,000 : 10,000, +5'
}
