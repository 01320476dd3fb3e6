/* SPDX-License-Identifier: ISC */
/*
 * `kst NAME` runs kst-NAME, `kst help NAME` shows its page, and
 * kst alone draws what reads what.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/port.h"
#include "opt/opt.h"
#include "io/out.h"

static const char drawing[] =
#include "drawing.h"
    ;

static const struct opt rows[] = {{0}};

static const struct opt_page page = {.synopsis = "[NAME [argument ...]]",
    .about = "Runs kst-NAME; 'kst help NAME' shows its manual page. Without a "
	     "name, prints what each command reads and writes.",
    .rows = rows,
    .examples = "kst\n"
		"kst fold --by cpu capture.txt | kst svg > fg.svg\n"
		"kst help fold\n"};

/* NAME of kst-NAME or NAME. */
static const char *
take_name(const char *s)
{
	if (s[0] == 0 || s[0] == '-' ||
	    strspn(s, "abcdefghijklmnopqrstuvwxyz-") < strlen(s))
		opt_wrong("'%s' is not the name of a command", msg_str(s));
	return strncmp(s, "kst-", 4) == 0 ? s + 4 : s;
}

/* Names the commands of this folder that it may be. */
static _Noreturn void
unknown(const char *name, const char *folder)
{
	struct buf near = BUF_INIT;
	struct dirent **all;
	int n = scandir(folder, &all, NULL, alphasort);

	for (int i = 0; i < n; i++)
		if (strncmp(all[i]->d_name, "kst-", 4) == 0 &&
		    opt_near(name, strlen(name), all[i]->d_name + 4))
			buf_printf(&near, "%s%s",
			    near.len ? ", " : "; did you mean ",
			    all[i]->d_name + 4);
	opt_wrong("unknown command '%s'%s%s", msg_str(name), buf_str(&near),
	    near.len ? "?" : "");
}

/* Becomes kst-NAME; a command beside this one comes before those on PATH. */
static int
run(const char *name, char **argv)
{
	const char *folder = port_own_folder();
	struct buf command = BUF_INIT;

	buf_printf(&command, "kst-%s", name);
	argv[0] = buf_str(&command);
	port_exec(argv);
	if (errno == ENOENT)
		unknown(name, folder ? folder : ".");
	msg_errno("%s", argv[0]);
	return EXIT_SYSTEM;
}

/*
 * The page of the tree that this command was built or unpacked in, else of
 * those that are installed, else the command's --help.
 */
static int
help(const char *name)
{
	static const char show[] =
	    "for page in \"$KST_OWN\"/../share/man/man?/\"$KST_PAGE\".$KST_IN "
	    "\"$KST_OWN\"/../cmd/*/\"$KST_PAGE\".$KST_IN "
	    "\"$KST_OWN\"/../docs/\"$KST_PAGE\".$KST_IN \"$KST_PAGE\"; do "
	    "man -w -- \"$page\" >/dev/null 2>&1 && exec man -- \"$page\"; "
	    "done; exit 99";
	const char *own = port_own_folder();
	char *argv[] = {NULL, (char *)"--help", NULL};
	struct buf page_name = BUF_INIT;
	int status;

	buf_printf(&page_name, "kst%s%s", name ? "-" : "", name ? name : "");
	setenv("KST_OWN", own ? own : "", 1);
	setenv("KST_PAGE", buf_str(&page_name), 1);
	setenv("KST_IN", name ? "?" : "7", 1); /* kst(1) is another page */
	buf_done(&page_name);
	status = system(show);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 99)
		return status ? EXIT_SYSTEM : EXIT_OK;
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
	else if (strcmp(argv[1], "help") == 0)
		status = help(argc > 2 ? take_name(argv[2]) : NULL);
	else
		status = run(take_name(argv[1]), argv + 1);
	return out_close() == 0 ? status : EXIT_SYSTEM;
}
