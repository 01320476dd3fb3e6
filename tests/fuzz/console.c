/* SPDX-License-Identifier: ISC */
/* A log, by rules that use each word. */
#include <stdlib.h>

#include "../../cmd/kst-console/console.h"
#include "fuzz.h"
#include "names/rulefile.h"
#include "names/rules.h"
#include "trace/signs.h"

static const char prefix_rules[] =
    "rename ^\\[(\\d+\\.\\d+)\\](?:\\[([TC])(\\d+)\\])?\\s?"
    " [kst-line cpu=$2 tid=$3 time=$1]\n";
static const char log_rules[] =
    "rename ^CPU:\\s(\\d+)\\sPID:\\s(\\S+).* [kst-about cpu=$1 comm=\"$2\"]\n"
    "rename ^Call\\sTrace:(.*) [kst-begin tid=$1]\n"
    "rename ^\\s(\\?\\s)?(\\S+)\\+0x([0-9a-f]+)(?:\\s\\[(\\w+)\\])?$ "
    "[kst-frame unsure=\"$1\" module=$4 address=$3 name=\"$2\"]\n"
    "rename (?:^|\\G(?!^))0x([0-9a-f]+)\\s* [kst-frame address=$1]\n"
    "rename ^RIP:\\s(\\S+) [kst-leaf name=\"$1\"]\n"
    "rename ^\\s+at\\s(\\S+) [kst-more source=$1]\n"
    "rename ^\\s*<\\w+>$ [kst-inside]\n"
    "rename ^---.* [kst-end]\n"
    "rename ^Process\\s.* [kst-ignore]\n";

static struct rules *
make(const char *text)
{
	struct rules *r = rules_new();

	if (rules_add_text(r, "fuzz", text, strlen(text), NULL) != 0)
		abort();
	return r;
}

static void
free_texts(struct stream *s)
{
	buf_done(&s->about);
	buf_done(&s->frame);
	buf_done(&s->text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct format formats[2] = {
	    {.name = (char *)"a"}, {.name = (char *)"b"}};
	static struct rules *prefix;
	struct console *c = xcalloc(1, sizeof *c);

	fuzz_quiet();
	if (prefix == NULL) { /* compiling takes longer than an input */
		prefix = make(prefix_rules);
		formats[0].rules = make(log_rules);
		formats[1].rules =
		    make("rename ^b.* [kst-begin]\n"
			 "rename ^(?:Call\\sTrace|RIP):.* [kst-begin]\n"
			 "rename ^Process\\s.* [kst-ignore]\n"
			 "rename ^---.* [kst-end]\n"
			 "rename ^\\sb(\\S*) [kst-frame name=\"$1\"]\n");
	}
	c->prefix = prefix;
	c->formats = formats;
	c->n = 1 + (size & 1);
	c->named = size & 2;
	c->unsure = size & 4;
	fuzz_in_init(&c->in, data, size);
	signs_files(&c->in, log_read, c);
	fuzz_drop_output();
	in_done(&c->in);
	for (int i = 0; i < STREAMS_MAX; i++) {
		struct stream *s = &c->streams[i];

		for (size_t k = 0; k < s->cap_tries; k++)
			free_texts(&s->tries[k]);
		free_texts(s);
		free(s->tries);
	}
	trace_reader_done(&c->reader);
	buf_done(&c->time);
	buf_done(&c->line);
	buf_done(&c->text);
	buf_done(&c->head);
	free(c);
	return 0;
}
