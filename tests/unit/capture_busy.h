/* SPDX-License-Identifier: ISC */
/*
 * The memory of capture_memory.h, in a guest that goes on between any two
 * reads, by dice that fall the same way each time. A unit says what it does
 * then: go_on().
 */
#ifndef CAPTURE_BUSY_H
#define CAPTURE_BUSY_H

/* Of so many reads one is followed by steps, of which there are less than
 * `most`. */
struct busy {
	unsigned calm, most;
};

static unsigned seed = 1;

/* 0 to n - 1. */
static unsigned
dice(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

/* One step of the guest. */
static void go_on(void);

/* As read_memory(), with a struct busy. */
static int
read_busy(void *arg, uint64_t addr, uint8_t *to, size_t n)
{
	const struct busy *busy = arg;
	const int status = read_memory(memory, addr, to, n);

	for (unsigned k = dice(busy->calm) ? 0 : dice(busy->most); k > 0; k--)
		go_on();
	return status;
}

#endif
