# Waits by the CPU where they began. trace.py's samples (prof-wait -g cpu),
# summed, are the expected output: do not bless this.
python3 ../../osv-tracefile.py 6 300 moving |
	kst-osv --backtrace --by cpu -t sched_wait 2>/dev/null |
	kst-span --no-trailer 2>/dev/null |
	sed 's/;[a-z_]* / /' | kst-fold --no-trailer
