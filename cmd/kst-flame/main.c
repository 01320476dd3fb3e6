/* SPDX-License-Identifier: ISC */
/* kst-flame: from a guest to its flame graph, in one command. */
#include <string.h>

#include "base/msg.h"
#include "opt/opt.h"
#include "flame.h"

/*
 * Cuts the command line at the first `--`. Returns what stands after it, NULL
 * if there is none.
 */
static char **
cut(int *argc, char **argv)
{
	for (int i = 1; i < *argc; i++)
		if (strcmp(argv[i], "--") == 0) {
			if (i + 1 == *argc)
				opt_wrong("a command is missing after --");
			argv[i] = NULL;
			*argc = i;
			return argv + i + 1;
		}
	return NULL;
}

int
main(int argc, char **argv)
{
	struct options o = {.output = "fg.svg"};
	struct plan p;
	char **after;
	int first, status;

	msg_init(argv[0]);
	after = cut(&argc, argv);
	first = options_read(&o, argc, argv);
	if (first < argc)
		opt_wrong(
		    "unexpected argument '%s': QEMU's command comes after "
		    "--",
		    msg_str(argv[first]));
	status = plan_make(&p, &o, after);
	if (status == 0)
		status = run(&p);
	plan_done(&p);
	options_done(&o);
	return status;
}
