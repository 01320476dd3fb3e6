/* SPDX-License-Identifier: ISC */
#include "source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/xalloc.h"
#include "colour/colour.h"
#include "frames/name.h"
#include "frames/tree.h"
#include "io/job.h"
#include "set/intern.h"
#include "source/groups.h"

/* Where the names of a tree are from. */
struct sources {
	const struct tree *t;
	struct intern *names; /* those of the tree, without `.part.0` */
	uint32_t *file_of;    /* of these names: numbers in `files`, or none */
	struct intern *files;
};

enum { NONE = UINT32_MAX };

/* A file that names the source of fewer names is of something else. */
static const double KNOWN = 0.25;

/* Without what a compiler has added. */
static size_t
plain_length(const char *name, size_t len)
{
	const char *dot = len > 1 ? memchr(name + 1, '.', len - 1) : NULL;

	return dot ? (size_t)(dot - name) : len;
}

/* kst-sym: what it is asked, and what it says. */
static FILE *ask, *said;
static pid_t reader = -1;
static int worst = EXIT_OK;

pid_t
source_start(const char *elf)
{
	char *argv[] = {(char *)"kst-sym", (char *)"--sources", (char *)"-e",
	    (char *)(uintptr_t)elf, NULL};
	int to[2], from[2];

	worst = EXIT_SYSTEM; /* until it is started */
	if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
		msg_errno("pipe");
		return -1;
	}
	reader = job_start(&(struct job){
	    .argv = argv, .in = to[0], .out = from[1], .stays = true});
	if (reader < 0)
		return -1;
	worst = EXIT_OK;
	close(to[0]);
	close(from[1]);
	ask = fdopen(to[1], "w");
	said = fdopen(from[0], "r");
	return reader;
}

/* Waits for kst-sym, which has said what was wrong. */
static void
end_reader(void)
{
	int status = 0;

	while (waitpid(reader, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		msg("the process that reads ELF files was ended by signal %d",
		    WTERMSIG(status));
	worst = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SYSTEM;
}

int
source_status(int status)
{
	return status > worst ? status : worst;
}

/* A line `NAME<tab>FILE`. */
static void
take(struct sources *s, char *line, size_t len)
{
	char *file = memchr(line, '\t', len);
	uint32_t id;

	if (file == NULL)
		return;
	id = intern_find(s->names, line, (size_t)(file - line));
	len -= (size_t)(++file - line);
	while (len > 2 && file[0] == '.' &&
	       (file[1] == '/' || (file[1] == '.' && file[2] == '/'))) {
		len -= file[1] == '/' ? 2 : 3;
		file += file[1] == '/' ? 2 : 3;
	}
	if (id != UINT32_MAX && len > 0)
		s->file_of[id] = intern_id(s->files, file, len);
}

/* Asks for the files of all names. */
static void
read_files(struct sources *s)
{
	uint32_t n = intern_count(s->names);
	/* kst-sym may have ended, and said why */
	void (*was)(int) = signal(SIGPIPE, SIG_IGN);
	char *line = NULL;
	size_t len, cap = 0;
	ssize_t got;

	for (uint32_t id = 0; id < n; id++) {
		const char *name = intern_str(s->names, id, &len);

		fwrite(name, 1, len, ask);
		putc('\n', ask);
	}
	fclose(ask);
	signal(SIGPIPE, was);
	while ((got = getline(&line, &cap, said)) > 1)
		take(s, line, (size_t)got - 1);
	free(line);
	fclose(said);
	end_reader();
}

/*
 * Gives each name of the tree that no rule knows its group's class. Returns the
 * share of these names that have one.
 */
static double
give_groups(struct colours *c, const struct sources *s)
{
	const struct tree *t = s->t;
	uint32_t n = intern_count(t->names);
	double *width = xcalloc(n + 1, sizeof *width);
	uint32_t all = 0, known = 0;
	struct groups *g = groups_new(s->files);

	for (uint32_t i = 1; i < t->n; i++) {
		size_t len;
		const char *name = intern_str(t->names, t->nodes[i].name, &len);

		if (len == 6 && memcmp(name, "halted", 6) == 0)
			i = t->nodes[i].end - 1; /* it will be narrow */
		else
			width[t->nodes[i].name] += (double)t->nodes[i].total;
	}
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t id = 0; id < n; id++) {
			size_t len;
			const char *name = intern_str(t->names, id, &len);
			uint32_t of = intern_find(
			    s->names, name, plain_length(name, len));

			if (!frame_is_named(name, len) ||
			    palette_kind(c, name, len) != c->other)
				continue;
			of = s->file_of[of];
			all += pass;
			known += pass && of != NONE;
			if (of != NONE && pass == 0)
				groups_add(g, of, width[id]);
			else if (of != NONE)
				groups_name(g, of, c, name, len);
		}
		if (pass == 0)
			groups_end(g, c);
	}
	groups_free(g);
	free(width);
	return all > 0 ? (double)known / all : 0;
}

bool
source_colour(struct colours *c, const struct tree *t)
{
	struct sources s = {
	    .t = t, .names = intern_new(), .files = intern_new()};
	uint32_t n = intern_count(t->names);
	double share;

	if (ask == NULL || said == NULL)
		return false;
	for (uint32_t id = 0; id < n; id++) {
		size_t len;
		const char *name = intern_str(t->names, id, &len);

		intern_id(s.names, name, plain_length(name, len));
	}
	n = intern_count(s.names);
	s.file_of = xreallocn(NULL, n + 1, sizeof *s.file_of);
	memset(s.file_of, 0xff, (n + 1) * sizeof *s.file_of);
	read_files(&s);
	share = give_groups(c, &s);
	intern_free(s.names);
	intern_free(s.files);
	free(s.file_of);
	return share >= KNOWN;
}
