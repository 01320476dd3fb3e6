# SPDX-License-Identifier: ISC
# make counts: what rose fails and is named, what fell is saved.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	export TABLE=$PWD/counts.tsv T=kst-batch
	unset OLD RAISE
}

counts() {
	"$BATS_TEST_DIRNAME/bench/counts" "$@" >out 2>err
}

# column N VALUE: in the table of the row.
column() {
	awk -F '\t' -v OFS='\t' -v n="$1" -v v="$2" \
		'/^#/ || n == 0 { print; next } { $n = v; print }' counts.tsv >new
	mv new counts.tsv
}

# valgrind does not run a sanitizer's build
@test "counts: the same again passes; instructions and memory that rose fail" {
	[ -z "${SANITIZED-}" ] || return 0
	counts --save
	counts
	cp counts.tsv saved
	column 2 100
	! counts || false
	grep -q '^counts: kst-batch --version: instructions$' err
	cp saved counts.tsv
	column 3 500
	! counts || false
	grep -q '^counts: kst-batch --version: memory$' err
	sed -i 's/^# system: .*/# system: another/' counts.tsv
	counts
	grep -q 'no row can fail here' out
}

@test "counts: --save keeps the lower figure, RAISE=1 does not" {
	[ -z "${SANITIZED-}" ] || return 0
	counts --save
	cp counts.tsv saved
	column 2 100
	counts --save
	grep -q "^kst-batch --version$(printf '\t')100$(printf '\t')" counts.tsv
	RAISE=1 counts --save
	cut -f 2 counts.tsv | cmp - <(cut -f 2 saved)
	column 2 99999
	counts --save
	cut -f 2 counts.tsv | cmp - <(cut -f 2 saved)
	column 4 77
	OLD=$B counts --save
	[ "$(cut -f 4 counts.tsv)" = "$(cut -f 2 saved)" ]
}
