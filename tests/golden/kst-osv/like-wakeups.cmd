# trace.py's listing (wakeup-latency) is the expected output but for its columns
# of threads and backtraces: do not bless this.
python3 ../../osv-tracefile.py 4 300 moving |
	kst-osv --like-trace.py --wakeups 2>/dev/null |
	kst-span --list | awk -F '\t' '
	$5 ~ /^wakeup/ { wake[$2] = $4 }
	$5 ~ /^sched_wait/ && $2 in wake {
		name = $2
		sub(/#.*/, "", name)
		cpu = $5
		sub(/.*cpu=/, "", cpu)
		printf "%-15s %3d %20s %13s %9s\n", name, cpu,
			sprintf("%12.9f", $1 + $4),
			sprintf("%4.6f", wake[$2] * 1e3),
			sprintf("%4.3f", $4 * 1e3)
		delete wake[$2]
	}'
