/* SPDX-License-Identifier: ISC */
/*
 * Memory from outside. Without arguments this process is the one that has the
 * guest's memory. With an ADDRESS, a kernel's ELF FILE and a NUMBER it reads so
 * many random addresses of the guest there, at a few stops, in both ways, and
 * says how they compare.
 */
#include "memory/outside.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/num.h"
#include "elf/elfsym.h"
#include "guest/backend.h"
#include "native/reads.h"
#include "unit.h"
#include "wire/address.h"
#include "wire/clock.h"
#include "wire/peer.h"
#include "wire/stood.h"

enum { SIZE = 0x20000 };

static uint8_t ram[SIZE], other[SIZE];
static bool lies;  /* the monitor prints other bytes */
static bool grown; /* the guest has got memory meanwhile */

/* QEMU's words. */
static int
ask(void *arg, const char *command, struct buf *text)
{
	uint64_t at;

	(void)arg;
	if (strcmp(command, "info mtree -f") == 0) {
		buf_adds(text,
		    "FlatView #0\r\n"
		    " AS \"I/O\", root: io\r\n"
		    "  0000000000000000-000000000000ffff (prio 0, ram): io\r\n"
		    "\r\nFlatView #1\r\n"
		    " AS \"memory\", root: system\r\n"
		    " AS \"cpu-memory-0\", root: system\r\n"
		    " Root memory region: system\r\n"
		    "  0000000000100000-000000000010ffff (prio 0, ram): a\r\n"
		    "  0000000000110000-000000000011ffff (prio 1, i/o): b\r\n"
		    "  0000000000120000-000000000012ffff (prio 0, rom): c\r\n"
		    "  0000000000130000-000000000013ffff (prio 0, ram): d\r\n");
		if (grown)
			buf_adds(text, "  0000000100000000-000000010000ffff "
				       "(prio 0, ram): dimm\r\n");
		buf_adds(text,
		    "\r\nFlatView #2\r\n"
		    "  0000000000200000-000000000020ffff (prio 0, ram): e\r\n");
	} else if (sscanf(command, "gpa2hva 0x%" SCNx64, &at) == 1) {
		const uint8_t *p = at == 0x100000   ? ram
				   : at == 0x120000 ? ram + SIZE / 2
				   : at >> 32	    ? other
						    : NULL;

		if (p != NULL)
			buf_printf(text,
			    "Host virtual address for 0x%" PRIx64
			    " (x) is %p\r\n",
			    at, (const void *)p);
		else
			buf_adds(text, "No memory is mapped there\r\n");
	} else if (sscanf(command, "xp/4gx 0x%" SCNx64, &at) == 1) {
		const uint64_t from = at < 0x120000 ? 0x100000 : 0x110000;
		const uint8_t *p = (lies ? other : ram) + (at - from);
		uint64_t w[4];

		memcpy(w, p, sizeof w);
		buf_printf(text,
		    "%016" PRIx64 ": 0x%016" PRIx64 " 0x%016" PRIx64
		    "\r\n%016" PRIx64 ": 0x%016" PRIx64 " 0x%016" PRIx64 "\r\n",
		    at, w[0], w[1], at + 16, w[2], w[3]);
	} else {
		return -1;
	}
	return 0;
}

static const struct monitor monitor = {ask, NULL};

