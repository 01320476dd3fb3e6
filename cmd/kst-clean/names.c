/* SPDX-License-Identifier: ISC */
/* Finds and demangles names, and applies the default and the user's rules. */
#include "names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "names/demangle.h"
#include "text/folded.h"
#include "base/bytes.h"
#include "set/hash.h"
#include "base/msg.h"
#include "opt/opt.h"
#include "io/out.h"
#include "names/name.h"
#include "names/rulefile.h"
#include "names/rules.h"
#include "trace/memo.h"
#include "base/xalloc.h"

/* Rounds of the default rules, which end when nothing changes. */
enum { ROUNDS_MAX = 8 };

/* Set beside NAME_UNKNOWN, for this file alone. */
enum { UNSETTLED = 0x200 };

static const char default_rules[] =
#include "default_rules.h"
    ;

struct names {
	struct rules *defaults, *rules;
	bool demangle;
	struct memo *known; /* results for names before their arguments */
	struct buf name, last;
};

struct names *
names_new(const struct names_options *o)
{
	struct names *n = xcalloc(1, sizeof *n);

	n->rules = o->rules && rules_count(o->rules) ? o->rules : NULL;
	n->demangle = o->demangle;
	n->known = memo_new(4 << 20);
	n->defaults = rules_new();
	if (!o->no_defaults &&
	    rules_add_text(n->defaults, "default.rules", default_rules,
		strlen(default_rules), o->without) != 0) {
		names_free(n);
		return NULL;
	}
	return n;
}

void
names_free(struct names *n)
{
	if (n == NULL)
		return;
	rules_free(n->defaults);
	memo_free(n->known);
	buf_done(&n->name);
	buf_done(&n->last);
	free(n);
}

static void
set(struct buf *b, const char *p, size_t len)
{
	b->len = 0;
	buf_add(b, p, len);
	buf_str(b); /* of no bytes, too, there is a pointer */
}

/* How much of a text may be a mangled name: not `+0x1f`, `@plt`, `_[i]`. */
static size_t
mangled_len(const char *p, size_t len)
{
	size_t n = 0;

	while (n < len && (isalnum((unsigned char)p[n]) || p[n] == '_' ||
			      p[n] == '.' || p[n] == '$' || (p[n] & 0x80)))
		n++;
	if (n < len && p[n] == '[' && n > 0 && p[n - 1] == '_')
		n--;
	return n;
}

/* `f` of `b'f'`, bytes of some Pythons, and of DTrace's `f (.llvm.123)` */
static struct piece
trim_wrapped(struct piece t)
{
	static const char llvm[] = " (.llvm.";
	size_t n = t.len;

	if (n > 3 && t.p[1] == '\'' && t.p[0] == 'b' && t.p[n - 1] == '\'') {
		t.p += 2;
		t.len -= 3;
	} else if (n > sizeof llvm && t.p[n - 1] == ')') {
		for (n--; n > 0 && isdigit((unsigned char)t.p[n - 1]);)
			n--;
		if (bytes_ends(t.p, n, llvm))
			t.len = n - strlen(llvm);
	}
	return t;
}

/*
 * The name in a text. kst-svg(1) and kst-sym(1) mark frames of folded text by
 * `_[k]` or the like: *mark becomes the letter.
 */
static struct piece
find_name(struct piece t, bool gdb, char *mark)
{
	size_t suffix = gdb || *mark ? 0 : name_annotation(t.p, t.len);

	if (suffix)
		*mark = t.p[t.len - 2];
	name_of_frame(t.p, t.len - suffix, gdb, &t.p, &t.len);
	return trim_wrapped(t);
}

/* The name demangled, in n->last, or as it is. */
static struct piece
demangle(struct names *n, struct piece t, bool gdb)
{
	size_t mangled;

	n->name.len = 0;
	if (memchr(t.p, '$', t.len) && demangle_escapes(t.p, t.len, &n->name)) {
		set(&n->last, n->name.p, n->name.len);
		return (struct piece){n->last.p, n->last.len};
	}
	if (!bytes_starts(t.p, t.len, "_"))
		return t;
	mangled = mangled_len(t.p, t.len);
	if (!demangle_name(t.p, mangled, &n->name))
		return t;
	buf_add(&n->name, t.p + mangled, t.len - mangled);
	set(&n->last, n->name.p, n->name.len);
	name_of_frame(n->last.p, n->last.len, gdb, &t.p, &t.len);
	return t;
}

/* Whether it is known that another round would leave n->name as it is. */
static bool
is_settled(struct names *n, struct piece next)
{
	return next.len == n->name.len && !(n->demangle && *next.p == '_') &&
	       !rules_may_match(n->defaults, &n->name);
}

