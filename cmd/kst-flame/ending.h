/* SPDX-License-Identifier: ISC */
/* How a capture has ended, by the summary of kst-capture (kst(7)). */
#ifndef ENDING_H
#define ENDING_H

#include <stdbool.h>

struct ending {
	bool empty;	/* nothing was sampled, */
	bool unreached; /* since QEMU did not let us */
	bool gone;	/* the guest has ended, */
	bool stopped;	/* or was stopped */
	bool other_kernel;
};

/* From the file that it is in; all is false if kst-capture was killed. */
struct ending ending_read(int fd);

#endif