static void
test_own(void)
{
	struct outside *o = outside_open(getpid());
	uint8_t b[16];

	CHECK(outside_open(0) == NULL);
	if (o == NULL) /* a system without /proc */
		return;
	memset(ram, 7, sizeof ram);
	memset(ram + 0x3020, 0x55, 8);
	ram[SIZE / 2 + 5] = 42;
	CHECK(outside_map(o, &monitor) == 0);
	CHECK(outside_copy(o, 0x10301c, b, 8) == 0);
	CHECK(b[3] == 7 && b[4] == 0x55);
	CHECK(outside_copy(o, 0x120005, b, 1) == 0 && b[0] == 42);
	/* a page is kept until all is forgotten */
	outside_forget(o);
	for (int i = 0; i < 3; i++) {
		CHECK(outside_copy_still(o, 0x103020, b, 8) == 0);
		CHECK(b[0] == 0x55 + (i == 2));
		memset(ram + 0x3020, 0x56, 8);
		if (i == 1)
			outside_forget(o);
	}
	memset(ram + 0x3020, 0x55, 8);
	CHECK(outside_copy_still(o, 0x110ff8, b, 8) == -1);
	CHECK(outside_copy_still(o, 0x10fff8, b, 16) == -1);
	/* devices, what has no place, what is not of this view, an end */
	CHECK(outside_copy(o, 0x110000, b, 1) == -1);
	CHECK(outside_copy(o, 0x130000, b, 1) == -1);
	CHECK(outside_copy(o, 0x200000, b, 1) == -1);
	CHECK(outside_copy(o, 0x1000, b, 1) == -1);
	CHECK(outside_copy(o, 0x10fff8, b, 16) == -1);
	CHECK(outside_copy(o, UINT64_MAX - 3, b, 16) == -1);
	CHECK(!outside_lost(o));
	/* more of it */
	CHECK(outside_copy(o, UINT64_C(1) << 32, b, 1) == -1);
	CHECK(outside_missed(o));
	grown = true;
	other[0] = 43;
	CHECK(outside_map(o, &monitor) == 0 && !outside_missed(o));
	CHECK(outside_copy(o, UINT64_C(1) << 32, b, 1) == 0 && b[0] == 43);
	CHECK(!outside_missed(o));
	other[0] = 0;
	/* another process's bytes; memory that tells nothing */
	lies = true;
	CHECK(outside_map(o, &monitor) == -1);
	CHECK(outside_copy(o, 0x10301c, b, 8) == -1);
	lies = false;
	CHECK(outside_map(o, &monitor) == 0);
	memset(ram, 7, sizeof ram);
	CHECK(outside_map(o, &monitor) == -1);
	outside_free(o);
}

/* Who listens: this process, by TCP and in a folder. */
static void
test_peer(void)
{
	struct sockaddr_in in = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct sockaddr *const to[] = {(void *)&in, (void *)&un};
	socklen_t len[] = {sizeof in, sizeof un};

	snprintf(
	    un.sun_path + 1, sizeof un.sun_path - 1, "kst-%ld", (long)getpid());
	for (int i = 0; i < 2; i++) {
		int listener = socket(to[i]->sa_family, SOCK_STREAM, 0);
		int fd = socket(to[i]->sa_family, SOCK_STREAM, 0);

		CHECK(bind(listener, to[i], len[i]) == 0);
		CHECK(getsockname(listener, to[i], &len[i]) == 0);
		CHECK(listen(listener, 1) == 0);
		CHECK(peer_process(fd) == 0);
		CHECK(connect(fd, to[i], len[i]) == 0);
		CHECK(peer_is_local(fd) && peer_process(fd) == getpid());
		close(fd);
		close(listener);
	}
}

/* The judge --------------------------------------------------------------- */

enum { KNOWN = 4096, STOPS = 10, READ = 64, REGIONS = 256, REGION_BITS = 30 };

static uint64_t known[KNOWN], seed = 1; /* addresses that were mapped */
static size_t n_known, apart; /* GiB with one that is the same in both */
static uint64_t same, unmapped, devices, more, differ, unknown;

static uint64_t
random_word(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed * UINT64_C(0x2545f4914f6cdd1d);
}

/* Programs, the kernel's code, modules, vmalloc, per-CPU memory lie apart. */
static size_t
regions(uint64_t addr)
{
	static uint64_t seen[REGIONS];
	static size_t n;
	size_t i = 0;

	while (i < n && seen[i] != addr >> REGION_BITS)
		i++;
	if (i == n && n < REGIONS)
		seen[n++] = addr >> REGION_BITS;
	return n;
}

static void
learn(uint64_t addr)
{
	known[n_known < KNOWN ? n_known++ : random_word() % KNOWN] = addr;
}

/* Near an address that is mapped, far from one, or anywhere. */
static uint64_t
pick(unsigned bits)
{
	const uint64_t from = known[random_word() % n_known];
	uint64_t addr;

	switch (random_word() % 8) {
	case 0:
		addr = random_word();
		break;
	case 1:
		addr = (uint64_t)((int64_t)(random_word() << 16) >> 16);
		break;
	case 2:
		addr = from ^ UINT64_C(1) << (random_word() % bits);
		break;
	default:
		addr = from + random_word() % 0x4000 - 0x2000;
	}
	return (bits == 32 ? addr & 0xffffffff : addr) & ~(uint64_t)(READ - 1);
}

