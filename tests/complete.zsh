# SPDX-License-Identifier: ISC
# complete.zsh FOLDER LINE...: what Tab makes of each line, as <LINE>, by the functions
# of the folder, in an interactive zsh.
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D
	show() { print -r -- \"<\$BUFFER>\"; BUFFER=; }; zle -N show; bindkey '^X' show
	print READY-\$((40 + 2))"
zpty -r -m z x '*READY-42*'
for line in "${@:2}"; do
	zpty -n -w z "$line"$'\t\x18'
	zpty -r -m z x '*<*>*'
	print -r -- "${x//$'\e'\[[0-9;]#[mKJ]/}"
done
zpty -d z
