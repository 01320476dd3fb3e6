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
#include "names/rules.h"
#include "trace/memo.h"
#include "base/xalloc.h"

/* Rounds of the default rules, which end when nothing changes. */
enum { ROUNDS_MAX = 8 };

static const char default_rules[] =
#include "default_rules.h"
    ;

/* Set beside NAME_UNKNOWN, for this file alone. */
enum { AS_IT_CAME = 0x200 };

struct names {
	struct rules *defaults, *rules;
	bool demangle;
	struct memo *known; /* results for names before their arguments */
	struct buf name, last, first;
};

struct names *
names_new(const struct names_options *o)
{
	struct names *n = xcalloc(1, sizeof *n);

	n->rules = o->rules;
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
	buf_done(&n->first);
	free(n);
}

static void
set(struct buf *b, const char *p, size_t len)
{
	b->len = 0;
	buf_add(b, p, len);
	buf_str(b); /* of no bytes, too, there is a pointer */
}

/* One round: the name in the frame's text, then the default rules. */
static unsigned
clean_once(struct names *n, struct piece t, bool gdb)
{
	name_of_frame(t.p, t.len, gdb, &t.p, &t.len);
	set(&n->name, t.p, t.len);
	return rules_apply(n->defaults, &n->name);
}

/* kst-svg(1) and kst-sym(1) mark frames by a suffix, which stays. */
static size_t
annotation(const char *p, size_t len, bool gdb)
{
	return gdb ? 0 : name_annotation(p, len);
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

/* Whether a name in the text may be mangled; most are not. */
static bool
may_be_mangled(const char *p, size_t len)
{
	const char *end = p + len;

	while (end - p > 3 && (p = memchr(p, '_', (size_t)(end - p) - 1))) {
		if (*++p == 'Z' || *p == 'R' || *p == 'G')
			return true;
	}
	return false;
}

/* The text with its name demangled, in *to, or as it is. */
static struct piece
demangle(struct names *n, struct piece t, bool gdb, struct buf *to)
{
	const char *raw;
	size_t raw_len, mangled;

	if (!may_be_mangled(t.p, t.len))
		return t;
	name_of_frame(t.p, t.len, gdb, &raw, &raw_len);
	mangled = mangled_len(raw, raw_len);
	n->name.len = 0;
	if (!demangle_name(raw, mangled, &n->name))
		return t;
	buf_add(&n->name, raw + mangled, raw_len - mangled);
	set(to, n->name.p, n->name.len);
	return (struct piece){to->p, to->len};
}

/* Whether it is known that another round would leave n->name as it is. */
static bool
is_settled(struct names *n, bool gdb)
{
	const char *p = n->name.p;
	size_t len = n->name.len;

	return len > 0 && name_is_whole(p, len) &&
	       annotation(p, len, gdb) == 0 && !(n->demangle && *p == '_') &&
	       !rules_may_match(n->defaults, &n->name);
}

/* Cleans a text without the memory of others; the result is in n->name. */
static unsigned
clean(struct names *n, const char *text, size_t len, bool gdb)
{
	size_t suffix = 0, came_with = annotation(text, len, gdb);
	struct piece t = {text, len}, first = t;
	unsigned flags = 0;
	char mark[4];
	int round;

	for (round = 0; round < ROUNDS_MAX; round++) {
		if (suffix == 0 && (suffix = annotation(t.p, t.len, gdb)) > 0) {
			t.len -= suffix;
			memcpy(mark, t.p + t.len, suffix);
		}
		if (n->demangle) /* cleaning may bare a mangled name */
			t = demangle(n, t, gdb, round ? &n->last : &n->first);
		if (round == 0)
			first = t;
		flags |= clean_once(n, t, gdb);
		if (bytes_same(n->name.p, n->name.len, t.p, t.len))
			break;
		if (round + 1 < ROUNDS_MAX && is_settled(n, gdb))
			break;
		set(&n->last, n->name.p, n->name.len);
		t = (struct piece){n->last.p, n->last.len};
	}
	/* what never settles, or would have no name, is as it came */
	if (round == ROUNDS_MAX || n->name.len == 0) {
		set(&n->name, first.p, first.len);
		flags |= AS_IT_CAME;
		suffix = came_with;
	}
	if (n->rules)
		flags |= rules_apply(n->rules, &n->name);
	buf_add(&n->name, mark, suffix);
	if (!gdb) {
		set(&n->last, n->name.p, n->name.len);
		n->name.len = 0;
		folded_add_name(&n->name, n->last.p, n->last.len);
	}
	if (bytes_is(n->name.p, n->name.len, "??") ||
	    name_address(n->name.p, n->name.len) == n->name.len)
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
	const struct memo_entry *e = NULL;
	const char *raw;
	size_t raw_len = len;
	unsigned flags;
	uint64_t hash = 0;

	/* with other arguments the same name comes again */
	if (gdb && !bytes_ends(text, len, " (...)") &&
	    !bytes_ends(text, len, " ()"))
		name_of_frame(text, len, true, &raw, &raw_len);
	if (raw_len < len) {
		hash = hash_bytes(raw, raw_len);
		e = memo_find(n->known, hash, raw, raw_len);
	}
	if (e) {
		*name = memo_result(e);
		*name_len = e->len;
		if (e->value & NAME_UNKNOWN)
			keep_address(n, text, len, name, name_len);
		return e->value;
	}
	flags = clean(n, text, len, gdb);
	/* otherwise arguments matter, or each text is reported */
	if (raw_len < len && !(flags & (AS_IT_CAME | RULE_LIMIT)))
		memo_add(n->known, hash,
		    &(struct memo_text){
			raw, raw_len, n->name.p, n->name.len, flags});
	*name = n->name.p;
	*name_len = n->name.len;
	if (gdb && (flags & NAME_UNKNOWN))
		keep_address(n, text, len, name, name_len);
	return flags & ~(unsigned)AS_IT_CAME;
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
		else if (rules_add_file(r, "rules", u->arg) != 0)
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