/* By the stub; whether it could. */
static bool
ask_stub(struct sampler *s, size_t cpu, uint64_t addr, uint8_t *to)
{
	const struct sampler_read q = {(uint32_t)cpu, READ, addr, addr};

	snap_clear(&s->shot.cpu[cpu].snap);
	return s->conn.ops->read(s, &q, 1) == 0 &&
	       snap_bytes(&s->shot.cpu[cpu].snap, addr, to, READ) == 0;
}

static void
compare(struct sampler *s, size_t cpu)
{
	const enum unwind_arch arch =
	    (enum unwind_arch)(s->guest.abi - unwind_abis);
	const bool checks =
	    !s->guest.abi->x86; /* its monitor looks at rights */
	struct vcpu *c = &s->shot.cpu[cpu];
	const uint64_t addr = pick(8 * s->guest.abi->word);
	uint8_t a[READ], b[READ];
	uint64_t at;
	enum pages place = c->regs.mode == UNWIND_MODE_FIRMWARE
			       ? (at = addr, PAGES_FOUND)
			       : pages_place(arch, &c->paging, addr,
				     outside_copy, s->conn.outside, &at);

	if (place == PAGES_UNKNOWN) {
		unknown++;
	} else if (place == PAGES_FOUND &&
		   outside_copy_still(s->conn.outside, at, a, READ) != 0) {
		devices++; /* which the stub is not asked to read */
	} else if (!ask_stub(s, cpu, addr, b)) {
		if (place == PAGES_UNMAPPED)
			unmapped++;
		else if (checks)
			more++;
		else
			differ++;
	} else if (place == PAGES_FOUND && memcmp(a, b, READ) == 0) {
		same++;
		apart = regions(addr);
		learn(addr);
		for (size_t i = 0; i < READ; i += s->guest.abi->word)
			if (random_word() % 8 == 0)
				learn(uint_load(
				    a + i, s->guest.abi->word, false));
	} else {
		printf("%s at %#" PRIx64 " cr3 %#" PRIx64 "\n",
		    place == PAGES_FOUND ? "other bytes" : "not mapped", addr,
		    c->paging.reg[PAGING_LOW]);
		differ++;
	}
}

static int
judge(char **argv)
{
	struct target t = {.timeout = 10 * NS_PER_S};
	struct target_image image = {0};
	struct buf err = BUF_INIT;
	const unsigned long n = strtoul(argv[3], NULL, 10);
	struct sampler *s;

	image.sym = elfsym_load(argv[2], 0, &err);
	t.image = &image;
	t.n_image = image.sym != NULL;
	if (address_parse(&t.addr, argv[1]) != 0 ||
	    (s = backend_rsp.open(&t)) == NULL)
		return 1;
	for (unsigned long i = 0; s->conn.outside != NULL && i < n; i++) {
		if (i % (n / STOPS + 1) == 0) {
			if (i > 0 && s->conn.ops->go(s) != 0)
				return 1;
			usleep(50000);
			if (reads_stop(s) != 0)
				return 1;
			for (size_t k = 0; k < s->shot.n_cpu; k++) {
				learn(s->shot.cpu[k].regs.r[s->guest.abi->pc]);
				learn(s->shot.cpu[k].regs.r[s->guest.abi->sp]);
			}
		}
		compare(s, random_word() % s->shot.n_cpu);
	}
	if (s->conn.outside != NULL)
		s->conn.ops->go(s);
	printf("regions %zu same %" PRIu64 " unmapped %" PRIu64
	       " devices %" PRIu64 " more %" PRIu64 " unknown %" PRIu64
	       " differ %" PRIu64 "\n",
	    apart, same, unmapped, devices, more, unknown, differ);
	backend_rsp.close(s, false);
	elfsym_free(image.sym);
	buf_done(&err);
	address_done(&t.addr);
	return differ > 0 || same < n / 10;
}

int
main(int argc, char **argv)
{
	signals_init();
	if (argc > 3)
		return judge(argv);
	test_own();
	test_peer();
	return unit_end();
}
