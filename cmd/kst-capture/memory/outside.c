/* SPDX-License-Identifier: ISC */
/*
 * The parts of QEMU's flat view of the memory that are RAM or ROM. That the
 * process is QEMU's is not taken for granted: a file that a daemon has opened
 * for QEMU tells the daemon's number. Bytes that are not all the same are
 * compared with those that the monitor prints.
 */
#include "memory/outside.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "wire/stood.h"

enum { BLOCKS_MAX = 64, PLACES = 256, PAGE = 4096, PROOF = 32, PROOFS = 4 };
enum { KEPT = 256 }; /* pages */

struct block {
	uint64_t at, size; /* in the guest, */
	uint64_t place;	   /* and in the process */
};

struct outside {
	int fd;
	bool lost, missed;
	struct block block[BLOCKS_MAX];
	size_t n, last; /* the one that was read last */
	uint64_t now;	/* how often all was forgotten */
	/* Each page has one place; the last one there wins. */
	struct kept {
		uint64_t at, when;
		uint8_t bytes[PAGE];
	} kept[KEPT];
};

struct outside *
outside_open(pid_t pid)
{
	struct outside *o;
	char path[32];
	int fd;

	snprintf(path, sizeof path, "/proc/%ld/mem", (long)pid);
	fd = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return NULL;
	o = xcalloc(1, sizeof *o);
	o->fd = fd;
	return o;
}

void
outside_free(struct outside *o)
{
	if (o == NULL)
		return;
	close(o->fd);
	free(o);
}

bool
outside_missed(const struct outside *o)
{
	return o->missed || o->lost;
}

bool
outside_lost(const struct outside *o)
{
	return o->lost;
}

/* The block that has these bytes; NULL: none has them all. */
static const struct block *
find(struct outside *o, uint64_t at, size_t n)
{
	for (size_t i = 0; i < o->n; i++) {
		const struct block *b = &o->block[(o->last + i) % o->n];

		if (at - b->at < b->size && n <= b->size - (at - b->at)) {
			o->last = (size_t)(b - o->block);
			return b;
		}
	}
	return NULL;
}

int
outside_copy(void *outside, uint64_t at, void *to, size_t n)
{
	struct outside *o = outside;
	const struct block *b = find(o, at, n);

	o->missed |= b == NULL;
	if (b == NULL || o->lost)
		return -1;
	if (pread(o->fd, to, n, (off_t)(b->place + (at - b->at))) == (ssize_t)n)
		return 0;
	o->lost = true;
	return -1;
}

void
outside_forget(struct outside *o)
{
	o->now++;
}

/* The page at `at`; NULL: it cannot be read as a whole. */
static const uint8_t *
keep(struct outside *o, uint64_t at)
{
	struct kept *k = &o->kept[at / PAGE % KEPT];

	if (k->when == o->now && k->at == at)
		return k->bytes;
	k->when = 0;
	if (outside_copy(o, at, k->bytes, PAGE) != 0)
		return NULL;
	k->when = o->now;
	k->at = at;
	return k->bytes;
}

int
outside_copy_still(void *outside, uint64_t at, void *to, size_t n)
{
	struct outside *o = outside;
	const size_t in = at % PAGE;
	const uint8_t *page =
	    o->now != 0 && n <= PAGE - in ? keep(o, at - in) : NULL;

	if (page == NULL)
		return outside_copy(o, at, to, n);
	memcpy(to, page + in, n);
	return 0;
}

/* `  FIRST-LAST (prio 0, ram): NAME`; ROM as well. */
static bool
is_memory(const char *line, size_t len, struct block *b)
{
	static const char *const kinds[] = {", ram):", ", rom):", ", romd):"};
	uint64_t last;

	while (len > 0 && *line == ' ') {
		line++;
		len--;
	}
	if (len < 34 || line[16] != '-' || num_hex(line, 16, &b->at) != 0 ||
	    num_hex(line + 17, 16, &last) != 0 || last <= b->at)
		return false;
	b->size = last - b->at + 1;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (memmem(line, len, kinds[i], strlen(kinds[i])) != NULL)
			return true;
	return false;
}

