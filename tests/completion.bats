# SPDX-License-Identifier: ISC

complete_words() { # COMMAND WORD...: what the last word may become
	bash -c '. "$0"/share/completions/kst.bash
		complete -p "$1" >/dev/null || exit 1
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		f=_kst; [ "$1" != kst ] || f=_kst_door
		$f; printf "%s\n" "${COMPREPLY[@]}"' \
		"$BATS_TEST_DIRNAME/.." "$@"
}

@test "every command completes all options of its help" {
	for c in $(cd "$B" && ls -d kst kst-* | grep -v '\.'); do
		"$c" --help | sed -n -E \
			's/^ {2,6}(-[A-Za-z], )?(--[a-z][a-z0-9.-]*).*/\2/p' |
			sort -u >"$BATS_TEST_TMPDIR/options"
		[ -s "$BATS_TEST_TMPDIR/options" ]
		complete_words "$c" -- | sort -u |
			comm -13 - "$BATS_TEST_TMPDIR/options" >"$BATS_TEST_TMPDIR/none"
		[ ! -s "$BATS_TEST_TMPDIR/none" ] || {
			echo "$c:"
			cat "$BATS_TEST_TMPDIR/none"
			return 1
		}
	done
	[ "$(complete_words kst-fold --sha)" = --shape ]
}

@test "values of choices complete" {
	[ "$(complete_words kst-fold --shape f)" = folded ]
	[ "$(complete_words kst-fold --shape = f)" = folded ]
	[ "$(complete_words kst-fold -s '' | tr '\n' ' ')" = 'all running halted waiting disk stopped ready ' ]
	[ "$(complete_words kst-fold --state = | wc -l)" = 7 ]
	[ "$(complete_words kst-fold --by cpu,th)" = cpu,thread ]
	[ "$(complete_words kst-svg -c an)" = annotated ]
	[ "$(complete_words kst-capture --backend q)" = qmp ]
}

@test "rule and OS files complete by name" {
	[ "$(complete_words kst-clean --rules li)" = linux ]
	[ "$(complete_words kst-console --rules ll)" = lldb ]
	[ -z "$(complete_words kst-console --rules ost)" ]
	[ "$(complete_words kst-capture --os em)" = emerald ]
}

@test "the same in fish and zsh" {
	cd "$BATS_TEST_TMPDIR"
	share=$BATS_TEST_DIRNAME/../share/completions
	cat >table <<-'E'
		kst-fold --sta|kst-fold --state
		kst fold --ord|kst fold --order
		kst fla|kst flame
		kst-clean --rules lin|kst-clean --rules linux
		kst-console --rules nut|kst-console --rules nuttx
		kst-capture --os aster|kst-capture --os asterinas
		kst-svg --colors annot|kst-svg --colors annotated
		kst fold --order n|kst fold --order name
	E
	mapfile -t lines < <(cut -d'|' -f1 table)
	fish --no-config -c "source $share/kst.fish
		for line in \$argv; echo \"<\$line>\"; complete -C \$line; end" \
		-- "${lines[@]}" >fish 2>err
	zsh -f "$BATS_TEST_DIRNAME/complete.zsh" "$share" "${lines[@]}" >zsh
	cat fish zsh
	n=0
	while IFS='|' read -r line want; do
		awk -F'\t' -v l="<$line>" '/^</ { p = $0 == l; next } p { print $1 }' fish |
			grep -qx -e "${want##* }.*"
		n=$((n + 1))
		grep '<' zsh | sed -n ${n}p | grep -q "<$want"
	done <table
	[ $n = 8 ]
}

@test "kst completes names, and what follows them" {
	[ "$(complete_words kst flam)" = flame ]
	[ "$(complete_words kst he)" = help ]
	[ "$(complete_words kst help bt)" = btrace ]
	[ "$(complete_words kst fold --shape f)" = folded ]
}

@test "files complete where no option begins" {
	cd "$BATS_TEST_TMPDIR"
	touch 'a file.txt'
	[ "$(complete_words kst-fold a)" = 'a file.txt' ]
	[ "$(complete_words kst-clean --rules 'a f')" = 'a file.txt' ]
	[ "$(complete_words kst-fold --verbose a)" = 'a file.txt' ]
}
