/* SPDX-License-Identifier: ISC */
#include "opt/opt.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "unit.h"

#define COLOURS(X) X(RED, "red") X(GREEN, "green")
enum colour { COLOUR_NONE = 2, COLOURS(OPT_ID) };

struct options {
	bool flag, check, numbered;
	enum colour colour, set;
	const char *text, *word;
	uint64_t number, seconds, size, address, length;
	double real;
	struct opt_list list;
};

static int
length_option(void *field, const char *arg, struct buf *err)
{
	*(uint64_t *)field = strlen(arg);
	buf_adds(err, "is too long");
	return strlen(arg) > 3 ? -1 : 0;
}

static const struct opt rows[] = {{.help = "First"},
    {'f', "flag", NULL, "a flag", OPT_FLAG(flag)},
    {0, "no-check", NULL, "no check", OPT_UNSET(check)},
    {0, "green", NULL, "as --colour green", OPT_SET(set, GREEN)},
    {'c', "colour", "NAME", "a colour", OPT_CHOICE(colour, COLOURS)},
    {'t', "text", "TEXT",
	"a text whose description is far too long for one line of eighty bytes",
	OPT_TEXT(text)},
    {0, "word", "WORD", "one word", OPT_WORD(word, "one two three")},
    {.help = "Second"},
    {'n', "number", "N", "a number", OPT_NUMBER(number, 2, 9),
	OPT_GIVEN(numbered)},
    {0, "seconds", "SEC", "a time", OPT_SECONDS(seconds, 1)},
    {0, "size", "SIZE", "a size", OPT_SIZE(size, 0, 1 << 20)},
    {0, "address", "A", "an address", OPT_ADDRESS(address)},
    {0, "real", "N", "a fraction", OPT_REAL(real, 1, 100)},
    {0, "add", "[ARGS]", "with an argument or without", OPT_LIST(list)},
    {'l', "length-of-something", "TEXT", "a call",
	OPT_CALL(length, length_option)},
    {0, "hidden", NULL, NULL, OPT_FLAG(flag)}, {0}};

static const struct opt_page page = {.synopsis = "[options]",
    .about = "Tests.",
    .rows = rows,
    .examples = "unit --flag\n"};

static const struct options defaults = {.check = true,
    .colour = RED,
    .word = "two",
    .seconds = 1500000000,
    .size = 256 << 10,
    .address = 0xff00,
    .real = 2.5};

