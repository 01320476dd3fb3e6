/* SPDX-License-Identifier: ISC */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/count.h"

/* Blocks between looks at the log; so two runs look at the same ones. */
enum { LOOK_BLOCKS = 1024 };

const char *const count_units[] = {
    "instructions", "calls", "reads", "writes", "blocks", NULL};

static bool
read_number(uint64_t *n, const char *s)
{
	char *end;

	*n = strtoull(s, &end, 0);
	return *s && *end == 0;
}

static bool
read_moment(struct moment *m, const char *s)
{
	m->given = true;
	if (strncmp(s, "line:", 5) != 0)
		return read_number(&m->addr, s);
	m->line = s + 5;
	return *m->line;
}

static bool
read_what(struct options *o, const char *s)
{
	for (int i = 0; count_units[i]; i++)
		if (strcmp(s, count_units[i]) == 0) {
			o->what = (enum count_what)i;
			return true;
		}
	return false;
}

static bool
read_word(struct options *o, const char *word)
{
	const struct {
		const char *key;
		uint64_t *number;
		const char **text;
	} all[] = {{"in=", &o->in, NULL}, {"low=", &o->low, NULL},
	    {"high=", &o->high, NULL}, {"limit=", &o->limit, NULL},
	    {"every=", &o->every, NULL}, {"out=", NULL, &o->out},
	    {"serial=", NULL, &o->serial}};
	const char *value = strchr(word, '=');

	if (value++ == NULL)
		return false;
	if (strncmp(word, "what=", 5) == 0)
		return read_what(o, value);
	if (strncmp(word, "from=", 5) == 0)
		return read_moment(&o->from, value);
	if (strncmp(word, "until=", 6) == 0)
		return read_moment(&o->until, value);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strncmp(word, all[i].key, strlen(all[i].key)) == 0) {
			if (all[i].number)
				return read_number(all[i].number, value);
			*all[i].text = value;
			return *value;
		}
	return false;
}

int
options_take(struct options *o, int argc, char **argv)
{
	*o = (struct options){.high = UINT64_MAX};
	for (int i = 0; i < argc; i++)
		if (!read_word(o, argv[i])) {
			say("unknown option of the plugin: '%s'", argv[i]);
			return -1;
		}
	if (o->out == NULL)
		say("the plugin requires out=FILE");
	return o->out ? 0 : -1;
}

/* What the range waits for. */
static const struct moment *
awaited(const struct range *r)
{
	return r->begun ? &r->o->until : &r->o->from;
}

static void
meet(struct range *r)
{
	r->ended = r->begun;
	r->begun = true;
}

static void
take_line(struct range *r)
{
	const struct moment *m = awaited(r);

	r->line[r->len] = 0;
	if (m->line && strstr(r->line, m->line)) {
		meet(r);
		r->len = 0;
	}
}

/* Takes what the guest has written since the last look. */
static void
look_at_log(struct range *r)
{
	char text[4096];
	ssize_t n;

	if (r->log < 0 && r->o->serial)
		r->log = open(r->o->serial, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	while (r->log >= 0 && (n = read(r->log, text, sizeof text)) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (text[i] == '\n' || r->len + 1 == sizeof r->line) {
				take_line(r);
				r->len = 0;
			} else if (text[i]) {
				r->line[r->len++] = text[i];
			}
		}
	take_line(r); /* it may be a prompt */
}

bool
range_look(struct range *r, uint64_t pc)
{
	const struct moment *m = awaited(r);

	if (m->line == NULL && m->given && m->addr == pc)
		meet(r);
	else if (m->line && ++r->blocks % LOOK_BLOCKS == 0)
		look_at_log(r);
	return r->begun && !r->ended;
}
