# Waits while the CPU was idle. trace.py's samples (prof-idle), summed, are the
# expected output: do not bless this.
python3 ../../osv-tracefile.py 2 300 | kst-osv --backtrace --idle 2>/dev/null |
	kst-span --no-trailer 2>/dev/null |
	sed -n 's/;sched_wait;idle / /p' | kst-fold --no-trailer
