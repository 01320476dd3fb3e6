/* SPDX-License-Identifier: ISC */
/* kst-flame: from a guest to its flame graph, in one command. */
#include <time.h>

#include "base/msg.h"
#include "opt/opt.h"
#include "flame.h"

int
main(int argc, char **argv)
{
	struct options o = {.output = "fg.svg"};
	struct plan p;
	const time_t began = time(NULL);
	char **command;
	int first, status;

	msg_init(argv[0]);
	command = opt_command(&argc, argv);
	first = options_read(&o, argc, argv);
	if (o.as)
		msg_prog = o.as;
	if (first < argc)
		opt_wrong("unexpected argument '%s': put -- before QEMU's "
			  "command, and -e before the kernel's file",
		    msg_str(argv[first]));
	if (o.base) {
		status = base_run(&o, command);
		plan_say_old(o.output, status, began);
		options_done(&o);
		return status;
	}
	status = plan_make(&p, &o, command);
	if (status == 0)
		status = p.form == FORM_PIPE ? plan_pipe(&p) : run(&p);
	plan_say_old(o.output, status, began);
	plan_done(&p);
	options_done(&o);
	return status;
}
