#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# kst-top: its numbers against others', and its screen in tmux.

golden=$BATS_TEST_DIRNAME/golden/kst-top
demo=$BATS_TEST_DIRNAME/../share/demo/capture.txt.gz

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

teardown() {
	for s in "$BATS_TEST_TMPDIR"/tmux "$BATS_TEST_TMPDIR"/*/tmux; do
		tmux -S "$s" kill-server 2>/dev/null || true
	done
}

@test "--tree of what a function calls, or is called by: the message names --focus" {
	for o in callers callees; do
		run kst-top --$o f --tree /dev/null
		[ "$status" = 2 ]
		[ "${lines[0]}" = "kst-top: --tree and --$o are mutually exclusive: for a tree of the stacks with such functions, give --focus RE --tree" ]
	done
	[ "$(echo 'a;b;c 1' | kst-top --focus b --tree | grep -c '[abc]$')" = 3 ]
}

@test "--csv: no spreadsheet takes a name for a formula, and numbers stay numbers" {
	printf '=1+1;+2+3;-f x;@SUM(1);-3.5;+7;-;a=b 1\n' >"$BATS_TEST_TMPDIR/in"
	kst-top --csv "$BATS_TEST_TMPDIR/in" >"$BATS_TEST_TMPDIR/out"
	for name in "\"'=1+1\"" "\"'+2+3\"" "\"'-f x\"" "\"'@SUM(1)\"" -3.5 +7 \
		"\"'-\"" a=b; do
		grep -qF -e ",$name" -e "$name," "$BATS_TEST_TMPDIR/out"
	done
	[ "$(grep -cE "(^|,)\"?[=@]" "$BATS_TEST_TMPDIR/out")" = 0 ]
}

@test "--csv: self and total as awk counts them" {
	zcat "$demo" | kst-clean | kst-fold --no-trailer >folded
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); k = split($0, f, ";"); split("", seen)
		self[f[k]] += n
		for (i = 1; i <= k; i++)
			if (!seen[f[i]]++)
				total[f[i]] += n
	} END { for (g in total) print g "," self[g] + 0 "," total[g] }' folded |
		sort >want
	[ "$(wc -l <want)" -gt 10 ]
	kst-top -a --csv folded | sed 1d | cut -d, -f1-3 | sort | cmp - want
	zcat "$demo" | kst-clean | kst-top -a --csv | sed 1d | cut -d, -f1-3 |
		sort | cmp - want
}

@test "the same totals as kst-diff" {
	zcat "$demo" | kst-clean >a
	for o in '' --self; do
		kst-diff $o -a --csv a a 2>/dev/null | sed 1d | cut -d, -f1,2 |
			grep -v ',0$' | sort >want
		kst-top -a --csv a | sed 1d | cut -d, -f1,$((3 - ${#o} / 6)) |
			grep -v ',0$' | sort | cmp - want
	done
}

@test "tables of CPUs add up to the one without" {
	zcat "$demo" | kst-clean >a
	kst-top -a --csv a | sed 1d | cut -d, -f1-3 | sort >want
	for by in cpu state root; do
		kst-top -a --csv --by $by a | sed 1d | awk -F, '
			{ self[$2] += $3; total[$2] += $4 }
			END { for (f in self) print f "," self[f] "," total[f] }' |
			sort | cmp - want
	done
}

@test "memory does not follow the number of samples" {
	awk 'BEGIN { for (i = 0; i < 400000; i++) printf \
		"[kst-capture %d time=%d.5]\n\n#0  0x1 in a%d ()\n#1  0x2 in main ()\n\n",
		i, i, i % 7 }' >in
	( [ "${SANITIZED-}" ] || ulimit -v 30000
	kst-top --csv <in >out )
	[ "$(sed -n 2p out | cut -d, -f1)" = a0 ]
	[ "$(wc -l <out)" = 9 ]
}

@test "half a million names, added up in slices: the best rows of all, in 56 MB" {
	awk 'BEGIN { for (i = 0; i < 250000; i++)
		print "a;f" i ";g" i ";h" i % 9, i % 7 + 1 }' >in
	( [ "${SANITIZED-}" ] || ulimit -v 56000
	kst-top --csv in >out )
	kst-top --csv --all in | head -n 21 | diff - out
	kst-top --csv --callers '^h' --sort name in >out
	kst-top --csv --callers '^h' --sort name --all in | head -n 21 | diff - out
}

# soon COMMAND...: until it holds of what the screen shows; fails after a minute.
soon() {
	for ((i = 0; i < 600; i++)); do
		tmux -S tmux capture-pane -p >screen
		! "$@" || return 0
		sleep 0.1
	done
	cat screen
	return 1
}

shows() {
	soon grep -E -q -- "$1" screen
}

gone() {
	soon eval '! grep -E -q -- '"'$1'"' screen'
}

lacks() {
	if grep -E -- "$1" screen; then
		return 1
	fi
}

# first FUNCTION: is in the first row.
first() {
	soon eval "sed -n 4p screen | grep -q ' $1\$'"
}

keys() {
	tmux -S tmux send-keys "$@"
}

# Runs a shell command in a terminal of that size; it ends with `ended STATUS`.
# The terminal's mode before and after it is in the files of that name. Each one in
# a folder of its own: a server of tmux that still ends takes no other session.
terminal() {
	tmux -S tmux -f /dev/null new-session -d -x "$1" -y "$2" "bash -c '
		stty -a >before; $3; r=\$?; stty -a >after; echo ended \$r; sleep 1000'"
}

@test "the screen: a pipe is shown as it comes, and keys" {
	mkfifo pipe
	terminal 90 14 'kst-top <pipe'
	exec 9>pipe
	head -n 60 "$golden/capture.txt" >&9
	shows '^[0-9]+ samples in [0-9] captures'
	cat "$golden/capture.txt" >&9
	first spin_lock
	shows 'running [0-9.]+%, halted [0-9.]+%'
	keys s
	first main
	shows 's sorted by total'
	keys s
	first copy
	keys s
	first spin_lock
	shows ' queue_push$'
	keys / '^spin' Enter
	shows '^filtered'
	gone queue_push
	keys / '(' Enter
	shows '^wrong pattern'
	keys / Enter
	shows queue_push
	before=$(head -n 1 screen)
	cat "$golden/capture.txt" >&9
	soon eval '[ "$(head -n 1 screen)" != "$before" ]'
	keys Down Down Down
	gone 'self%'
	shows '^q quit'
	tmux -S tmux resize-window -x 40 -y 8
	keys Up Up Up
	shows 'self%.*total%.*function'
	gone '±'
	exec 9>&-
	shows 'the input ha'
	keys q
	shows '^ended 0'
	cmp <(grep -v rows before) <(grep -v rows after)
}

# margins FILE: at its end the screen has the rows of the table.
margins() {
	mkfifo pipe
	terminal 90 24 'kst-top -n 3 <pipe'
	cat "$1" >pipe
	shows 'the input ha'
	kst-top -n 3 "$1" | sed -n '3,5p' | tr -s ' ' >want
	while read -r row; do
		soon eval 'tr -s " " <screen | grep -Fq "$row"'
	done <want
	keys q
	shows '^ended 0'
}

@test "the screen: the margins of the table" {
	margins "$golden/capture.txt"
}

@test "the screen: the margins of the table, of folded text" {
	kst-fold "$golden/capture.txt" >folded
	margins folded
}

@test "the screen: what of folded text is idle" {
	# by the functions in which stacks end, and by states
	printf '%s\n' 'main;cpu_idle;wfi 3' 'main;wfi;irq 1' 'main;idler 4' >idle.0
	printf '%s\n' 'CPU#0;halted;main 1' 'CPU#1;running;wfi 2' 'CPU#1;running;b 1' >idle.1
	# a function named so is no state
	printf '%s\n' 'main;halted;copy 3' 'CPU#0;halted;copy 1' >idle.2
	for i in 0 1 2; do
		mkdir $i
		cd $i
		mkfifo pipe
		terminal 90 14 'kst-top <pipe'
		cat ../idle.$i >pipe
		case $i in
		0) shows '^idle 37.50%$' ;;
		1) shows '^idle 25.00%$' ;;
		2)
			shows 'the input ha'
			lacks '^idle'
			;;
		esac
		keys q
		shows '^ended 0'
		cd ..
	done
}

@test "the screen: -n, also of rows that the filter shows" {
	mkfifo pipe
	terminal 90 24 'kst-top -n 2 <pipe'
	exec 9>pipe
	cat "$golden/capture.txt" >&9
	first halt
	soon eval '[ "$(grep -c "%.*%" screen)" = 4 ]'
	keys / push Enter
	first queue_push
	exec 9>&-
	keys q
	shows '^ended 0'
}

@test "the screen: Ctrl-Z and Ctrl-C leave the terminal as it was" {
	mkfifo pipe
	tmux -S tmux -f /dev/null new-session -d -x 80 -y 12 'PS1="> " bash --norc -i'
	keys 'stty -a >before; kst-top <pipe' Enter
	exec 9>pipe
	echo '[kst-capture-info version=1]' >&9
	cat "$golden/capture.txt" >&9
	shows ' spin_lock$'
	keys C-z
	shows 'Stopped'
	keys 'stty -a >stopped; fg' Enter
	shows '^q quit'
	keys C-c
	shows '^>$'
	keys 'r=$?; stty -a >after; echo ended $r' Enter
	shows '^ended 0'
	exec 9>&-
	cmp before stopped
	cmp before after
}

@test "the screen: SIGTERM ends it, messages come after it" {
	mkfifo pipe
	terminal 80 12 'kst-top <pipe'
	exec 9>pipe
	cat "$golden/capture.txt" >&9
	shows ' spin_lock$'
	pkill -TERM -t "$(tmux -S tmux display -p '#{pane_tty}' | sed 's,/dev/,,')" kst-top
	shows '^ended 143'
	exec 9>&-
	cmp before after
}

@test "the screen: a write that fails ends it, and the terminal is as it was" {
	for error in EIO ENOSPC EPIPE; do
		mkdir $error
		cd $error
		mkfifo pipe
		terminal 80 12 "KST_NO_SANDBOX=1 strace -qqo log -P \$(tty) \
			-e inject=write:error=$error:when=3 kst-top <pipe"
		exec 9>pipe
		# it may have ended by then
		cat "$golden/capture.txt" >&9 || [ $? = 141 ]
		shows '^ended 4'
		grep -q '^kst-top: cannot write the output: ' screen
		exec 9>&-
		[ "$(tmux -S tmux display -p '#{alternate_on}')" = 0 ]
		cmp before after
		cd ..
	done
}

@test "the screen: a pipe without a stack" {
	terminal 80 12 'echo nothing | kst-top'
	shows 'the input has ended'
	lacks 'no stack'
	keys q
	shows '^ended 1'
	grep -q '^kst-top: stdin: no stacks found' screen
}

# Its output ends before it does, as that of any command.
@test "a capture that fails: its status" {
	mkdir own
	cp "$B/kst-top" own
	printf '#!/bin/sh\nexec >&-\nsleep 0.5\nexit $RC\n' >own/kst-flame
	chmod +x own/kst-flame
	for RC in 1 4; do
		export RC
		run own/kst-top -e kernel
		[ "$status" = $RC ]
	done
}

@test "no screen: a file, a dumb terminal, CSV" {
	kst-top "$golden/capture.txt" >want
	for command in "NO_COLOR=1 kst-top $golden/capture.txt" \
		"TERM=dumb kst-top <$golden/capture.txt" \
		"cat $golden/capture.txt | TERM=dumb kst-top" \
		"cat $golden/capture.txt | kst-top --csv"; do
		script -qec "stty cols 100; $command" /dev/null </dev/null |
			tr -d '\r' >out
		[ "$(wc -l <out)" = 11 ]
		none=$(grep -c $'\033' out) || true
		[ "$none" = 0 ]
	done
}

@test "colours: what waits, user mode, and the kernel" {
	printf 'a;cpu_idle_loop 3\na;User 2\na;work 5\n' >in
	script -qec "TERM=xterm kst-top in" /dev/null </dev/null | tr -d '\r' >out
	grep -q $'  \033\\[90mcpu_idle_loop\033\\[m$' out
	grep -q $'  \033\\[35mUser\033\\[m$' out
	grep -q $'  \033\\[33mwork\033\\[m$' out
}
