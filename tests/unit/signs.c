/* SPDX-License-Identifier: ISC */
/* How files of other programs begin. */
#include "trace/signs.h"

#include "unit.h"

#define LOOK(text, kind, reader) look(text, sizeof text - 1, kind, reader)

static void
look(const char *text, size_t len, const char *kind, const char *want)
{
	const char *reader, *got = signs_kind(text, len, &reader);

	got = got ? got : "";
	reader = reader ? reader : "";
	CHECK_TEXT(got, strlen(got), kind);
	CHECK_TEXT(reader, strlen(reader), want);
}

int
main(void)
{
	LOOK("", "", "");
	LOOK("nothing that anybody knows\n", "", "");
	LOOK("\037\213\010\0",
	    "a file packed by gzip (unpack it with "
	    "'gzip -dc')",
	    "");
	LOOK("PERFILE2\x68\0", "a perf.data file", "");
	LOOK("bash  1234 [000]  123.456789:     250000 cpu-clock:ppp: \n"
	     "\tffffffff81000000 do_idle+0x1a ([kernel.kallsyms])\n",
	    "perf script text", "");
	LOOK("cpu0 1/1 [000] 0.000000: 1 cycles: \n"
	     "\t               1 work+0x0 ([kernel.kallsyms])\n",
	    "perf script text", "");
	LOOK("Attaching 1 probe...\n^C\n\n@[\n    f+1\n]: 3\n",
	    "output of btrace or bpftrace", "kst-btrace");
	LOOK("{\"type\": \"attached_probes\", \"data\": {\"probes\": 1}}\n",
	    "JSON of bpftrace", "kst-btrace");
	LOOK("CPU     ID                    FUNCTION:NAME\n", "DTrace's output",
	    "kst-btrace");
	LOOK("* thread #1, stop reason = signal SIGTRAP\n"
	     "  * frame #0: 0xffffffff80100abc kernel`cpu_idle at i.c:12:5\n",
	    "lldb's backtrace", "");
	LOOK("[  123.456790] NMI backtrace for cpu 0\n"
	     "[  123.456792] Call Trace:\n",
	    "a kernel log with call traces", "");
	LOOK("{\"stack_traces\":[{\"0\":[\"a\"]}]}", "a JSON profile of OSDK",
	    "kst-json");
	LOOK("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json"
	     "\"}",
	    "a speedscope profile", "");
	LOOK("\n\4\10\1\20\2\22\7", "a pprof profile", "");
	LOOK("/httpserver.so    1  0.031337000 vfs_open(\"/\" 0x0 00)\n",
	    "OSv's strace log", "kst-osv");
	LOOK("12\tCPU#0\tB\tmain\n", "event text", "kst-span");
	LOOK("Thread 2 (Thread 1.2 (CPU#1 [running])):\n", "trace text",
	    "kst-fold kst-clean kst-sym kst-json");
	LOOK("main;work 3\n", "folded text",
	    "kst-svg kst-fold kst-clean kst-sym");
	return unit_end();
}
