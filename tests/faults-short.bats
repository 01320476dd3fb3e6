#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# slow
# lane: native
bats_require_minimum_version 1.5.0

@test "what fails is right, or is said and leaves the old output: a part of make faults" {
	B=$(dirname "$(command -v kst-fold)") "$BATS_TEST_DIRNAME/faults/run" --short
}

@test "an unknown name is refused, beside a known one, too" {
	run -2 --separate-stderr "$BATS_TEST_DIRNAME/faults/run" --short kst-osv
	[ "$stderr" = 'faults: unknown name: kst-osv' ]
	run -2 --separate-stderr "$BATS_TEST_DIRNAME/faults/run" --short osv kst-b kst-a
	[ "$output" = '' ]
	[ "$stderr" = 'faults: unknown name: kst-a kst-b' ]
}
