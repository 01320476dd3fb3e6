# Waits, locks and timed calls by backtrace. trace.py's samples (prof-wait,
# prof-lock, prof-timed -t vfs_open), summed, are the expected output: do not
# bless this.
python3 ../../osv-tracefile.py 1 300 moving >"${TMPDIR:-/tmp}/tf.$$"
for t in sched_wait mutex_lock_wa vfs_open; do
	echo "== $t"
	kst-osv --backtrace -t "$t" "${TMPDIR:-/tmp}/tf.$$" 2>/dev/null |
		kst-span --no-trailer 2>/dev/null |
		sed 's/;[a-z_]* / /' | kst-fold --no-trailer
done
rm "${TMPDIR:-/tmp}/tf.$$"