/*
 * The view of the processors, from `FlatView #0`, ` AS "memory"` to the next
 * empty line.
 */
static void
read_view(struct outside *o, const char *text)
{
	static const char title[] = "AS \"memory\"", view[] = "FlatView";
	const char *p = strstr(text, title);

	o->n = 0;
	while (p != NULL && (p = strchr(p, '\n')) != NULL) {
		const size_t len = strcspn(++p, "\r\n");

		if (strncmp(p, view, sizeof view - 1) == 0)
			break;
		if (o->n < BLOCKS_MAX && is_memory(p, len, &o->block[o->n]))
			o->n++;
	}
}

/* `Host virtual address for 0x100000 (pc.ram) is 0x7efea7f00000` */
static bool
ask_place(struct block *b, const struct monitor *m)
{
	struct buf text = BUF_INIT;
	char command[40];
	const char *p;
	bool told;

	snprintf(command, sizeof command, "gpa2hva 0x%" PRIx64, b->at);
	told = m->ask(m->arg, command, &text) == 0 &&
	       (p = strstr(buf_str(&text), " is 0x")) != NULL;
	if (told)
		b->place = strtoull(p + 4, NULL, 16);
	buf_done(&text);
	return told && b->place != 0 && b->place >> 63 == 0;
}

/* Whether the bytes there are those that QEMU has. */
static bool
is_same(const uint8_t *bytes, uint64_t at, const struct monitor *m)
{
	struct buf text = BUF_INIT;
	char command[40];
	const char *p;
	size_t n = 0;

	snprintf(command, sizeof command, "xp/%dgx 0x%" PRIx64, PROOF / 8, at);
	if (m->ask(m->arg, command, &text) == 0) {
		p = buf_str(&text);
		while (
		    n < PROOF && (p = strstr(p, "0x")) != NULL &&
		    strtoull(p, NULL, 16) == uint_load(bytes + n, 8, false)) {
			n += 8;
			p += 2;
		}
	}
	buf_done(&text);
	return n == PROOF;
}

/* Bytes of a page that are not all the same; NULL: there are none. */
static const uint8_t *
telling(const uint8_t *page)
{
	for (size_t i = 0; i < PAGE; i += PROOF)
		if (memcmp(page + i, page + i + 1, PROOF - 1) != 0 &&
		    uint_load(page + i, 8, false) !=
			uint_load(page + i + 8, 8, false))
			return page + i;
	return NULL;
}

/* A guest that runs may have changed some: one place is enough. */
static bool
is_proven(struct outside *o, const struct monitor *m)
{
	int tries = 0;

	for (size_t i = 0; i < o->n * PLACES && tries < PROOFS; i++) {
		const struct block *b = &o->block[i / PLACES];
		const uint64_t step = (b->size / PLACES / PAGE + 1) * PAGE;
		const uint64_t at = b->at + i % PLACES * step;
		uint8_t page[PAGE];
		const uint8_t *p;

		if (at - b->at >= b->size ||
		    outside_copy(o, at, page, PAGE) != 0 ||
		    (p = telling(page)) == NULL)
			continue;
		if (is_same(p, at + (uint64_t)(p - page), m))
			return true;
		tries++;
	}
	return false;
}

int
outside_map(struct outside *o, const struct monitor *m)
{
	struct buf text = BUF_INIT;
	size_t n = 0;

	o->now++; /* pages may be elsewhere */
	o->lost = o->missed = false;
	if (m->ask(m->arg, "info mtree -f", &text) == 0)
		read_view(o, buf_str(&text));
	buf_done(&text);
	for (size_t i = 0; i < o->n; i++)
		if (ask_place(&o->block[i], m))
			o->block[n++] = o->block[i];
	o->n = n;
	o->last = 0;
	o->lost = !is_proven(o, m);
	o->missed = false;
	return o->lost ? -1 : 0;
}
