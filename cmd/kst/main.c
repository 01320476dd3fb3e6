/* SPDX-License-Identifier: ISC */
/*
 * `kst NAME` runs kst-NAME, `kst help NAME` shows its page, and
 * kst alone draws what reads what.
 */
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/port.h"
#include "opt/opt.h"
#include "io/out.h"
#include "run.h"

/* It stands in kst(7) and the README, too: lint compares them. */
static const char drawing[] =
    "source                            reads it       text\n"
    "\n"
    "a guest in QEMU, a gdb stub       kst-capture    trace\n"
    "a guest in QEMU without KVM       kst-count      folded, exact\n"
    "gdb's own output, eu-stack        as it is       trace\n"
    "OSDK's profile (JSON)             kst-json       trace\n"
    "OpenBSD btrace, bpftrace, DTrace  kst-btrace     folded\n"
    "perf script                       kst-perf       trace, folded\n"
    "logs with backtraces, lldb, crash kst-console    trace\n"
    "pprof, speedscope                 kst-import     folded\n"
    "uftrace, QEMU's uftrace plugin    kst-uftrace    events\n"
    "OSv's strace and trace file       kst-osv        events\n"
    "\n"
    "trace  --> kst-sym --> kst-clean --> kst-fold --> folded\n"
    "events --> kst-span  --> folded, a list, a table\n"
    "folded --> kst-svg   --> a picture\n"
    "       --> kst-diff  --> a difference, a gate\n"
    "       --> kst-top   --> a table, also of a guest while it runs\n"
    "       --> kst-fold  --> a sum; other flame graph tools read it, too\n"
    "trace  --> kst-json  --> OSDK's profile\n"
    "all    --> kst-export --> pprof, speedscope, Perfetto, KCachegrind, Firefox\n"
    "\n"
    "kst-flame: from a guest to its picture, all of this in one command\n"
    "kst-batch: archives of captures through these steps\n";

static const struct opt rows[] = {{0}};

static const struct opt_page page = {.synopsis = "[NAME [argument ...]]",
    .about = "Runs kst-NAME; 'kst help NAME' shows its manual page. Alone, "
	     "draws which command reads what.",
    .rows = rows,
    .examples = "kst\n"
		"kst fold --by cpu capture.txt | kst svg > fg.svg\n"
		"kst help fold\n"};

static bool
is_name(const char *s)
{
	return s[0] != 0 && s[0] != '-' &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyz-") == strlen(s);
}

/*
 * The page's file in the tree that this command was built in or unpacked with;
 * otherwise its name.
 */
static const char *
find_page(const char *name, glob_t *found)
{
	static const char *const places[] = {
	    "../share/man/man*/", "../cmd/*/", "../docs/"};
	const char *own = port_own_folder();
	struct buf b = BUF_INIT;

	for (size_t i = 0; own && i < 3 && found->gl_pathc == 0; i++) {
		b.len = 0;
		buf_printf(&b, "%s/%s%s.[1-8]", own, places[i], name);
		if (glob(buf_str(&b), 0, NULL, found) == 0)
			name = found->gl_pathv[0];
	}
	buf_done(&b);
	return name;
}

/* The page by man(1); where there is none, the command's --help. */
static int
help(const char *name)
{
	struct buf page_name = BUF_INIT;
	char *argv[] = {NULL, (char *)"--help", NULL};
	glob_t found = {0};

	buf_printf(&page_name, "kst%s%s", name ? "-" : "", name ? name : "");
	setenv("KST_PAGE", find_page(buf_str(&page_name), &found), 1);
	buf_done(&page_name);
	globfree(&found);
	if (system("man -w -- \"$KST_PAGE\" >/dev/null 2>&1") == 0) {
		execlp("man", "man", "--", getenv("KST_PAGE"), (char *)NULL);
		msg_errno("man");
		return EXIT_SYSTEM;
	}
	if (name)
		return run(name, argv);
	out_puts(drawing);
	return EXIT_OK;
}

int
main(int argc, char **argv)
{
	int status = EXIT_OK;

	msg_init(argv[0]);
	if (argc > 1 && argv[1][0] == '-' && opt_read(&page, NULL, 2, argv) < 2)
		opt_wrong("unexpected argument '%s'", msg_str(argv[1]));
	if (argc < 2)
		out_puts(drawing);
	else if (!is_name(argv[1]) ||
		 (argc > 2 && strcmp(argv[1], "help") == 0 &&
		     !is_name(argv[2])))
		opt_wrong("'%s' is not the name of a command",
		    msg_str(argv[is_name(argv[1]) ? 2 : 1]));
	else if (strcmp(argv[1], "help") == 0)
		status = help(argv[2]);
	else
		status = run(argv[1], argv + 1);
	return out_close() == 0 ? status : EXIT_SYSTEM;
}
