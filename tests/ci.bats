# SPDX-License-Identifier: ISC
# slow
# needs: guest
# The job of docs/ci.md, on the test guest.

root=$BATS_TEST_DIRNAME/..

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

gate() { # BEFORE OUT
	WARMUP=1 DURATION=1 sh "$root/share/ci/gate.sh" "$B/guest/cfi.elf" \
		"$1" "$2" qemu-system-x86_64 -nodefaults -display none \
		-machine pc -accel tcg,thread=multi -m 64 -smp 4 \
		-kernel "$B/guest/cfi.elf" 3>&-
}

@test "docs/ci.md: a first archive, the same kernel again, a regression" {
	gate none first
	[ "$(ls first/captures)" = "$(printf '%s\n' 1.txt.gz 2.txt.gz 3.txt.gz)" ]
	[ ! -e first/report.md ]
	GATES='--gate +30%' gate first/captures second
	grep -q '^slower in ' second/report.md
	grep -q '<svg' second/diff.svg
	# a release in which the busiest function was called otherwise
	for i in 1 2 3; do gzip -dc first/captures/$i.txt.gz; done >all
	busy=$(kst-clean all | kst-fold | awk '{ n = $NF; sub(/ [^ ]*$/, "")
		sub(/.*;/, ""); w[$0] += n } END { for (f in w)
		if (w[f] > w[top]) top = f; print top }')
	mkdir before
	for i in 1 2 3; do
		gzip -dc first/captures/$i.txt.gz | sed "s/\\b$busy\\b/before/" |
			gzip -c >before/$i.txt.gz
	done
	rc=0
	gate before third 2>err || rc=$?
	cat third/report.md
	[ $rc = 3 ]
	grep -q "^\* \*\*regression\*\*: " third/report.md
	grep -q "^kst-diff: regression: $busy" err
}
