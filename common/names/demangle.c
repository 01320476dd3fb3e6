/* SPDX-License-Identifier: ISC */
/*
 * libiberty's demangler bounds its recursion but not its work: a name of 200
 * bytes that refers back to its own parts can grow to 2^30 bytes or be searched
 * 2^30 times, and a count in a Rust name is a loop of 2^60 turns. So text is
 * taken in pieces up to a limit and a timer limits the time; a jump leaves the
 * demangler then. This leaks nothing while its state is on the stack; punycode
 * identifiers are decoded on the heap, so names with those run without the
 * timer.
 */
#include "names/demangle.h"

#include <ctype.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>

#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else /* names stay mangled */
enum { DMGL_PARAMS = 1, DMGL_ANSI = 2 };

static int
no_name(const char *name, int options,
    void (*put)(const char *, size_t, void *), void *arg)
{
	(void)name, (void)options, (void)put, (void)arg;
	return 0;
}

#define rust_demangle_callback no_name
#define cplus_demangle_v3_callback no_name
#endif

#include "base/buf.h"
#include "base/bytes.h"
#include "base/utf8.h"
#include "names/name.h"
#include "names/nest.h"

struct sink {
	struct buf *out; /* with room for all up to the limit */
	size_t limit;	 /* out->len does not exceed this */
};

static sigjmp_buf give_up;

/* There may be many empty pieces; the timer ends them. */
static void
sink_put(const char *p, size_t n, void *arg)
{
	struct sink *s = arg;

	if (n > s->limit - s->out->len)
		siglongjmp(give_up, 1);
	buf_add(s->out, p, n);
}

/*
 * A timer for each name would be five system calls, more than most names take:
 * one runs on, and a name in its way at two ticks is given up.
 */
static volatile sig_atomic_t ticks; /* that the name may still see; 0: none */

static void
on_timer(int sig)
{
	(void)sig;
	if (ticks > 0 && --ticks == 0)
		siglongjmp(give_up, 2);
}

/* A tick for every `ms` of this process's own time, from now on. */
static void
timer_start(long ms)
{
	struct sigaction sa = {
	    .sa_handler = on_timer, .sa_flags = SA_RESTART | SA_NODEFER};
	const struct timeval t = {ms / 1000, ms % 1000 * 1000};
	struct itimerval it = {t, t};

	sigemptyset(&sa.sa_mask);
	sigaction(SIGVTALRM, &sa, NULL);
	setitimer(ITIMER_VIRTUAL, &it, NULL);
}

/* The length of a name without `.llvm.` and digits at its end. */
static size_t
without_llvm(const char *p, size_t len)
{
	static const char mark[] = ".llvm.";
	size_t n = len;

	while (n > 0 && isdigit((unsigned char)p[n - 1]))
		n--;
	return n < len && bytes_ends(p, n, mark) ? n - strlen(mark) : len;
}

static bool
looks_mangled(const char *p, size_t len)
{
	if (len < 4 || p[0] != '_')
		return false;
	return p[1] == 'Z' || p[1] == 'R' ||
	       (len > sizeof "_GLOBAL_" && bytes_starts(p, len, "_GLOBAL_"));
}

/*
 * A Rust v0 name where `G...._` may be a count (of lifetimes) beyond 62^3. Such
 * a count begins a function's or a trait object's type, after `F` or `D`; in a
 * crate's hash a G means nothing.
 */
static bool
has_big_count(const char *s)
{
	for (; (s = strchr(s, 'G')) != NULL; s++) {
		size_t n = 1;

		while (isalnum((unsigned char)s[n]))
			n++;
		if (n > 4 && s[n] == '_' && (s[-1] == 'F' || s[-1] == 'D'))
			return true;
	}
	return false;
}

/* A Rust v0 name that may hold a punycode identifier: `u` and its length. */
static bool
has_punycode(const char *s)
{
	while ((s = strchr(s, 'u')) != NULL)
		if (isdigit((unsigned char)*++s))
			return true;
	return false;
}

static bool
has_control(const char *p, size_t len)
{
	while (len > 0) {
		size_t n;

		if (*p >= ' ' && *p <= '~') {
			p++;
			len--;
			continue;
		}
		n = utf8_len(p, len);
		if (n && !utf8_is_shown(p, n))
			return true;
		n += n == 0;
		p += n;
		len -= n;
	}
	return false;
}

/* The next name is limited: to less time after names that got stuck. */
static void
limit_time(unsigned stuck)
{
	static long now;
	const long ms =
	    (stuck < 5 ? DEMANGLE_MS_MAX : DEMANGLE_MS_MAX / 20) / 2;

	if (now != ms)
		timer_start(now = ms);
	ticks = 2;
}

static int
demangle_limited(const char *name, struct sink *s)
{
	static unsigned stuck;
	const int options = DMGL_PARAMS | DMGL_ANSI;
	const bool v0 = name[1] == 'R';
	volatile int done = 0;
	int jumped;

	if (v0 && has_big_count(name) && has_punycode(name))
		return 0;
	jumped = sigsetjmp(give_up, 0);
	if (jumped == 0) {
		if (v0 && has_big_count(name))
			limit_time(stuck);
		if (v0 || strstr(name, "17h")) /* before a Rust name's hash */
			done =
			    rust_demangle_callback(name, options, sink_put, s);
		if (!done && !v0) {
			limit_time(stuck);
			done = cplus_demangle_v3_callback(
			    name, options, sink_put, s);
		}
	}
	ticks = 0;
	stuck += jumped == 2;
	return jumped == 0 && done;
}

