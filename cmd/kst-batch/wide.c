/* SPDX-License-Identifier: ISC */
/*
 * One packed capture in many pipes: what the unpacker writes is moved on in
 * blocks that end at borders, to one pipe after the other, without being
 * copied; only near the end of a block its lines are looked at. Each pipe has
 * a process that works as if its share was all; the sum is made of what they
 * have folded.
 */
#include <inttypes.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parts.h"
#include "processors.h"
#include "worker.h"
#include "base/xalloc.h"

/* What fits into a pipe, so that the next one is fed while this one works. */
enum { BLOCK = 1 << 20 };

/* A line that is longer is no border. */
enum { WINDOW = 1 << 17 };

/* A pipe, and the process that has its other end. */
struct lane {
	pid_t pid;
	int in;	    /* to write text to */
	int result; /* to read the result from */
	struct buf path;
};

struct spread {
	int from;
	struct lane *v;
	size_t n, at; /* lanes, and which one gets the block */
	enum shape shape;
	struct trace_reader reader;
	char *window;
	uint64_t len;	   /* of the block so far */
	struct buf blocks; /* the lengths of all, as uint64_t */
};

/* Fills the block up. Returns 1, 0 at the end of the text, -1 with errno. */
static int
pour(struct spread *s)
{
	while (s->len < BLOCK) {
		ssize_t n = splice(s->from, NULL, s->v[s->at].in, NULL,
		    (size_t)(BLOCK - s->len), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return (int)n;
		s->len += (uint64_t)n;
	}
	return 1;
}

static void
end_block(struct spread *s)
{
	buf_add(&s->blocks, (const char *)&s->len, sizeof s->len);
	s->len = 0;
	s->at = (s->at + 1) % s->n;
}

static int
put(struct spread *s, size_t n)
{
	s->len += n;
	return file_put(s->v[s->at].in, s->window, n);
}

/* The first border in the window, or where its last line begins. */
static size_t
look(struct spread *s, size_t have, bool *whole, bool *found)
{
	const char *p = s->window, *end = p + have, *nl;

	*found = false;
	while ((nl = memchr(p, '\n', (size_t)(end - p)))) {
		*found =
		    parts_border(&s->reader, s->shape, p, (size_t)(nl - p)) &&
		    *whole;
		if (*found)
			break;
		*whole = true;
		p = nl + 1;
	}
	return (size_t)(p - s->window);
}

/*
 * Reads on to the first border and ends the block there; what was read behind
 * it begins the next one. Returns 1, 0 at the end of the text, -1 with errno.
 */
static int
pass_border(struct spread *s)
{
	size_t have = 0, at;
	bool whole = false, found;

	s->reader.cut.len = 0;
	for (;;) {
		ssize_t n = read(s->from, s->window + have, WINDOW - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return put(s, have) != 0 ? -1 : (int)n;
		have += (size_t)n;
		at = look(s, have, &whole, &found);
		if (at == 0 && have == WINDOW && !found) {
			at = have; /* a line that is too long */
			whole = false;
		}
		if (put(s, at) != 0)
			return -1;
		have -= at;
		memmove(s->window, s->window + at, have);
		if (found) {
			end_block(s);
			return put(s, have) != 0 ? -1 : 1;
		}
	}
}

/* Shares the text out; 0, or -1 with errno. */
static int
spread(struct spread *s)
{
	int more = 1;

	s->window = xmalloc(WINDOW);
	while (more > 0) {
		more = pour(s);
		if (more > 0)
			more = pass_border(s);
	}
	end_block(s);
	free(s->window);
	trace_reader_done(&s->reader);
	return more;
}

/* A process of its own: the share's folded text, and a line of result. */
static _Noreturn void
be_lane(struct worker *w, const struct unit *whole, enum shape shape,
    const struct lane *l, int in, int result)
{
	struct unit u = *whole;
	struct buf line = BUF_INIT;
	bool good;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	u.kind = 'w';
	u.shape = shape;
	u.folded = l->path.p;
	u.svg = "";
	memset(&w->result, 0, sizeof w->result);
	w->messages.len = 0;
	make_share(w, &u, in);
	w->result.id = u.id;
	w->result.host = w->host;
	w->result.messages = buf_str(&w->messages);
	result_write(&line, &w->result);
	good = file_put(result, line.p, line.len) == 0;
	_exit(good ? 0 : 1);
}

/* Starts lane k; those before it are there. */
static int
start_lane(struct worker *w, const struct unit *u, enum shape shape,
    struct lane *v, size_t k, struct share *share)
{
	int in[2], result[2];
	struct lane *l = &v[k];

	buf_printf(&l->path, "%s/parts/%s.%ld.%" PRIu64 ".%zu", w->dir, w->host,
	    (long)getpid(), u->id, k);
	buf_str(&l->path);
	if (pipe2(in, O_CLOEXEC) != 0)
		return -1;
	if (pipe2(result, O_CLOEXEC) != 0) {
		close(in[0]);
		close(in[1]);
		return -1;
	}
	(void)fcntl(in[1], F_SETPIPE_SZ, BLOCK);
	l->pid = fork();
	if (l->pid == 0) {
		for (size_t i = 0; i < k; i++)
			close(v[i].in);
		close(in[1]);
		w->share = share;
		be_lane(w, u, shape, l, in[0], result[1]);
	}
	close(in[0]);
	close(result[1]);
	if (l->pid < 0) {
		close(in[1]);
		close(result[0]);
		return -1;
	}
	l->in = in[1];
	l->result = result[0];
	return 0;
}

/* What a lane has to say becomes the unit's. */
static void
take_result(struct worker *w, const struct unit *u, struct lane *l)
{
	struct buf line = BUF_INIT;
	struct result r;
	ssize_t n;

	do {
		buf_room(&line, 4096);
		n = read(l->result, line.p + line.len, 4096);
		line.len += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	close(l->result);
	while (waitpid(l->pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (line.len == 0 || line.p[line.len - 1] != '\n') {
		say(w, u, RESULT_FAILED, "a share of it has no result");
		buf_done(&line);
		return;
	}
	line.p[line.len - 1] = 0;
	if (result_read(&r, line.p) == 0) {
		buf_adds(&w->messages, r.messages);
		if (w->result.status < r.status)
			w->result.status = r.status;
		w->result.captures += r.captures;
		w->result.stacks += r.stacks;
	}
	buf_done(&line);
}

static void
sum_lanes(struct worker *w, const struct unit *u, enum shape shape,
    const struct spread *s)
{
	struct unit sum = *u;
	struct buf paths = BUF_INIT;

	w->no_stack = w->result.stacks == 0 && w->result.captures == 0;
	judge_empty(w, u);
	sum.plain = shape == SHAPE_TRACE || steps_plain(&w->run.steps);
	for (size_t k = 0; k < s->n; k++)
		buf_add(&paths, s->v[k].path.p, s->v[k].path.len + 1);
	make_sum_of(w, &sum, &paths);
	buf_done(&paths);
}

void
make_wide(struct worker *w, const struct unit *u, enum shape shape,
    struct source *src)
{
	struct spread s = {.from = src->fd, .shape = shape};
	struct buf blocks = BUF_INIT;
	struct share *shares = xcalloc(u->width, sizeof *shares);
	int status = 0;

	s.v = xcalloc(u->width, sizeof *s.v);
	buf_printf(
	    &blocks, "%s/parts/%s.%ld.blocks", w->dir, w->host, (long)getpid());
	processor_free();
	for (size_t k = 0; k < u->width && status == 0; k++) {
		shares[k] = (struct share){
		    .blocks = buf_str(&blocks), .number = k, .of = u->width};
		status = start_lane(w, u, shape, s.v, k, &shares[k]);
		s.n += status == 0;
	}
	/* a lane that has ended says why */
	signal(SIGPIPE, SIG_IGN);
	if (status == 0 && spread(&s) != 0 && errno != EPIPE)
		status = -1;
	if (status == 0)
		status = file_write(blocks.p, s.blocks.p, s.blocks.len);
	if (status != 0)
		say(w, u, RESULT_FAILED, strerror(errno));
	signal(SIGPIPE, SIG_DFL);
	for (size_t k = 0; k < s.n; k++)
		close(s.v[k].in);
	close(src->fd);
	for (size_t k = 0; k < s.n; k++)
		take_result(w, u, &s.v[k]);
	make_close(w, u, src);
	if (w->result.status != RESULT_FAILED)
		sum_lanes(w, u, shape, &s);
	for (size_t k = 0; k < u->width; k++) {
		unlink(buf_str(&s.v[k].path));
		buf_done(&s.v[k].path);
	}
	unlink(blocks.p);
	buf_done(&blocks);
	buf_done(&s.blocks);
	free(s.v);
	free(shares);
}

/* Unpacks the capture once more and counts the lines of all blocks. */
static void
count_lines(struct share *share, const char *path)
{
	struct buf blocks = BUF_INIT;
	struct source src;
	char why[8];

	if (file_read(share->blocks, &blocks) == 0 &&
	    source_open(&src, path, 0, 0) == 0) {
		for (size_t at = 0; at < blocks.len; at += sizeof(uint64_t)) {
			uint64_t n;

			memcpy(&n, blocks.p + at, sizeof n);
			n = source_count(src.fd, n);
			buf_add(&share->lines, (const char *)&n, sizeof n);
		}
		close(src.fd);
		source_close(&src, why, sizeof why);
	}
	buf_done(&blocks);
}

uint64_t
share_line(const struct worker *w, const struct unit *u, uint64_t n)
{
	struct share *share = w->share;
	uint64_t others = 0, mine = 0, lines;

	if (share->lines.len == 0)
		count_lines(share, u->path);
	for (size_t k = 0; k < share->lines.len / sizeof lines; k++) {
		memcpy(&lines, share->lines.p + k * sizeof lines, sizeof lines);
		if (k % share->of != share->number) {
			others += lines;
			continue;
		}
		/* the last block may end with a line without LF */
		if (n <= mine + lines ||
		    (k + 1) * sizeof lines == share->lines.len)
			break;
		mine += lines;
	}
	return n + others;
}
