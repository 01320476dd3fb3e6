#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# slow

@test "what fails is right, or is said and leaves the old output: a part of make faults" {
	B=$(dirname "$(command -v kst-fold)") "$BATS_TEST_DIRNAME/faults/run" --short
}
