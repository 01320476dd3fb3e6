# SPDX-License-Identifier: ISC

complete_word() { # COMMAND WORD
	bash -c '. "$0"/share/completions/kst.bash
		complete -p "$1" >/dev/null || exit 1
		COMP_WORDS=("$1" "$2") COMP_CWORD=1
		_kst; printf "%s\n" "${COMPREPLY[@]}"' \
		"$BATS_TEST_DIRNAME/.." "$1" "$2"
}

@test "every command completes all options of its help" {
	for c in $(cd "$B" && ls -d kst-* | grep -v '\.'); do
		for o in $("$c" --help |
			sed -n -E 's/^ +(-[A-Za-z], )?(--[a-z][a-z0-9-]*).*/\2/p'); do
			complete_word "$c" --${o#--} | grep -qx -e "$o" || {
				echo "$c $o"
				return 1
			}
		done
	done
}

@test "files complete where no option begins" {
	cd "$BATS_TEST_TMPDIR"
	touch 'a file.txt'
	[ "$(complete_word kst-fold a)" = 'a file.txt' ]
}
