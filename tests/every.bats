# SPDX-License-Identifier: ISC
# What every command does alike, whatever it is for.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	commands=$(cd "$B" && ls -d kst kst-* | grep -v '\.')
}

# each FUNCTION: runs it for every command, names those where it fails.
each() {
	bad=
	for c in $commands; do
		"$@" "$c" || bad="$bad $c"
	done
	[ -z "$bad" ] || {
		echo "failed for:$bad"
		return 1
	}
}

helps() {
	"$1" -h >out 2>err && [ ! -s err ] && grep -q "^usage: $1" out &&
		"$1" --help | cmp -s - out &&
		! awk 'length > 80' out | grep . && ! grep -F "[184467440737" out
}
@test "-h and --help: usage on stdout, status 0, 80 columns, true defaults" {
	each helps
	kst-batch --help | grep -A1 -e '--by DIR' >out
	! grep -F '[DIR]' out
}

versions() {
	"$1" -V >out && grep -q -E "^$1 [0-9]+\.[0-9]+" out &&
		"$1" --version | cmp -s - out
}
@test "-V and --version" {
	each versions
}

refuses() {
	rc=0
	"$1" --no-such-option </dev/null >out 2>err || rc=$?
	[ $rc = 2 ] && [ ! -s out ] && grep -q "^$1: " err
}
@test "an unknown option is wrong usage: status 2" {
	each refuses
}

fails_full() {
	rc=0
	"$1" --help >/dev/full 2>err || rc=$?
	[ $rc = 4 ] && grep -q "^$1: cannot write" err
}
@test "a full disk is a failure with a message" {
	each fails_full
}

fails_closed() {
	rc=0
	"$1" --help >&- 2>err || rc=$?
	[ $rc = 4 ]
}
@test "a closed standard output is a failure" {
	each fails_closed
}

# Each value of an option that has words for it, else 1; and without a value.
uses() {
	"$1" --help=rows | awk -F '\t' '{
		print "--" $2
		n = split($4 ? $4 : 1, words, " ")
		for (i = 1; i <= n; i++)
			print "--" $2 "=" words[i]
	}'
}

# Sanitizers see what a status does not, so only they get all of it.
@test "each option, with an empty and with a one-line input: no crash" {
	files=empty
	[ -z "${SANITIZED-}" ] || files='empty folded trace other'
	: >empty
	printf 'a;b 1' >folded
	printf '#0  0x1 in a<b> ()' >trace
	printf 'a|b|c\n@[x]: 1' >other
	for c in clean diff export fold import json osv span svg sym btrace; do
		uses "kst-$c" >uses
		[ -s uses ] && while read -r use; do
			for f in $files; do
				# sym needs a file; that it is none is fine
				set -- "kst-$c" "$use" $f
				[ "$c" != sym ] || set -- "$@" -e "$(command -v kst-sym)"
				rc=0
				timeout 200 "$@" </dev/null >out 2>err || rc=$?
				case $rc in [0-4]) ;; *) echo "$*: $rc" >>bad ;; esac
				grep -q -a 'Sanitizer\|runtime error' err &&
					echo "$*: $(head -n 3 err)" >>bad
			done
		done <uses
	done
	[ ! -e bad ] || { cat bad; false; }
}

# ESC, DEL, a C1 control as a byte and as U+009B, and U+061C, U+200F, U+202E,
# U+2069, which turn text: whatever a terminal may get has a ? for each.
@test "what steers a terminal does not reach it: tables and messages" {
	bad=$(printf '\033\177\233\302\233\330\234\342\200\217\342\200\256\342\201\251')
	printf 'a;x%sy\303\251 1\n' "$bad" >before
	printf 'a;x%sy\303\251 9\n' "$bad" >after
	kst-top before >out
	printf '#0  x%sy\303\251 ()\n' "$bad" | kst-threads >>out
	kst-diff before after >>out
	kst-diff --markdown before after >>out
	printf 'x%sy\303\251\n' "$bad" >no-count
	! kst-fold --shape folded no-count 2>>out || false
	[ "$(grep -c 'x????????yé' out)" -ge 4 ]
	! grep -q -a -F -e "$(printf '\033')" -e "$(printf '\342\200')" \
		-e "$(printf '\233')" -e "$(printf '\342\201')" out || false
}

