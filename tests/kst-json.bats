# SPDX-License-Identifier: ISC
# kst-json: what needs more than a pair of files.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	golden=$BATS_TEST_DIRNAME/golden/kst-json
}

@test "the manual's pipe: JSON to SVG" {
	cp "$golden/osdk.in" profile.json
	kst-json profile.json | kst-fold --cpu-mask 3 | kst-svg >profile.svg
	xmllint --noout profile.svg
	grep -q 'work' profile.svg
	grep -q 'idle' profile.svg
}

@test "JSON to trace text and back is the same bytes" {
	tr -d '\n' <"$golden/osdk.in" >profile.json
	kst-json profile.json | kst-json --to-json | cmp - profile.json
}

@test "gdb's text through JSON folds as without" {
	kst-clean "$golden/to-json.in" 2>/dev/null >clean
	kst-json -j clean 2>/dev/null | kst-json | kst-fold --no-trailer --merge-unknown >a
	sed -e '/LWP/,/^#/d' -e '/CPU#70000/,$d' clean | kst-fold --no-trailer --merge-unknown >b
	[ -s a ]
	cmp a b
}

@test "the output is JSON as serde_json writes it" {
	kst-json -j "$golden/to-json.in" 2>/dev/null >out.json
	jq -e '.stack_traces | length == 4' out.json
	python3 - <<'END'
import json
text = open("out.json", "rb").read()
doc = json.loads(text.decode())
for capture in doc["stack_traces"]:
    assert list(map(int, capture)) == sorted(map(int, capture))
    assert all(type(f) is str for s in capture.values() for f in s)
again = json.dumps(doc, separators=(",", ":"), ensure_ascii=False)
assert again.encode() == text
END
}

@test "nothing to read is a profile without captures" {
	[ "$(kst-json -j </dev/null)" = '{"stack_traces":[]}' ]
	run kst-json /dev/null
	[ "$status" = 0 ]
	[ -z "$output" ]
}

@test "a missing and a wrong file among good ones" {
	run kst-json "$golden/osdk.in" "$golden/bad-key.in" /nonexistent \
		"$golden/osdk.in"
	[ "$status" = 1 ]
	[[ "$output" == *"bad-key.in: byte 33: "* ]]
	[[ "$output" == *"kst-json: /nonexistent: No such file"* ]]
	[[ "$output" == *"seq=5"* ]]
	[[ "$output" != *"seq=6"* ]]
	run kst-json -j "$golden/to-json.in" /nonexistent
	[ "$status" = 1 ]
	[[ "$output" == *"]}"* ]]
}

@test "full disk, closed pipe" {
	for o in '' -j; do
		rc=0
		kst-json $o "$golden/osdk.in" >/dev/full 2>err || rc=$?
		[ $rc = 4 ]
		grep 'cannot write' err
	done
	kst-json "$golden/osdk.in" | head -n1 >/dev/null
}

@test "every cut of a document is a fault, or no document at all" {
	n=$(wc -c <"$golden/free-form.in")
	for i in $(seq 1 $((n - 3))); do
		head -c "$i" "$golden/free-form.in" >cut
		rc=0
		kst-json cut >out 2>err || rc=$?
		[ $rc = 1 ]
		[[ $(<err) = *'byte '[0-9]*': '* ]]
	done
}

# cpus N: a profile of one capture of so many CPUs.
cpus() {
	awk -v n="$1" 'BEGIN {
		printf "{\"stack_traces\":[{"
		for (i = 0; i < n; i++)
			printf "%s\"%d\":[\"a\"]", (i ? "," : ""), i
		printf "}]}"
	}'
}

@test "a capture has 65536 stacks, and not one more" {
	cpus 65536 >most.json
	kst-json most.json | kst-json -j | cmp - most.json
	run kst-json <(cpus 65537)
	[ "$status" = 1 ]
	[[ "$output" == *": a capture with too much text" ]]
	cpus 65537 | kst-json --cpus 0-9 >out
	[ "$(wc -l <out)" = 21 ]
}

@test "text without a stack is said" {
	run kst-json -j "$golden/osdk.in"
	[ "$status" = 1 ]
	[[ "${lines[0]}" == *"osdk.in: no stacks found; it looks like "* ]]
	[ "${lines[1]}" = '{"stack_traces":[]}' ]
}

@test "a long profile takes the memory of one capture" {
	awk 'BEGIN { printf "{\"stack_traces\":["
		for (i = 0; i < 200000; i++) {
			printf "%s{\"%d\":[", (i ? "," : ""), i % 8
			for (f = 0; f < 30; f++)
				printf "%s\"crate::module::f%d\"", \
					(f ? "," : ""), (i + f) % 977
			printf "]}"
		}
		print "]}" }' >big.json
	( [ "${SANITIZED-}" ] || ulimit -v 100000
	kst-json big.json | kst-json -j >again.json )
	printf '\n' >>again.json
	cmp big.json again.json
}
