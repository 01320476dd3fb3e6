# SPDX-License-Identifier: ISC
# slow
# A short form of `make sim`.

@test "simulated profiles: false alarms and power, 20 runs of each shape" {
	cd "$BATS_TEST_DIRNAME/.."
	python3 tests/sim.py -n 20 'folded, 10,000 : 10,000' \
		'folded, 500 : 20,000' '3 : 3 files of 2,000' \
		'2 : 2 files of 10,000, spread 0.9' \
		'1 : 3 files of 10,000, spread 0.9' \
		'3 : 3 files of 2,000, spread 0.9, +10' \
		'5 : 5 files of 2,000, spread 0.9, +4' \
		'3 : 3 files of 2,000, spread 0.9, new 1.5' \
		'6 : 6 files, 60 samples of one run, costs' \
		'2 : 9 files of 10,000, spread 2 : 0.2' \
		'trace, 500 captures, change each 20' \
		'trace, 60 captures, change each 5' \
		'gate in rounds, +2, the limit itself' \
		'gate in rounds, +4' 'folded, 10,000 : 10,000, +5'
	python3 tests/sim.py -n 8 \
		'trace, 6,000 captures, drift of 3 each 400'
}

@test "captures of one boot: 3 of 66 pairs alarm at most, runs do not" {
	cd "$BATS_TEST_DIRNAME/.."
	python3 tests/sim.py -n 20 'same boot, pairs of one trace a side' \
		'same boot, 3 : 3' 'same boot, gate in rounds, new 10'
}
