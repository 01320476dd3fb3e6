# SPDX-License-Identifier: ISC
# slow
# lane: long
# needs: guest
# The jobs of docs/ci.md, on the test guest.

root=$BATS_TEST_DIRNAME/..
qemu='qemu-system-x86_64 -nodefaults -display none -machine pc
	-accel tcg,thread=multi -m 64 -smp 1 -kernel'

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

gate() { # KERNEL BEFORE OUT
	# shellcheck disable=SC2086
	WARMUP=1 DURATION=2 RATE=1000 sh "$root/share/ci/gate.sh" \
		"$B/guest/$1.elf" "$2" "$3" $qemu "$B/guest/$1.elf" 3>&-
}

@test "gate.sh: an archive, silent on a rebuild, finds a sleep of 3 %" {
	RUNS_MAX=5 gate nap0 none first
	[ "$(ls first/captures | tr '\n' ' ')" = \
		'1.txt.gz 2.txt.gz 3.txt.gz 4.txt.gz 5.txt.gz ' ]
	[ ! -e first/report.md ]
	GATES='--gate +1% --inconclusive pass' gate cfi first/captures same >out
	cat out
	! grep REGRESSION same/report.md | grep -v '^\*\*NO ' || false
	[ "$(ls same/captures | wc -l)" = 3 ]
	rc=0
	GATES='--gate +1%' gate nap3 first/captures sleeps >out || rc=$?
	cat out
	[ $rc = 3 ]
	grep -q '^REGRESSION nap 0.0 % -> ' out
	grep -q '^\*\*REGRESSION nap 0' sleeps/report.md
	for picture in before after diff; do
		grep -q "^\[$picture\]($picture.svg)" sleeps/report.md
		grep -q '<svg' sleeps/$picture.svg
	done
	grep -q nap sleeps/after.svg
	! grep -q nap sleeps/before.svg
}

# action STEP INPUT=VALUE ...: runs a step of action.yml as a runner would.
action() {
	python3 - "$root/share/ci/action.yml" "$@" <<-'E'
		import os, re, subprocess, sys
		text, step = open(sys.argv[1]).read(), int(sys.argv[2])
		inputs = dict(re.findall(r'^  ([\w-]+):\n    description:.*\n'
		                         r'    default: "?(.*?)"?$', text, re.M))
		inputs.update(a.split("=", 1) for a in sys.argv[3:])
		part = text.split("    - name: ")[step]
		env = {k: os.environ[k] for k in ("PATH", "HOME", "TMPDIR")
		       if k in os.environ}
		env.update((k, inputs[v]) for k, v in re.findall(
		    r'^        (\w+): \${{ inputs\.([\w-]+) }}$', part, re.M))
		env["GITHUB_ACTION_PATH"] = os.path.dirname(sys.argv[1])
		env["GITHUB_PATH"] = os.path.abspath("path")
		env["GITHUB_STEP_SUMMARY"] = os.path.abspath("summary")
		script = re.sub("^ {8}", "", part.split("run: |\n")[1], flags=re.M)
		sys.exit(subprocess.run(["bash", "-eo", "pipefail", "-c", script],
		                        env=env, close_fds=True).returncode)
	E
}

@test "action.yml: its steps in an empty folder" {
	mkdir clean
	cd clean
	action 1
	set -- "kernel=$B/guest/cfi.elf" \
		"qemu=$(echo $qemu) $B/guest/cfi.elf" warmup=1 duration=1
	action 2 "$@" runs-max=3 out=before-out
	[ ! -e summary ]
	mv before-out/captures before
	action 2 "$@" 'gates=--gate +60%' links=https://example.org/
	grep -q '^\*\*NO REGRESSION' summary
	grep -q '^\[diff\](https://example.org/diff.svg)' summary
	[ "$(ls)" = "$(printf '%s\n' before before-out out summary)" ]
	[ "$(ls out)" = "$(printf '%s\n' after.svg before.svg captures diff.svg report.md)" ]
	rc=0
	action 2 "$@" 'gates=--gate +0.1%' runs-max=3 || rc=$?
	[ $rc = 5 ] || [ $rc = 3 ]
}
