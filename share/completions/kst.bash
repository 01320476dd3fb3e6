# SPDX-License-Identifier: ISC
# bash completion for all commands of kst. Options and the values that they
# may have come from --help=rows, so there is nothing to keep up to date.

# A command's options, one a line: `-s --state all running halted`.
_kst_options() { # COMMAND
	{
		"$1" --help=rows 2>/dev/null
		printf '%s\t\t\t\n' 'h	help' 'V	version'
	} | awk -F '\t' '{ print ($1 == "-" ? "" : "-" $1 " ") "--" $2, $4 }'
}

# The values of an option, one a line; none if any text will do.
_kst_values() { # COMMAND OPTION
	_kst_options "$1" | awk -v option="$2" '{
		found = 0
		for (i = 1; i <= NF; i++)
			if ($i == option)
				found = 1
			else if (found && $i !~ /^-/)
				print $i
	}'
}

# The first word of kst is a command's name; then it is that command.
_kst_door() {
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W "help $(compgen -c kst- |
			sed 's/^kst-//' | sort -u) $(_kst_options kst)" \
			-- "${COMP_WORDS[1]}")
	elif [[ ${COMP_WORDS[1]} = help ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(compgen -c kst- |
			sed 's/^kst-//' | sort -u)" -- "${COMP_WORDS[2]}")
	else
		COMP_WORDS=("kst-${COMP_WORDS[1]}" "${COMP_WORDS[@]:2}")
		COMP_CWORD=$((COMP_CWORD - 1))
		_kst
	fi
}

_kst() {
	local cmd=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]}
	local option=${COMP_WORDS[COMP_CWORD - 1]} before='' values=''

	COMPREPLY=()
	# bash takes --option=value apart at the equals sign
	if [[ $cur = '=' ]]; then
		cur=
	elif [[ $option = '=' ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	[[ $option != -* ]] || values=$(_kst_values "$cmd" "$option")
	if [[ $values ]]; then
		# a list goes on after its last comma
		[[ $cur = *,* ]] && before=${cur%,*},
		mapfile -t COMPREPLY < <(compgen -P "$before" -W "$values" \
			-- "${cur#"$before"}")
		# names of data files, or a file
		[[ $option != --rules && $option != --os ]] ||
			mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$cur")
	elif [[ $cur = -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_kst_options "$cmd" |
			grep -o -E -e '(^| )-[^ ]+')" -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi
}

for _kst_command in $(compgen -c kst- | sort -u); do
	complete -o filenames -F _kst "$_kst_command"
done
complete -o filenames -F _kst_door kst
unset _kst_command
