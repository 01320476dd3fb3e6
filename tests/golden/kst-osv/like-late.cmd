# A CPU whose first record comes late, and no pair before the first: as trace.py
# pairs. Its samples (prof-wait from 1.2 to 1.6 ms) are the expected output: do
# not bless this.
python3 ../../osv-tracefile.py 3 300 moving late |
	kst-osv --like-trace.py --backtrace -t sched_wait 2>/dev/null |
	kst-span --no-trailer --since 1.2ms --until 1.6ms 2>/dev/null |
	sed 's/;[a-z_]* / /' | kst-fold --no-trailer
