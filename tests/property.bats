#!/usr/bin/env bats
# SPDX-License-Identifier: ISC

@test "what holds for every input: 2000 random captures" {
	"$BATS_TEST_DIRNAME/property"
}
