/* SPDX-License-Identifier: ISC */
#include "tracks.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "set/intern.h"
#include "base/num.h"
#include "base/xalloc.h"

/* OSv's error numbers, those of Linux on x86-64, which the host's may not be.
 */
static const char *const errors[] = {NULL, "EPERM", "ENOENT", "ESRCH", "EINTR",
    "EIO", "ENXIO", "E2BIG", "ENOEXEC", "EBADF", "ECHILD", "EAGAIN", "ENOMEM",
    "EACCES", "EFAULT", "ENOTBLK", "EBUSY", "EEXIST", "EXDEV", "ENODEV",
    "ENOTDIR", "EISDIR", "EINVAL", "ENFILE", "EMFILE", "ENOTTY", "ETXTBSY",
    "EFBIG", "ENOSPC", "ESPIPE", "EROFS", "EMLINK", "EPIPE", "EDOM", "ERANGE",
    "EDEADLK", "ENAMETOOLONG", "ENOLCK", "ENOSYS", "ENOTEMPTY", "ELOOP", NULL,
    "ENOMSG", "EIDRM", "ECHRNG", "EL2NSYNC", "EL3HLT", "EL3RST", "ELNRNG",
    "EUNATCH", "ENOCSI", "EL2HLT", "EBADE", "EBADR", "EXFULL", "ENOANO",
    "EBADRQC", "EBADSLT", NULL, "EBFONT", "ENOSTR", "ENODATA", "ETIME", "ENOSR",
    "ENONET", "ENOPKG", "EREMOTE", "ENOLINK", "EADV", "ESRMNT", "ECOMM",
    "EPROTO", "EMULTIHOP", "EDOTDOT", "EBADMSG", "EOVERFLOW", "ENOTUNIQ",
    "EBADFD", "EREMCHG", "ELIBACC", "ELIBBAD", "ELIBSCN", "ELIBMAX", "ELIBEXEC",
    "EILSEQ", "ERESTART", "ESTRPIPE", "EUSERS", "ENOTSOCK", "EDESTADDRREQ",
    "EMSGSIZE", "EPROTOTYPE", "ENOPROTOOPT", "EPROTONOSUPPORT",
    "ESOCKTNOSUPPORT", "EOPNOTSUPP", "EPFNOSUPPORT", "EAFNOSUPPORT",
    "EADDRINUSE", "EADDRNOTAVAIL", "ENETDOWN", "ENETUNREACH", "ENETRESET",
    "ECONNABORTED", "ECONNRESET", "ENOBUFS", "EISCONN", "ENOTCONN", "ESHUTDOWN",
    "ETOOMANYREFS", "ETIMEDOUT", "ECONNREFUSED", "EHOSTDOWN", "EHOSTUNREACH",
    "EALREADY", "EINPROGRESS", "ESTALE", "EUCLEAN", "ENOTNAM", "ENAVAIL",
    "EISNAM", "EREMOTEIO", "EDQUOT", "ENOMEDIUM", "EMEDIUMTYPE", "ECANCELED",
    "ENOKEY", "EKEYEXPIRED", "EKEYREVOKED", "EKEYREJECTED", "EOWNERDEAD",
    "ENOTRECOVERABLE", "ERFKILL"};

/* `ENOENT` for 2; NULL when the number has no name. */
static const char *
errname(uint64_t number)
{
	return number < sizeof errors / sizeof *errors ? errors[number] : NULL;
}

/* Threads beyond so many share the name `??`. */
enum { IDS_MAX = 1 << 18 };

void
threads_init(struct osv_threads *t, const struct emit_options *opt,
    const struct tps *tps, struct emit_counts *n)
{
	*t = (struct osv_threads){.opt = opt, .tps = tps, .n = n};
	t->ids = intern_new();
}

void
threads_done(struct osv_threads *t)
{
	for (uint32_t i = 0; i < t->n_tracks; i++) {
		free(t->tracks[i].label);
		free(t->tracks[i].open);
	}
	free(t->tracks);
	free(t->threads);
	free(t->waits.v);
	free(t->waits.cpus);
	intern_free(t->ids);
	buf_done(&t->args);
	buf_done(&t->text);
}

/* `NAME`, or `NAME#2` for the second of that name. */
static void
set_label(struct osv_threads *t, struct osv_track *tr, uint32_t thread)
{
	struct osv_thread *bare = &t->threads[t->threads[thread].name];
	size_t len;
	const char *name = intern_str(t->ids, t->threads[thread].name, &len);

	t->args.len = 0;
	event_escape(&t->args, name, len);
	if (++bare->n_alike > 1)
		buf_printf(&t->args, "#%u", bare->n_alike);
	tr->label = xmemdup0(t->args.p, t->args.len);
	tr->label_len = t->args.len;
}

