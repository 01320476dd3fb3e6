/* SPDX-License-Identifier: ISC */
#include "sides/side.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sides/open.h"
#include "sides/profile.h"
#include "base/buf.h"
#include "io/fault.h"
#include "io/in.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "profile/profile.h"
#include "profile/table.h"
#include "trace/signs.h"

static void
add_file(struct side *s, const char *path)
{
	s->files = xreallocn(s->files, s->n + 1, sizeof *s->files);
	s->files[s->n++] = xstrdup(path);
}

/* Files by name, without hidden ones. */
static int
find_in_folder(struct side *s, const char *path)
{
	struct dirent **list;
	struct buf b = BUF_INIT;
	struct stat st;
	int n = scandir(path, &list, NULL, alphasort);

	if (n < 0) {
		msg_errno("%s", msg_str(path));
		return -1;
	}
	for (int i = 0; i < n; i++) {
		b.len = 0;
		buf_printf(&b, "%s/%s", path, list[i]->d_name);
		/* where stat() fails, open() says why */
		if (list[i]->d_name[0] != '.' &&
		    (stat(buf_str(&b), &st) != 0 || S_ISREG(st.st_mode)))
			add_file(s, b.p);
		free(list[i]);
	}
	free(list);
	buf_done(&b);
	if (s->n > 0)
		return 0;
	msg("%s: no files found in this folder", msg_str(path));
	return -1;
}

int
side_find(struct side *s, const char *operand)
{
	struct stat st;

	s->name = operand;
	if (strcmp(operand, "-") != 0 && stat(operand, &st) != 0) {
		msg_errno("%s", msg_str(operand));
		return -1;
	}
	if (strcmp(operand, "-") != 0 && S_ISDIR(st.st_mode))
		return find_in_folder(s, operand);
	add_file(s, operand);
	return 0;
}

void
side_done(struct side *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->files[i]);
	free(s->files);
}

/* Takes the unit of a file's trailer; all files must have the same. */
static bool
take_unit(struct side *s, const struct trailer *t, const char *path)
{
	const char *unit = trailer_get(t, "unit"),
		   *reproducible = trailer_get(t, "reproducible");

	if (trailer_mixed(t)) {
		msg("%s has counts of different units", msg_str(path));
		return false;
	}
	if (unit == NULL)
		unit = "samples";
	if (s->has_unit && strcmp(s->unit, unit) != 0) {
		msg("%s counts %s, but the files before it count %s",
		    msg_str(path), msg_str(unit), msg_str(s->unit));
		return false;
	}
	s->has_unit = true;
	s->exact = trailer_get(t, "exact") != NULL;
	s->reproducible = !reproducible || strcmp(reproducible, "0") != 0;
	snprintf(s->unit, sizeof s->unit, "%s", unit);
	return true;
}

/* How long a capture took; 0: not known. */
static double
seconds_of(const struct trailer *t)
{
	struct count begin, end;

	if (trailer_count(t, "seconds", &end))
		return count_real(&end);
	if (trailer_count(t, "begin", &begin) && trailer_count(t, "end", &end))
		return count_real(&end) - count_real(&begin);
	return 0;
}

/* Reads one file; *differential: whether every line had two counts. */
static bool
read_file(struct side *s, struct profile *p, int which, size_t i,
    const struct side_options *o, bool *differential)
{
	const char *path = s->files[i];
	const bool is_stdin = strcmp(path, "-") == 0;
	struct fold_options fo = {.by = {BY_CPU}, .n_by = o->by_cpu};
	struct fold f;
	struct in in;
	int fd = is_stdin ? STDIN_FILENO : open_next(s->number, i);
	bool good;

	*differential = false;
	if (fd < 0)
		return false;
	in_init_fd(&in, fd, is_stdin ? "stdin" : path);
	fold_init(&f, &fo, p->table);
	if (s->number > 1)
		profile_calls(p, which);
	else if (which >= 0 && o->only_fold)
		table_watch(p->table, which, NULL, NULL);
	else if (which >= 0)
		profile_begin(p, which, o->by_file ? NULL : &f.capture);
	good = in_fill(&in, 1) > 0;
	if (!good)
		msg("%s: empty", msg_str(in_name(&in)));
	good &= shape_read(&in, o->shape, fold_trace, fold_folded, &f);
	s->n_trace += f.captures > 0;
	*differential = f.folded_lines && f.one_count_lines == 0;
	if (which >= 0 && s->number < 2 && !o->only_fold)
		profile_end_part(p);
	good &= fault_sum(f.faults, FAULT_MAX) == 0 && !in_failed(&in) &&
		fault_sum(&f.in.cut, 1) == 0;
	good &= take_unit(s, &f.origin.sum, path);
	s->captures += f.captures;
	s->seconds += seconds_of(&f.origin.sum);
	in_done(&in);
	fold_done(&f);
	return (is_stdin || open_end(path)) && good;
}

bool
side_read(
    struct side *s, struct profile *p, int which, const struct side_options *o)
{
	bool good = true, differential;

	for (size_t i = 0; i < s->n; i++) {
		good &= read_file(s, p, which, i, o, &differential);
		if (differential) {
			msg("%s is differential (two counts on every line): "
			    "give it as the only operand",
			    msg_str(s->files[i]));
			s->differential = true;
		}
	}
	return good;
}

bool
side_read_both(
    struct side s[2], struct profile *p, const struct side_options *o)
{
	bool differential, good = read_file(&s[0], p, -1, 0, o, &differential);

	if (!differential || table_split(p->table) != 0) {
		if (table_stacks(p->table))
			msg("%s is not differential (two counts on every "
			    "line): give a second file",
			    msg_str(s[0].name));
		return false;
	}
	if (p->table->overflows) {
		msg("%s: sums of the counts before exceed 64 bits",
		    msg_str(s[0].name));
		good = false;
	}
	s[1].has_unit = s[0].has_unit;
	memcpy(s[1].unit, s[0].unit, sizeof s[1].unit);
	s[1].n = 1;
	s[1].files = xcalloc(1, sizeof *s[1].files);
	if (!o->only_fold)
		profile_from_table(p);
	return good;
}
