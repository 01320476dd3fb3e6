/* SPDX-License-Identifier: ISC */
/* kst-flame: from a guest to its flame graph, in one command. */
#include <string.h>

#include "base/msg.h"
#include "opt/opt.h"
#include "flame.h"

int
main(int argc, char **argv)
{
	struct options o = {.output = "fg.svg"};
	struct plan p;
	int first, status;
	bool marked;

	msg_init(argv[0]);
	first = options_read(&o, argc, argv);
	marked = strcmp(argv[first - 1], "--") == 0;
	if (first < argc && !marked)
		opt_wrong(
		    "unexpected argument '%s': QEMU's command comes after "
		    "--",
		    msg_str(argv[first]));
	if (first == argc && marked)
		opt_wrong("a command is missing after --");
	status = plan_make(&p, &o, first < argc ? argv + first : NULL);
	if (status == 0)
		status = run(&p);
	plan_done(&p);
	options_done(&o);
	return status;
}
