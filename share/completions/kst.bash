# SPDX-License-Identifier: ISC
# bash completion for all commands of kst: the options come from --help, so
# that there is nothing to keep up to date.

_kst() {
	local cur=${COMP_WORDS[COMP_CWORD]} cmd=${COMP_WORDS[0]}

	COMPREPLY=()
	case $cur in
	-*)
		mapfile -t COMPREPLY < <(compgen -W "$("$cmd" --help 2>/dev/null |
			grep -o -E -e '(^|[ ,])(--[a-z][a-z0-9-]*|-[A-Za-z])\b' |
			tr -d ' ,' | sort -u)" -- "$cur")
		;;
	*)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		;;
	esac
}

for _kst_command in $(compgen -c kst- | sort -u); do
	complete -o filenames -F _kst "$_kst_command"
done
unset _kst_command
