/* SPDX-License-Identifier: ISC */
/* kst-export: stacks and events as other programs' profiles. */
#include "export.h"

#include "base/buf.h"
#include "base/msg.h"
#include "io/out.h"
#include "rights/rights.h"
#include "opt/opt.h"

static const struct opt rows[] = {{'f', "format", "FORMAT", "write this format",
				      OPT_CHOICE(format, EXPORT_FORMATS)},
    {'b', "by", "WHAT",
	"put the stack's CPU, thread, state or process in front as root frame",
	OPT_CHOICE(by, EXPORT_ROOTS)},
    {0, "dump-instr", NULL,
	"with callgrind: write the cost of each instruction, too",
	OPT_FLAG(dump_instr)},
    {'e', "elf", "FILE",
	"with callgrind: name the file whose instructions viewers show",
	OPT_TEXT(elf)},
    {'o', "output", "FILE", "write to FILE", OPT_TEXT(output)},
    {0, "force", NULL, "replace a FILE that kst did not write",
	OPT_FLAG(force)},
    {0}};

static const struct opt_page page = {
    .synopsis = "-f FORMAT [options] [FILE ...]",
    .about = "Writes trace, folded or event text as another program's profile.",
    .rows = rows,
    .examples = "kst-export -f speedscope capture.txt > speedscope.json\n"
		"kst-export -f pprof -o kernel.pb.gz capture.txt\n"};

/* What a file has that this command wrote; perf-script has nothing. */
static const char *
mark_of(unsigned format)
{
	return format == FORMAT_TRACE_EVENTS
		   ? "\"process_name\",\"args\":{\"name\":\"kst\"}"
		   : "kst-export ";
}

int
main(int argc, char **argv)
{
	struct options o = {0};
	char **files;
	struct in in;
	int first, status;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	files = argv + first;
	if (o.format == 0)
		opt_wrong("--format is missing");
	if ((o.dump_instr || o.elf) && o.format != FORMAT_CALLGRIND)
		opt_wrong("--dump-instr and --elf need --format callgrind");
	status = out_open(&(struct out_file){.path = o.output,
	    .mark = mark_of(o.format),
	    .inputs = files,
	    .n_inputs = argc - first,
	    .force = o.force});
	if (status != EXIT_OK)
		return out_end(status);
	rights_files(files, argc - first);
	in_init(&in, files, argc - first);
	status = export_run(&o, &in);
	in_done(&in);
	return out_end(status);
}