/* Splits the line at blanks; *o gets the defaults and what the line says. */
static int
parse(struct options *o, const char *line)
{
	static char text[200], *argv[20];
	int argc = 1;

	argv[0] = "unit";
	snprintf(text, sizeof text, "%s", line);
	for (char *w = strtok(text, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	*o = defaults;
	return argc - opt_read(&page, o, argc, argv);
}

/* What the command prints for the line before it ends with the status. */
static void
check_ends(const char *line, int status, const char *want)
{
	char got[4000];
	size_t len = 0;
	ssize_t n;
	int fd[2], st;
	pid_t pid;

	fflush(stdout);
	CHECK(pipe(fd) == 0);
	pid = fork();
	if (pid == 0) {
		struct options o;

		dup2(fd[1], 1);
		dup2(fd[1], 2);
		parse(&o, line);
		_exit(99);
	}
	close(fd[1]);
	while ((n = read(fd[0], got + len, sizeof got - len)) > 0)
		len += (size_t)n;
	close(fd[0]);
	waitpid(pid, &st, 0);
	CHECK(WIFEXITED(st) && WEXITSTATUS(st) == status);
	CHECK_TEXT(got, len, want);
}

/* `what` is the message; the pointer to --help follows. */
static void
check_wrong(const char *line, const char *what)
{
	char want[400];

	snprintf(
	    want, sizeof want, "unit: %s\nunit: try 'unit --help'\n", what);
	check_ends(line, 2, want);
}

static void
check_values(void)
{
	struct options o;

	CHECK(parse(&o, "") == 0);
	CHECK(memcmp(&o, &defaults, sizeof o) == 0);
	CHECK(parse(&o, "a -f --no-check b --green -- --flag") == 3);
	CHECK(o.flag && !o.check && o.set == GREEN);
}

static void
check_numbers(void)
{
	struct options o;

	parse(&o, "-n 9 --seconds .25 --size 3k --address 0xFFFFffff80000000");
	CHECK(o.number == 9 && o.numbered && o.seconds == 250000000 &&
	      o.size == 3072);
	CHECK(o.address == 0xffffffff80000000);
	parse(&o, "--address 12 --real 99.5 --colour green --word three");
	CHECK(!o.numbered && o.address == 12 && o.real == 99.5 &&
	      o.colour == GREEN);
	CHECK_TEXT(o.word, strlen(o.word), "three");
	parse(&o, "-labc -t x --text=");
	CHECK(o.length == 3 && o.text[0] == 0);
}

static void
check_list(void)
{
	struct options o;

	parse(&o, "--add --add=-x --flag --add=");
	CHECK(o.flag && o.list.n == 3);
	CHECK_TEXT(o.list.use[0].name, strlen(o.list.use[0].name), "add");
	CHECK_TEXT(o.list.use[0].arg, strlen(o.list.use[0].arg), "");
	CHECK_TEXT(o.list.use[1].arg, strlen(o.list.use[1].arg), "-x");
	opt_list_done(&o.list);
	CHECK(o.list.n == 0);
}

static void
check_faults(void)
{
	check_wrong("--none=3 x", "unknown option '--none'");
	check_wrong("-fx", "unknown option '-x'");
	check_wrong("-\303\244", "unknown option '-?'");
	check_wrong("--s", "'--s' is ambiguous: --seconds, --size");
	check_wrong("--flag=1", "--flag takes no argument");
	check_wrong("-f -n", "--number needs an argument: N");
	check_wrong("--text", "--text needs an argument: TEXT");
	check_wrong("-n 1", "--number must be at least 2");
	check_wrong("-n 10", "--number must be at most 9");
	check_wrong("-n 5x", "--number: '5x' is not a whole number");
	check_wrong("--seconds 0", "--seconds must be greater than 0");
	check_wrong(
	    "--seconds 1e3", "--seconds: '1e3' is not a number of seconds");
	check_wrong("--size 2M", "--size must be at most 1M");
	check_wrong(
	    "--size 2X", "--size: '2X' is not a size such as 64k or 2G");
	check_wrong("--address 0x",
	    "--address: '0x' is not an address such as 0xffff8000");
	check_wrong("--real .5", "--real must be greater than 0");
	check_wrong("--real x", "--real: 'x' is not a number");
	check_wrong("-c blue", "--colour: 'blue' is not red or green");
	check_wrong("--word On", "--word: 'On' is not one, two or three");
	check_wrong("-l long", "--length-of-something: 'long' is too long");
	check_wrong("-n 1 --none", "unknown option '--none'");
	check_wrong("--help=me", "--help: 'me' is not rows");
}

static const char help[] =
    "usage: unit [options]\n"
    "Tests.\n"
    "\n"
    "First:\n"
    "  -f, --flag         a flag\n"
    "      --no-check     no check\n"
    "      --green        as --colour green\n"
    "  -c, --colour NAME  a colour: red or green [red]\n"
    "  -t, --text TEXT    a text whose description is far too long for one "
    "line of\n"
    "                     eighty bytes\n"
    "      --word WORD    one word: one, two or three [two]\n"
    "\n"
    "Second:\n"
    "  -n, --number N     a number\n"
    "      --seconds SEC  a time [1.5]\n"
    "      --size SIZE    a size [256k]\n"
    "      --address A    an address [0xff00]\n"
    "      --real N       a fraction [2.5]\n"
    "      --add[=ARGS]   with an argument or without\n"
    "  -l, --length-of-something TEXT\n"
    "                     a call\n"
    "  -h, --help         print this help\n"
    "  -V, --version      print the version\n"
    "\n"
    "Examples:\n"
    "  unit --flag\n";

static const char data[] =
    "f\tflag\t\t\ta flag\n-\tno-check\t\t\tno check\n"
    "-\tgreen\t\t\tas --colour green\n"
    "c\tcolour\tNAME\tred green\ta colour\n"
    "t\ttext\tTEXT\t\ta text whose description is far too long for one line "
    "of eighty bytes\n"
    "-\tword\tWORD\tone two three\tone word\n"
    "n\tnumber\tN\t\ta number\n"
    "-\tseconds\tSEC\t\ta time\n-\tsize\tSIZE\t\ta size\n"
    "-\taddress\tA\t\tan address\n-\treal\tN\t\ta fraction\n"
    "-\tadd\t[ARGS]\t\twith an argument or without\n"
    "l\tlength-of-something\tTEXT\t\ta call\n";

int
main(void)
{
	msg_init("unit");
	check_values();
	check_numbers();
	check_list();
	check_faults();
	check_ends("-h", 0, help);
	/* the defaults, not what the other options say */
	check_ends("-c green --size 0 -n 1 --help", 0, help);
	check_ends("--help=rows", 0, data);
	check_ends("-V", 0, "unit " KST_VERSION "\n");
	return unit_end();
}
