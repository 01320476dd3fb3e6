# three other lines in a row are in the stack, four end it; 60 before the first frame
trace() {
	echo "[    $1.000001] CPU: 0 PID: 1 Comm: init Not tainted 6.12 #1"
	awk -v t="$1" -v n="$2" 'BEGIN { for (; n; n--) printf "[    %d.000002] other %d\n", t, n }'
	echo "[    $1.000003] Call Trace:"
	echo "[    $1.000004]  <TASK>"
	echo "[    $1.000005]  first+0x1/0x2"
	awk -v t="$1" -v n="$3" 'BEGIN { for (; n; n--) printf "[    %d.000006] other %d\n", t, n }'
	echo "[    $1.000007]  second+0x1/0x2"
	echo "[    $1.000008]  </TASK>"
}
{
	trace 1 0 3
	trace 2 0 4
	trace 3 57 0
	trace 4 58 0
	trace 5 59 0
	trace 6 60 0
	trace 7 61 0
} | kst-console