/*
 * Applies the default rules to the name until it stays, in n->name; UNSETTLED
 * if it does not.
 */
static unsigned
settle(struct names *n, struct piece t, bool gdb, char *mark)
{
	struct piece next;
	unsigned flags = 0;

	for (int round = 0; round < ROUNDS_MAX; round++) {
		if (n->demangle) /* cleaning may bare a mangled name */
			t = demangle(n, t, gdb);
		set(&n->name, t.p, t.len);
		flags |= rules_apply(n->defaults, &n->name);
		next = find_name(
		    (struct piece){n->name.p, n->name.len}, gdb, mark);
		if (bytes_same(next.p, next.len, t.p, t.len) ||
		    (round + 1 < ROUNDS_MAX && is_settled(n, next)))
			return flags;
		set(&n->last, next.p, next.len);
		t = (struct piece){n->last.p, n->last.len};
	}
	return flags | UNSETTLED;
}

/* Makes n->name what is written. */
static unsigned
finish(struct names *n, bool gdb, char mark)
{
	struct buf *b = &n->name;
	unsigned flags = n->rules ? rules_apply(n->rules, b) : 0;

	if (mark)
		buf_printf(b, "_[%c]", mark);
	if (!gdb) {
		set(&n->last, b->p, b->len);
		b->len = 0;
		folded_add_name(b, n->last.p, n->last.len);
	}
	if (bytes_is(b->p, b->len, "??") ||
	    name_address(b->p, b->len) == b->len)
		flags |= NAME_UNKNOWN;
	return flags;
}

/* `0x12 in ??`: what has no name keeps the address that its text has. */
static void
keep_address(struct names *n, const char *text, size_t len, const char **name,
    size_t *name_len)
{
	size_t address = name_address(text, len);

	if (address == 0 || !bytes_is(*name, *name_len, "??"))
		return;
	set(&n->name, text, address);
	buf_adds(&n->name, " in ??");
	*name = n->name.p;
	*name_len = n->name.len;
}

unsigned
names_clean(struct names *n, const char *text, size_t len, bool gdb,
    const char **name, size_t *name_len)
{
	char mark = 0;
	const struct piece t = find_name((struct piece){text, len}, gdb, &mark);
	/* with other arguments the same name comes again */
	const bool again = gdb && len - t.len > strlen(" (...)");
	const uint64_t hash = again ? hash_bytes(t.p, t.len) : 0;
	const struct memo_entry *e =
	    again ? memo_find(n->known, hash, t.p, t.len) : NULL;
	unsigned flags;

	if (e) {
		*name = memo_result(e);
		*name_len = e->len;
		flags = e->value;
	} else {
		flags = settle(n, t, gdb, &mark);
		if (flags & UNSETTLED) { /* is as it came */
			set(&n->name, text, len);
			mark = 0;
		}
		flags |= finish(n, gdb, mark);
		*name = n->name.p;
		*name_len = n->name.len;
		/* otherwise arguments matter, or each text is reported */
		if (again && !(flags & (UNSETTLED | RULE_LIMIT)))
			memo_add(n->known, hash,
			    &(struct memo_text){
				t.p, t.len, *name, *name_len, flags});
	}
	if (gdb && (flags & NAME_UNKNOWN))
		keep_address(n, text, len, name, name_len);
	return flags;
}

static void
add_rule(struct rules *r, const char *action, const char *arg)
{
	struct rule_words w = {action, arg, "", strlen(arg), 0};
	struct buf err = BUF_INIT;

	if (strcmp(action, "rename") == 0) {
		const char *eq = strrchr(arg, '=');

		if (eq == NULL)
			opt_wrong(
			    "--rename: '%s' is not REGEX=TEXT", msg_str(arg));
		w.pattern_len = (size_t)(eq - arg);
		w.text = eq + 1;
		w.text_len = strlen(w.text);
	}
	if (rules_add(r, &w, &err) != 0)
		opt_wrong("--%s '%s': %s", action, msg_str(arg), buf_str(&err));
	buf_done(&err);
}

void
names_add_rules(struct rules *r, const struct opt_list *options)
{
	for (size_t i = 0; i < options->n; i++) {
		const struct opt_use *u = &options->use[i];

		if (strcmp(u->name, "rules") != 0)
			add_rule(r, u->name, u->arg);
		else if (rules_add_file(r, "rules", u->arg, NULL) != 0)
			exit(msg_status(EXIT_USAGE));
	}
}

void
names_list_rules(const struct names_options *o)
{
	struct buf text = BUF_INIT;

	if (!o->no_defaults)
		rules_text(
		    default_rules, strlen(default_rules), o->without, &text);
	rules_list(o->rules, &text);
	out_put(text.p, text.len);
	buf_done(&text);
}
