# SPDX-License-Identifier: ISC
# kst-btrace: what needs more than a pair of files.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	golden=$BATS_TEST_DIRNAME/golden/kst-btrace
}

@test "all eras of one stack fold alike" {
	for f in map-2020a map-2020b; do
		kst-btrace "$golden/$f.in" >"$f"
	done
	cmp map-2020a map-2020b
	tr -d '\r' <"$golden/crlf.in" | kst-btrace - | cmp - "$golden/map-new.out"
}

@test "files end a stack, and add up" {
	kst-btrace "$golden/map-new.in" "$golden/map-new.in" >out
	grep -x 'userland 14' out
	printf 'a+0x1\nb+0x1\n' >1
	printf 'c+0x1\n1\n' >2
	run kst-btrace --no-trailer 1 2
	[ "$output" = "b;a 1
c 1" ]
}

@test "a missing file among good ones: the rest is done, status 1" {
	run kst-btrace "$golden/map-new.in" /nonexistent "$golden/map-new.in"
	[ "$status" = 1 ]
	[[ "$output" == *"kst-btrace: /nonexistent: No such file"* ]]
	[[ "$output" == *"userland 14"* ]]
}

@test "a full disk and a closed pipe" {
	rc=0
	kst-btrace "$golden/map-new.in" >/dev/full 2>err || rc=$?
	[ $rc = 4 ]
	grep 'cannot write' err
	kst-btrace "$golden/keys.in" 2>/dev/null | head -n1 >/dev/null
}

@test "no input, a long line, no value at all" {
	run kst-btrace /dev/null
	[ "$status" = 0 ]
	[ -z "$output" ]
	{
		printf '@[\n'
		head -c 1100000 /dev/zero | tr '\0' 'a'
		printf '+0x1\nb+0x1\n]: 3\n'
	} >long
	run kst-btrace long
	[ "$status" = 1 ]
	[[ "$output" == *"stack longer than 1 MiB"* ]]
	[[ "$output" == *"b 3"* ]]
}

@test "a key of very many brackets takes no longer than its length" {
	for c in '(' ')'; do
		{
			printf '@['
			head -c 1000000 /dev/zero | tr '\0' "$c"
			printf ', \na+0x1\n]: 3\n'
		} >brackets
		(ulimit -t 4 && exec kst-btrace --no-trailer brackets >out)
		[ "$(cat out)" = "a 3" ]
	done
}

@test "memory does not grow with an endless stack" {
	yes 'f+0x1' | head -n 20000000 >endless
	( [ "${SANITIZED-}" ] || ulimit -v 200000
	kst-btrace endless >out 2>err || [ $? = 1 ] )
	grep 'longer than 1 MiB' err
}

@test "the manual's pipe: maps to SVG" {
	cp "$golden/own-mail.in" kstack.txt
	kst-btrace -c profile -a amd64 kstack.txt | kst-svg >kernel.svg
	xmllint --noout kernel.svg
	grep -q 'acpicpu_idle' kernel.svg
	! grep -q 'dt_pcb_ring_get' kernel.svg
}

@test "the rules skip the same frames in kst-clean" {
	grep -v '^#kst:' "$golden/own-any.out" >want
	kst-btrace --no-trailer "$golden/own-any.in" |
		kst-clean -r openbsd-dt | kst-fold | cmp - want
}

@test "the manual's pipe: without idle CPUs" {
	kst-btrace --no-trailer -c profile "$golden/own-mail.in" |
		kst-clean --drop '^(sched_idle|cpu_idle_cycle)$' >out
	[ "$(cat out)" = \
		"0x1013074;taskq_thread;taskq_next_work;msleep;sleep_setup 1" ]
}
