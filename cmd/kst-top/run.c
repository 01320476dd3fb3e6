/* SPDX-License-Identifier: ISC */
#include "top.h"

#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/fault.h"
#include "io/in.h"
#include "io/out.h"
#include "rights/rights.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "names/name.h"
#include "names/demangle.h"
#include "names/rx.h"
#include "opt/guest.h"
#include "palette-rows.h"
#include "profile/profile.h"
#include "profile/table.h"
#include "trace/signs.h"

/* Threads that do nothing while one is in a function, nor did before. */
#define ASLEEP "^\\[asleep since the start\\]$"

/* Whether standard input alone is read, and is a pipe or a terminal's peer. */
static bool
is_pipe(char **operands, int n)
{
	struct stat st;

	return (n == 0 || (n == 1 && strcmp(operands[0], "-") == 0)) &&
	       fstat(STDIN_FILENO, &st) == 0 && !S_ISREG(st.st_mode) &&
	       !isatty(STDIN_FILENO);
}

/* Reads all input; false after messages if something was wrong with it. */
static bool
read_all(struct options *o, struct fold *f, struct live *l, struct in *in)
{
	bool good = true;

	while (in_fill(in, 1)) {
		enum shape shape = o->shape ? o->shape : shape_detect(in);
		struct signs begin;
		uint64_t stacks;

		if (shape == SHAPE_FOLDED && (o->meanwhile.n > 0 || o->state)) {
			msg("%s: folded text does not tell %s the capture",
			    msg_str(in_name(in)),
			    o->state ? "states: give --state"
				     : "which stacks were sampled together: "
				       "give --while");
			in_skip_file(in, in->file_no);
			good = false;
			continue;
		}
		if (shape == SHAPE_FOLDED &&
		    (o->by == BY_CPUS || o->by == BY_STATES)) {
			msg("%s: folded text has no CPUs and states: use --by "
			    "root",
			    msg_str(in_name(in)));
			in_skip_file(in, in->file_no);
			good = false;
			continue;
		}
		if (l && shape == SHAPE_TRACE) { /* for the line of states */
			f->o->n_by = o->view.roots = 2;
			l->has_states = true;
		}
		signs_look(&begin, in);
		stacks = shape == SHAPE_FOLDED ? fold_folded(f, in)
					       : fold_trace(f, in);
		if (stacks == 0 && !(l && l->quit))
			signs_say(&begin, "no stacks found");
		good &= stacks > 0;
	}
	return good;
}

/* The margin of samples cannot cover stacks that are missing. */
static void
say_failed(const struct fold *f)
{
	struct count c;

	if (trailer_count(&f->origin.sum, "failed", &c) && c.whole > 0)
		msg_count(c.whole,
		    "stacks could not be read; the margin of error does "
		    "not cover them");
}

/* Whether a row has a line, if lines are asked for; else after a message. */
static bool
has_lines(const struct rank *r)
{
	size_t len;

	if (r->view->lines == NULL || r->n_rows == 0)
		return true;
	for (size_t i = 0; i < r->n_rows; i++) {
		const char *name = rank_name(r, r->rows[i].name, &len);

		if (name_line(name, len) < len)
			return true;
	}
	msg("no function that matches has a line here: 'kst sym --lines -e "
	    "KERNEL' adds lines to a capture, and 'kst count --lines' counts "
	    "by line");
	return false;
}

/* Says how many samples ASLEEP has left out. */
static void
say_asleep(const struct table *t)
{
	static const char asleep[] = "[asleep since the start]";
	uint64_t all = 0;
	size_t n, len;

	for (uint32_t i = 0; i < table_stacks(t); i++) {
		const uint32_t *names = table_stack(t, i, &n);
		const char *leaf =
		    n > 0 ? table_name_text(t, names[n - 1], &len) : NULL;

		if (leaf && bytes_is(leaf, len, asleep))
			all += table_count(t, i, 0)->whole;
	}
	if (all > 0)
		msg("threads that sleep since the start are left out (samples: "
		    "%" PRIu64 "); --ignore '^$' shows them",
		    all);
}