int
demangle_name(const char *mangled, size_t len, struct buf *out)
{
	char name[DEMANGLE_IN_MAX + 1];
	const size_t start = out->len;
	struct sink s = {.out = out, .limit = start + DEMANGLE_OUT_MAX};

	if (len > 3 && mangled[1] == '_' && mangled[0] == '_') { /* Mach-O */
		mangled++;
		len--;
	}
	if (!looks_mangled(mangled, len) || len > DEMANGLE_IN_MAX ||
	    memchr(mangled, 0, len) != NULL)
		return 0;
	len = without_llvm(mangled, len);
	memcpy(name, mangled, len);
	name[len] = 0;
	buf_room(out, DEMANGLE_OUT_MAX);
	if (demangle_limited(name, &s) && out->len > start &&
	    !has_control(out->p + start, out->len - start))
		return 1;
	out->len = start;
	return 0;
}

/* What `$NAME$` at p stands for; *n is its length. 0: nothing. */
static char
escape(const char *p, const char *end, size_t *n)
{
	static const struct {
		const char *name;
		char c;
	} all[] = {{"$LT$", '<'}, {"$GT$", '>'}, {"$RF$", '&'}, {"$BP$", '*'},
	    {"$LP$", '('}, {"$RP$", ')'}, {"$C$", ','}, {"$SP$", '@'},
	    {"$u20$", ' '}, {"$u22$", '"'}, {"$u27$", '\''}, {"$u2b$", '+'},
	    {"$u3b$", ';'}, {"$u3d$", '='}, {"$u5b$", '['}, {"$u5d$", ']'},
	    {"$u7b$", '{'}, {"$u7d$", '}'}, {"$u7e$", '~'}};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		if (bytes_starts(p, (size_t)(end - p), all[i].name)) {
			*n = strlen(all[i].name);
			return all[i].c;
		}
	}
	return 0;
}

int
demangle_escapes(const char *name, size_t len, struct buf *out)
{
	const char *p = name, *end = name + len;
	const size_t start = out->len;
	bool any = false;
	size_t n;

	while (p < end) {
		char c = escape(p, end, &n);

		if (c) {
			buf_addc(out, c);
			any = true;
			p += n;
		} else if (*p == '_' &&
			   (p == name || !isalnum((unsigned char)p[-1])) &&
			   escape(p + 1, end, &n)) {
			p++; /* before a name that begins with an escape */
		} else if (bytes_starts(p, (size_t)(end - p), "..")) {
			buf_adds(out, "::");
			p += 2;
		} else {
			buf_addc(out, *p++);
		}
	}
	if (!any)
		out->len = start;
	return any;
}

/* The length of `[4dd80272b5a2d1fc]` or `[abi:cxx11]` at p, or 0. */
static size_t
tag_len(const char *p, const char *end)
{
	size_t n = 1;

	if (bytes_starts(p, (size_t)(end - p), "[abi:"))
		for (n = 5; p + n < end && p[n] != ']';)
			n++;
	else
		while (p + n < end && isxdigit((unsigned char)p[n]))
			n++;
	return p + n < end && p[n] == ']' && n > 5 ? n + 1 : 0;
}

/* The length of `::{impl#4}` at p, or 0. */
static size_t
block_len(const char *p, const char *end)
{
	size_t depth = 0;

	if (!bytes_starts(p, (size_t)(end - p), "::{"))
		return 0;
	for (const char *q = p + 2; q < end; q++) {
		depth += *q == '{';
		if (*q == '}' && --depth == 0)
			return (size_t)(q + 1 - p);
	}
	return 0;
}

/* Makes *b what is left of it; it has no such part: it stays. */
static void
strip(struct buf *b, enum name_part part)
{
	struct buf left = BUF_INIT;

	name_strip(b->p, b->len, part, &left);
	if (left.len > 0) {
		b->len = 0;
		buf_add(b, left.p, left.len);
	}
	buf_done(&left);
}

static void
erase_tags(struct buf *b)
{
	const char *p = b->p, *end = b->p + b->len;
	char *to = b->p;

	while (p < end) {
		const bool after = p > b->p && nest_is_word(p[-1]);
		const size_t n = after && *p == '[' ? tag_len(p, end)
				 : p > b->p	    ? block_len(p, end)
						    : 0;

		if (n > 0)
			p += n;
		else
			*to++ = *p++;
	}
	b->len = (size_t)(to - b->p);
}

/* Rounds of stripping, as of kst-clean. */
enum { ROUNDS_MAX = 8 };

int
demangle_plain(const char *name, size_t len, struct buf *out)
{
	struct buf b = BUF_INIT;
	size_t n = 0, before;

	while (n < len &&
	       (isalnum((unsigned char)name[n]) || name[n] == '_' ||
		   name[n] == '.' || name[n] == '$' || (name[n] & 0x80)))
		n++;
	if (n < len && name[n] == '[' && n > 0 && name[n - 1] == '_')
		n--; /* of `_[k]` */
	if (!demangle_name(name, n, &b)) {
		buf_done(&b);
		return 0;
	}
	before = b.len + 1;
	for (int i = 0; i < ROUNDS_MAX && b.len < before; i++) {
		before = b.len;
		erase_tags(&b);
		strip(&b, NAME_GENERICS);
		strip(&b, NAME_PARAMETERS);
		strip(&b, NAME_SUFFIX);
	}
	buf_add(out, b.p, b.len);
	buf_add(out, name + n, len - n);
	buf_done(&b);
	return 1;
}
