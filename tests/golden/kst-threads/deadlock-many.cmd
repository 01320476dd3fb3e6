# As many circles as have a line, one of them of a thousand threads, and one more.
for last in 2015 2016; do
	awk -v last=$last 'function thread(n, holder) {
		printf "\nThread %d (Thread 1.%d (t, pid %d [waiting])):\n", n, n, n
		printf "#0  [lock of pid %d, t] ()\n#1  0x1 in sched ()\n", holder
	}
	BEGIN {
		print "[kst-capture seq=1 time=1.0 stop-ns=5]"
		for (i = 1; i <= 1000; i++)
			thread(i, i % 1000 + 1)
		for (i = 2001; i <= last; i++)
			thread(i, i)
	}' | kst-threads >/dev/null
done