/* Returns false after a message. */
static bool
show(struct options *o, struct show *s, struct rank *r, struct fold *f)
{
	static void (*const formats[])(const struct show *) = {
	    show_text, show_csv, show_json};
	struct winsize w;
	bool read, lines;

	show_stops(s, f);
	s->skip = s->lines = s->width = 0;
	o->view.keep = o->limit;
	s->eol = "\n";
	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0)
		s->width = w.ws_col;
	rank_make(r, f->table, &o->view);
	read = f->stacks + f->left_out + f->folded_lines > 0;
	if (r->n_groups == 0 && read)
		none_say(o, f->table);
	lines = has_lines(r);
	/* people get no table without rows or lines after a message */
	if (o->format != FORMAT_TEXT || (lines && (r->n_groups > 0 || !read)))
		formats[o->format](s);
	if (strcmp(s->unit, "samples") == 0)
		say_failed(f);
	if (o->no_asleep)
		say_asleep(f->table);
	if (r->too_hard)
		msg_count(r->too_hard,
		    "names on which a pattern takes too many steps");
	return lines;
}

/* A screen gets samples until its user ends it. */
static bool
start_guest(struct guest *g, const struct options *o, bool live)
{
	static const char *const endless[] = {
	    "--samples=18446744073709551615", NULL};

	return guest_start(
	    g, &(struct guest_wish){&o->elf, o->remote, endless + !live, live});
}

/* Shows what was read; false after a message if something was wrong with it. */
static bool
conclude(struct options *o, struct show *s, struct rank *r, struct fold *f)
{
	const char *unit;
	struct count insns;
	bool good;

	fold_finish(f);
	unit = trailer_get(&f->origin.sum, "unit");
	if (unit)
		s->unit = unit;
	if (trailer_count(&f->origin.sum, "instructions", &insns))
		s->millions = count_real(&insns) / 1e6;
	good = !fold_say_wrong(f);
	if (f->folded_lines && f->captures == 0 && f->one_count_lines == 0) {
		msg("the input is differential (two counts on every line): "
		    "kst-diff shows it");
		return false;
	}
	table_seal(f->table);
	return show(o, s, r, f) && good;
}

int
run(struct options *o, char **operands, int n)
{
	struct fold_options fo = {
	    .by = {o->by == BY_STATES ? BY_STATE : BY_CPU, BY_STATE},
	    .n_by = o->by != 0,
	    .places = o->view.lines ? " at " : NULL,
	    .plain = demangle_plain,
	    .state = o->state,
	    .meanwhile = o->meanwhile};
	struct fold f;
	struct rank r = {0};
	struct show s = {.rank = &r, .unit = "samples"};
	struct live l = {.show = &s, .view = &o->view, .rank = &r, .fold = &f};
	struct in in;
	struct guest guest = {0};
	struct buf none = BUF_INIT; /* these patterns have no fault */
	bool live, quit, good = true;

	if ((o->elf.n || o->remote) && !guest_open(&guest))
		return EXIT_SYSTEM;
	o->no_asleep = o->meanwhile.n > 0 && o->view.ignore == NULL;
	if (o->no_asleep)
		o->view.ignore = rx_new(ASLEEP, strlen(ASLEEP), &none);
	fold_init(&f, &fo, table_new());
	in_init(&in, operands, n);
	o->view.keep = o->has_limit ? o->limit : 0; /* a screen scrolls */
	live = o->format == FORMAT_TEXT && is_pipe(operands, n) &&
	       live_begin(&l, &in);
	if (live)
		l.idle.rx = rx_new(IDLE, strlen(IDLE), &none);
	if (o->format == FORMAT_TEXT && out_colour()) {
		s.idle = rx_new(IDLE, strlen(IDLE), &none);
		s.user = rx_new(USER, strlen(USER), &none);
	}
	if (guest.pipe[1])
		good = start_guest(&guest, o, live);
	rights_keep(&(struct rights){.reads = operands,
	    .n_reads = n,
	    .also = live ? RIGHTS_SCREEN : 0,
	    .child = guest.pid});
	f.in.is_part = live; /* the user may end it anywhere */
	good &= read_all(o, &f, live ? &l : NULL, &in);
	quit = l.quit;
	l.quit |= guest.pid && f.captures == 0; /* a message tells why */
	if (live)
		live_end(&l);
	good &= guest_end(&guest, quit);
	good &= conclude(o, &s, &r, &f);
	good &= !in_failed(&in);
	in_done(&in);
	rx_free(s.idle);
	rx_free(s.user);
	table_free(f.table);
	fold_done(&f);
	rank_done(&r);
	return good ? EXIT_OK : EXIT_FAILED;
}
