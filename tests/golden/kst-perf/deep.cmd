# 65,534 frames, and a line that stands for three: two of these are within the limit
awk 'BEGIN { print "java 1 1.0: 1 cycles:"; for (i = 1; i < 65535; i++) print "\t401000 a+0x1 (/bin/dd)"
	print "\t401000 x->y->z (/tmp/perf-1.map)" }' | kst-perf --folded |
	awk -F';' '/^#/ { next } { print NF, $1, $2, $3, $4 }'
