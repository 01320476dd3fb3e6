/* SPDX-License-Identifier: ISC */
/*
 * gen_text KIND MEGABYTES [STACKS]: for a benchmark, what other tracers write;
 * of so many stacks (5000) and as many functions (3000).
 *
 *	printf	btrace's printf("%s1\n", kstack), newest form
 *	map	btrace's @[kstack] = count(), a tenth of the stacks seen once
 *	newmap	the same, a quarter of them
 *	osv	OSv's strace on the console, nested calls of 16 threads
 *	json	OSDK's profile of 4 CPUs
 */
#include "gen.h"

enum { DEPTH = 19, THREADS = 16 };

static uint32_t n_stacks = 5000, n_names = 3000;

static const char *const words[] = {"uvm", "pmap", "sched", "msleep", "tcp",
    "input", "ether", "vnode", "lookup", "pool", "get", "put", "intr", "lock"};

static size_t
name(char *to, uint32_t n)
{
	enum { W = sizeof words / sizeof *words };

	return (size_t)sprintf(to, "%s_%s_%s%u", words[n % W], words[n / W % W],
	    words[n / 7 % W], n);
}

/* A stack of btrace: the same seed, the same stack. */
static size_t
stack(char *to, uint64_t seed)
{
	uint64_t keep = state;
	size_t len = 0;
	uint32_t depth;

	state = seed * 0x9e3779b97f4a7c15u + 1;
	rnd(2);
	depth = 4 + rnd(DEPTH - 4);
	to[len++] = '\n';
	for (uint32_t i = 0; i < depth; i++) {
		len += name(to + len, rnd(n_names));
		len += (size_t)sprintf(to + len, "+0x%x\n", 1 + rnd(4000));
	}
	state = keep;
	return len + (size_t)sprintf(to + len, "kernel\n");
}

/* once_in: of so many stacks one comes once; 0: a printf stream. */
static size_t
btrace(uint32_t once_in)
{
	static uint64_t once = 1u << 24;
	char text[DEPTH * 60];
	uint32_t common = rnd(n_stacks) * (uint64_t)rnd(n_stacks) / n_stacks;
	size_t len =
	    stack(text, once_in && rnd(once_in) == 0 ? ++once : common);

	if (once_in)
		return (size_t)printf("@[%.*s]: %u\n", (int)len, text, rnd(99));
	return (size_t)printf("%.*s1\n", (int)len, text);
}

static const char *const calls[] = {"vfs_open", "vfs_read", "vfs_lstat",
    "sched_wait", "memory_page_fault", "vfs_close"};

static size_t
osv(void)
{
	static uint32_t depth[THREADS], open[THREADS][4];
	static uint64_t now = 1000000;
	uint32_t t = rnd(THREADS);
	char thread[32];
	size_t len;

	sprintf(thread, t % 3 ? "worker%u" : ">/server%u.so", t);
	now += 100 + rnd(3000);
	len = (size_t)printf("%-15s %3u %2u.%09u ", thread, t % 4,
	    (unsigned)(now / 1000000000), (unsigned)(now % 1000000000));
	if (depth[t] == 4 || (depth[t] > 0 && rnd(2)))
		return len + (size_t)printf("%s_ret(%u)\n",
				 calls[open[t][--depth[t]]], rnd(99));
	open[t][depth[t]] = (depth[t] ? open[t][depth[t] - 1] + 1 : rnd(6)) % 6;
	return len + (size_t)printf("%s(\"/usr/lib/file%u\" 0x%x 00)\n",
			 calls[open[t][depth[t]++]], rnd(500), rnd(65536));
}

static size_t
json(int first)
{
	size_t len = (size_t)printf("%s{", first ? "" : ",");

	for (uint32_t cpu = 0; cpu < 4; cpu++) {
		uint32_t depth = 5 + rnd(30);

		len += (size_t)printf("%s\"%u\":[", cpu ? "," : "", cpu);
		for (uint32_t i = 0; i < depth; i++) {
			char text[80];

			name(text, rnd(n_names));
			len += (size_t)printf(
			    "%s\"ostd::%s\"", i ? "," : "", text);
		}
		len += (size_t)printf("]");
	}
	return len + (size_t)printf("}");
}

int
main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	size_t end = argc > 2 ? strtoul(argv[2], NULL, 10) * 1000000 : 0;
	int is_json = strcmp(kind, "json") == 0, first = 1;
	uint32_t once_in = strcmp(kind, "map") == 0	 ? 10
			   : strcmp(kind, "newmap") == 0 ? 4
							 : 0;

	n_stacks = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : n_stacks;
	n_names = argc > 3 ? n_stacks : n_names;
	if (is_json)
		printf("{\"stack_traces\":[");
	for (size_t n = 0; n < end; first = 0)
		n += strcmp(kind, "osv") == 0 ? osv()
		     : is_json		      ? json(first)
					      : btrace(once_in);
	if (is_json)
		printf("]}");
	return gen_end();
}
