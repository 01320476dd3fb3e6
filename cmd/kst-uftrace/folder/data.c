/* SPDX-License-Identifier: ISC */
#include "folder/lines.h"
#include "folder/folder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "io/in.h"
#include "base/msg.h"
#include "trace/signs.h"
#include "folder/spec.h"
#include "folder/syms.h"
#include "base/num.h"
#include "base/xalloc.h"

enum {
	HEADER_SIZE = 40,
	DEPTH_MAX = 1024, /* more than that a record does not tell */
	FEAT_SYM_REL_ADDR = 1 << 5,
	VERSION_MIN = 3,
	VERSION_MAX = 4
};

/*
 *      0  "Ftrace!\0"     8  u32 version    12  u16 header size
 *     14  u8 1 little, 2 big    15  u8 1 32-bit, 2 64-bit
 *     16  u64 features  24  u64 info        32  u16 max stack
 */
static int
read_header(struct data *d, struct in *in, uint64_t *max_stack)
{
	const unsigned char *h;
	uint64_t version, size;

	if (in_fill(in, HEADER_SIZE) < HEADER_SIZE ||
	    memcmp(in->p, "Ftrace!", 8) != 0) {
		if (!in_failed(in))
			msg("%s: not a uftrace header", msg_str(in_name(in)));
		return -1;
	}
	h = (const unsigned char *)in->p;
	d->big = h[14] == 2;
	d->lp64 = h[15] != 1;
	version = uint_load(h + 8, 4, d->big);
	size = uint_load(h + 12, 2, d->big);
	if (version < VERSION_MIN || version > VERSION_MAX) {
		msg("%s: version %" PRIu64 " is not supported, only %d to %d",
		    msg_str(in_name(in)), version, VERSION_MIN, VERSION_MAX);
		return -1;
	}
	d->relative = uint_load(h + 16, 8, d->big) & FEAT_SYM_REL_ADDR;
	*max_stack = uint_load(h + 32, 2, d->big);
	if (size < HEADER_SIZE || in_fill(in, size) < size)
		size = HEADER_SIZE;
	in->p += size;
	return 0;
}

static int
read_info(struct data *d)
{
	char *path = lines_path(d->dir, "info");
	const char *line;
	struct in in;
	size_t len;
	uint64_t max_stack = 0;
	int status = 0;

	if (lines_has(d->dir, "info")) {
		in_init_folder(&in, &path, 1, 1 << 14);
		status = read_header(d, &in, &max_stack);
		while (status == 0 && in_next(&in, &line, &len)) {
			specs_line(d->specs, line, len, d->lp64);
			/* QEMU's plugin leaves it empty */
			if (bytes_starts(line, len, "uftrace_version:v"))
				d->depths = max_stack <= DEPTH_MAX;
		}
		d->failed |= in_failed(&in);
		in_done(&in);
	} else {
		msg("%s: the file info is missing, as after a crash of QEMU; "
		    "assuming the layout of QEMU's plugin",
		    msg_str(d->dir));
		d->lp64 = d->relative = true;
	}
	free(path);
	return status;
}

/* `EVENT: ID PROVIDER:NAME` */
static bool
event_line(void *data, char *line)
{
	struct data *d = data;
	struct user_event e;
	int n = 0;

	if (sscanf(line, "EVENT: %" SCNu64 " %n", &e.id, &n) != 1 || !line[n])
		return false;
	e.name = xstrdup(line + n);
	*xpush(d->events, d->n_events, d->cap_events) = e;
	return true;
}

/* Whether it is a folder of uftrace; if not, says what it is. */
static bool
is_folder(const char *dir)
{
	char *operand = (char *)(uintptr_t)dir;
	struct signs begin;
	struct stat st;
	struct in in;
	bool found = stat(dir, &st) == 0;

	if (!found && msg_is_system(errno)) {
		msg_errno("%s", msg_str(dir));
		return false;
	}
	if (found && S_ISDIR(st.st_mode)) {
		if (lines_has(dir, "info") || lines_has(dir, "task.txt"))
			return true;
		msg("%s: not a uftrace folder: neither info nor task.txt is in "
		    "it",
		    msg_str(dir));
		return false;
	}
	in_init_folder(&in, &operand, 1, 1 << 14);
	if (in_fill(&in, 1) > 0) {
		signs_look(&begin, &in);
		signs_say(&begin, "no uftrace data in it");
	} else if (!in_failed(&in)) {
		msg("%s: not a uftrace folder", msg_str(dir));
	}
	in_done(&in);
	return false;
}

int
data_open(struct data *d, const char *dir, struct elfs *elfs)
{
	*d = (struct data){.dir = dir, .specs = specs_new()};
	if (!is_folder(dir) || read_info(d) != 0)
		return -1;
	d->syms = syms_new(dir, d->relative, d->lp64, elfs);
	data_read_tasks(d);
	if (lines_has(dir, "events.txt"))
		d->failed |=
		    !lines_read(dir, "events.txt", event_line, d, NULL, NULL);
	d->failed |= syms_failed(d->syms);
	return 0;
}

void
data_close(struct data *d)
{
	for (size_t i = 0; i < d->n_sessions; i++)
		free(d->sessions[i].exename);
	for (size_t i = 0; i < d->n_events; i++)
		free(d->events[i].name);
	free(d->sessions);
	free(d->tasks);
	free(d->events);
	specs_free(d->specs);
	syms_free(d->syms);
}

const char *
data_event_name(const struct data *d, uint64_t id)
{
	static const char *const known[] = {"read:proc/statm",
	    "read:page-fault", "diff:proc/statm", "diff:page-fault",
	    "read:pmu-cycle", "diff:pmu-cycle", "read:pmu-cache",
	    "diff:pmu-cache", "read:pmu-branch", "diff:pmu-branch", "watch:cpu",
	    "watch:var", "read:callsite"};
	const uint64_t first = 100001;

	for (size_t i = 0; i < d->n_events; i++) {
		if (d->events[i].id == id)
			return d->events[i].name;
	}
	return id - first < sizeof known / sizeof *known ? known[id - first]
							 : NULL;
}
