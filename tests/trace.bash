# SPDX-License-Identifier: ISC
# Trace text for bats files; to be sourced.

# trace SEED CAPTURES: trace text of two CPUs.
trace() {
	awk -v seed="$1" -v n="$2" 'BEGIN {
		srand(seed)
		for (i = 1; i <= n; i++) {
			printf "[kst-capture seq=%d time=%d.000000000]\n", i, 1000 + i
			for (c = 0; c < 2; c++) {
				printf "\nThread %d (Thread 1.%d (CPU#%d [running])):\n", c + 1, c + 1, c
				d = 2 + int(rand() * 6)
				for (f = 0; f < d; f++)
					printf "#%d  0xffffffff8800%04x in k::m%d::{impl#%d}::f%d<u8, T> (...)\n",
					    f, rand() * 65535, rand() * 9, rand() * 5, rand() * 30
			}
		}
	}'
}