uint32_t
track_new(struct osv_threads *t, uint32_t thread)
{
	struct osv_track *tr = xpush(t->tracks, t->n_tracks, t->cap_tracks);
	uint32_t *link = &t->threads[thread].first;

	*tr = (struct osv_track){.next = NONE};
	while (*link != NONE)
		link = &t->tracks[*link].next;
	*link = t->n_tracks - 1;
	t->threads[thread].n_tracks++;
	set_label(t, tr, thread);
	return t->n_tracks - 1;
}

static uint32_t
thread_add(struct osv_threads *t, struct piece id)
{
	uint32_t n = intern_id(t->ids, id.p, id.len);

	if (n == t->n_threads)
		*xpush(t->threads, t->n_threads, t->cap_threads) =
		    (struct osv_thread){.name = n, .first = NONE};
	return n;
}

uint32_t
threads_id(struct osv_threads *t, struct piece name, uint64_t ptr)
{
	uint32_t n, bare;

	t->text.len = 0;
	buf_add(&t->text, name.p, name.len);
	if (ptr != 0) {
		buf_addc(&t->text, 0);
		buf_add(&t->text, (const char *)&ptr, sizeof ptr);
	}
	n = intern_find(t->ids, t->text.p, t->text.len);
	if (n != UINT32_MAX)
		return n;
	if (intern_count(t->ids) >= IDS_MAX) {
		t->n->too_many++;
		return thread_add(t, (struct piece){"??", 2});
	}
	bare = thread_add(t, name);
	n = thread_add(t, (struct piece){t->text.p, t->text.len});
	t->threads[n].name = bare;
	return n;
}

/* Writing ------------------------------------------------------------------ */

void
track_put(struct osv_threads *t, struct osv_track *tr, uint64_t time,
    enum event_kind kind, struct piece name, const struct event_args *args)
{
	struct event e = {.time = time,
	    .kind = kind,
	    .track = tr->label,
	    .track_len = tr->label_len,
	    .name = name.p,
	    .name_len = name.len};
	struct event_args a = args ? *args : (struct event_args){0};

	if (e.time < tr->last) {
		e.time = tr->last;
		a.repaired = true;
		t->n->backwards++;
	}
	tr->last = e.time;
	t->args.len = 0;
	event_add_args(&t->args, &a);
	e.args = t->args.p;
	e.args_len = t->args.len;
	event_put(&e);
}

/* A call's record, `-1 <= "path" 00`: the result and its arguments. */
static bool
returns_below_0(const char *args, size_t len)
{
	size_t n = 1;

	while (n < len && args[n] >= '0' && args[n] <= '9')
		n++;
	return n > 1 && args[0] == '-' &&
	       bytes_starts(args + n, len - n, " <=");
}

void
track_put_in(struct osv_threads *t, struct osv_track *tr,
    const struct osv_record *r, enum event_kind kind)
{
	const struct tp *tp = &t->tps->tp[r->tp];
	struct event_args a = {.text = r->args.p, .len = r->args.len};

	if (tp_is_syscall(tp) && returns_below_0(r->args.p, r->args.len))
		a.mark = EVENT_ERROR;
	if (!t->opt->no_cpu) {
		char num[24];

		t->text.len = 0;
		buf_adds(&t->text, "cpu=");
		buf_add(&t->text, num, event_u64(num, r->cpu));
		if (r->args.len) {
			buf_addc(&t->text, ' ');
			buf_add(&t->text, r->args.p, r->args.len);
		}
		a.text = t->text.p;
		a.len = t->text.len;
	}
	track_put(t, tr, r->time, kind, tp->name, &a);
}

void
track_put_end(
    struct osv_threads *t, struct osv_track *tr, const struct osv_record *r)
{
	const struct tp *tp = &t->tps->tp[r->tp];
	struct event_args a = {.text = r->args.p, .len = r->args.len};
	const char *err = a.len ? NULL : "??";
	uint64_t n;

	if (tp->kind == TP_RET && a.len) {
		a.mark = EVENT_VALUE;
	} else if (tp->kind == TP_ERR) {
		a.mark = EVENT_ERROR;
		if (num_u64(a.text, a.len, &n) == 0)
			err = errname(n);
		if (err) {
			a.text = err;
			a.len = strlen(err);
		}
	}
	track_put(t, tr, r->time, EVENT_END, t->tps->tp[tp->base].name, &a);
}
