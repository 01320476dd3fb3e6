# SPDX-License-Identifier: ISC
# Of tests/bench/counts: prints the rows that were measured beside the table, writes
# the new table to `out`, and fails if a row rose.
#
# What a row may rise by, besides its part: the loader's work follows the lines of
# /etc/ld.so.cache, and the kernel counts pages in portions of 32 a processor.
BEGIN {
	FS = OFS = "\t"
	part_n = 1.05; slack_n = 10
	part_kib = 1.10; slack_kib = 512
	old_name = "5d49a90"
}

function times(now, was) {
	return now ~ /^[0-9]/ && was ~ /^[0-9]/ && was > 0 ? \
		sprintf("%.2f", now / was) : "-"
}

# The figure that is saved for `now`, where `was` is in the table.
function keep(now, was) {
	if (was !~ /^[0-9]/ || raise || now < was * .995)
		return now
	return was
}

FILENAME ~ /system$/ { system_now = $0; next }
FILENAME == table && /^# system: / { system_then = substr($0, 11); next }
FILENAME == table && /^#/ { next }
FILENAME == table {
	n[$1] = $2; kib[$1] = $3; n_old[$1] = $4; kib_old[$1] = $5
	saved[$1] = 1
	names[++n_names] = $1
	next
}
FILENAME ~ /rows$/ { order[++rows] = $1; wanted[$1] = 1; next }
{
	now_n[$1] = $2 == "-" ? "-" : int($2 / 1000 + .5)
	now_kib[$1] = $3
}

END {
	same = system_now == system_then
	if (!same && system_then != "") {
		print "counts: the table is of: " system_then
		print "counts: this system is:  " system_now
		print "counts: no row can fail here"
	}
	if (save != "" && !same && system_then != "" && (!raise || part || old)) {
		print "counts: RAISE=1 without T writes the table for this system" \
			>"/dev/stderr"
		exit 2
	}
	printf "%-44s %9s %6s %6s %9s %6s %6s\n", "", "1000 ins.", \
		"saved", old_name, "KiB", "saved", old_name
	for (i = 1; i <= rows; i++) {
		r = order[i]
		a = now_n[r]; b = now_kib[r]
		printf "%-44s %9s %6s %6s %9s %6s %6s", r, a, times(a, n[r]), \
			times(a, n_old[r]), b, times(b, kib[r]), \
			times(b, kib_old[r])
		why = ""
		if (a !~ /^[0-9]/ && !old)
			why = "failed"
		else if (same && !old && saved[r]) {
			if (a > n[r] * part_n + slack_n)
				why = "instructions"
			if (b > kib[r] * part_kib + slack_kib)
				why = why (why == "" ? "" : " and ") "memory"
		}
		print why == "" ? "" : "  ROSE: " why
		if (why != "")
			bad[++n_bad] = r ": " why
	}
	for (i = 1; i <= n_names; i++)
		if (!(names[i] in wanted) && part == "")
			bad[++n_bad] = names[i] ": in the table, but not a row"
	print "# SPDX-License-Identifier: ISC" >out
	print "# What make counts compares with, by make counts-save: row, thousands of " \
		"instructions and KiB,\n# and both at commit 5d49a90." >out
	print "# system: " system_now >out
	for (i = 1; i <= rows + n_names; i++) {
		r = i <= rows ? order[i] : names[i - rows]
		if ((r in done) || (!(r in wanted) && part == ""))
			continue
		done[r] = 1
		if (!(r in now_n))
			print r, n[r], kib[r], n_old[r], kib_old[r] >out
		else if (old)
			print r, value(n[r]), value(kib[r]), now_n[r], \
				now_kib[r] >out
		else
			print r, keep(now_n[r], n[r]), keep(now_kib[r], kib[r]), \
				value(n_old[r]), value(kib_old[r]) >out
	}
	for (i = 1; i <= n_bad; i++)
		print "counts: " bad[i] >"/dev/stderr"
	if (n_bad)
		print "counts: if a rise is meant, `make counts-save RAISE=1` in the " \
			"same commit, whose message says why" >"/dev/stderr"
	exit (n_bad > 0 && save == "")
}

function value(v) { return v == "" ? "-" : v }
