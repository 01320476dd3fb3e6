# trace.py's listing (cpu-load --format csv) is the expected output: do not
# bless this.
python3 ../../osv-tracefile.py 2 300 | kst-osv --cpu-load | awk -F '\t' '
	$3 == "B" {
		cpu = substr($2, 4) + 0
		load[cpu] = substr($4, 6)
		max = cpu > max ? cpu : max
		printf "%12.9f", $1 / 1e9
		for (i = 0; i <= max; i++)
			printf ",%s", load[i]
		print ""
	}'