# The writer ends a capture by itself when it is interrupted, as kst-capture does.
@test "Ctrl-C: filters of a pipe finish what they get, and end at the second" {
	cat >writer <<'E'
trap 'printf "#1  root ()\n"; exit 0' INT
printf '#0  leaf ()\n'
: >ready
while :; do sleep 0.1; done
E
	cat >group.py <<'E'
import glob, os, signal, subprocess, sys, time
def filters(group):
    """Of each filter of the group its status, and where it waits."""
    for d in glob.glob("/proc/[0-9]*"):
        try:
            stat, status, where = (open(d + f).read() for f in ("/stat", "/status", "/wchan"))
        except OSError:
            continue
        state = stat.rsplit(")")[-1].split()
        if (stat.split("(")[1].startswith("kst-") and int(state[2]) == group
                and state[0] != "Z"):
            yield status, where
def catching(group):
    """How many catch SIGINT and wait for input: one that opens its output catches
    it, too, to end by it."""
    return sum(("pipe_read" in where or "poll" in where)
               and int(status.split("SigCgt:")[1].split()[0], 16) >> 1 & 1
               for status, where in filters(group))
p = subprocess.Popen(["sh", "-c", sys.argv[1]], start_new_session=True,
    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
for want in map(int, sys.argv[2:]):
    while not os.path.exists("ready") or catching(p.pid) != want:
        time.sleep(0.02)
    os.killpg(p.pid, signal.SIGINT)
# a writer that is deaf goes on until they have ended
until = time.time() + 100
while list(filters(p.pid)) and time.time() < until:
    time.sleep(0.02)
open("over", "w").close()
sys.exit(p.wait(timeout=200) != 0)
E
	for last in kst-fold 'kst-fold | kst-top' 'kst-fold | kst-svg' \
		'kst-sym -e /bin/sh | kst-fold'; do
		rm -f ready
		all="kst-clean | $last"
		python3 group.py "trap : INT; sh writer | $all >out" \
			"$(grep -o kst- <<<"$all" | wc -l)"
		grep -q leaf out && grep -q root out
	done
	rm -f ready
	python3 group.py "trap : INT
		sh writer | kst-clean | kst-fold | kst-svg -o o.svg" 3
	grep -q root o.svg
	mkdir own
	cp "$B/kst-top" own
	printf '#!/bin/sh\nexec sh writer\n' >own/kst-flame
	chmod +x own/kst-flame
	rm -f ready
	python3 group.py 'trap : INT; own/kst-top -e kernel >out' 1
	grep -q leaf out
	rm -f ready over
	run python3 group.py "(trap '' INT; : >ready
		while [ ! -e over ]; do sleep 0.1; done) | kst-fold >out" 1 0
	[ "$status" = 1 ]
	[ ! -s out ]
}

@test "every reader says what a file of another program is" {
	for f in "$BATS_TEST_DIRNAME"/golden/kst-fold/not-*.err; do
		in=${f%.err}.in
		want=$(grep -a -o 'it \(looks like\|is packed\).*' "$f")
		for c in clean 'sym -e /bin/sh' top "diff $in" json 'json -j' \
			span osv svg btrace perf console import 'export -f pprof'; do
			case "$c ${in##*/}" in
			btrace\ not-bpftrace.in | perf\ not-perf*) continue ;;
			json\ not-json.in | btrace\ not-json.in) continue ;; # other JSON
			console*) grep -q kst-console "$f" && continue ;;
			import\ not-pprof.in | import\ not-pprof-go.in | \
			import\ not-gzip.in)
				continue ;; # read by it
			svg\ not-xv6-panic.in) continue ;; # lines that end in a number
			diff*\ not-gzip.in | diff*\ not-xz.in | diff*\ not-zstd.in)
				continue ;; # read by it
			esac
			! "kst-"$c "$in" </dev/null >out 2>err &&
				grep -a -F -q "; $want" err || {
				echo "kst-$c $in"
				cat err
			}
		done
	done >bad
	cat bad
	[ ! -s bad ]
}

@test "a slip in a name: what it may be" {
	run kst flme
	[ "$status" = 2 ]
	[ "${lines[0]}" = "kst: unknown command 'flme'; did you mean flame?" ]
	run kst nothing-like-it
	[ "${lines[0]}" = "kst: unknown command 'nothing-like-it'" ]
	run kst-fold --bye cpu
	[ "$status" = 2 ]
	[ "${lines[0]}" = "kst-fold: unknown option '--bye'; did you mean --by?" ]
	run kst-svg --colours hot
	[[ ${lines[0]} = *'; did you mean '*--colors* ]]
	run kst-fold --nothing-like-it
	[ "${lines[0]}" = "kst-fold: unknown option '--nothing-like-it'" ]
	run kst-clean --rules lnux
	[ "$status" = 2 ]
	[[ $output = "kst-clean: rules 'lnux': No such file or directory; there are "*" linux, "* ]]
	run kst-capture --os lnux
	[[ $output = "kst-capture: os 'lnux': No such file or directory; there are "*" linux, "* ]]
	# a name of a file is that of a file
	run kst-clean --rules $'./\e[31m'
	[ "$status" = 2 ]
	[[ $output != *$'\e'* ]]
}

@test "kst-flame --help has a row for each option that it hands on" {
	kst-flame --help >help
	for c in capture clean fold svg count; do
		kst-$c --help=rows
	done | awk -F '\t' '$NF != "" { print $2 }' | sort -u >handed
	[ "$(wc -l <handed)" -gt 90 ]
	while read -r name; do
		grep -q -E -- "^  (-., |    )--$name( |$|\[)" help || {
			echo "--$name"
			return 1
		}
	done <handed
	# their words are the commands' own
	kst-svg --help=rows | grep -P '\tlink\t' | grep -o '[^\t]*$' >words
	grep -F -f words help
}
