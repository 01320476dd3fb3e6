/* SPDX-License-Identifier: ISC */
/*
 * The keys of OS files, and the comparison of names in them with symbols.
 */
#include "os/osfile.h"
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/buf.h"
#include "base/bytes.h"
#include "io/in.h"
#include "io/fault.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"
#include "names/demangle.h"

enum { METADATA_MAX = 4096, SAVED_MAX = 4096, RULES_MAX = 256 };

static const char *const registers[OS_SAVED + 1] = {
    "pc", "sp", "fp", "ra", "status"};

static const char *const kinds[] = {"root", "entry", "idle"};

static const char *const keys[OS_FIELDS] = {
    [OS_PID] = "pid",
    [OS_IMAGE_BASE] = "image-base",
    [OS_IMAGE_SIZE] = "image-size",
    [OS_EH_FRAME] = "eh-frame",
    [OS_EH_FRAME_SIZE] = "eh-frame-size",
    [OS_TEXT] = "text",
    [OS_TEXT_SIZE] = "text-size",
};

/* Returns what is wrong, NULL if nothing. */
static const char *
set(struct osfile *os, const char *key, size_t n, uint64_t v)
{
	uint64_t *own = bytes_is(key, n, "kernel-base") ? &os->kernel_base
			: bytes_is(key, n, "metadata")	? &os->metadata
							: NULL;

	if (own != NULL) {
		*own = v;
		return NULL;
	}
	for (int i = 0; i < OS_FIELDS; i++) {
		if (!bytes_is(key, n, keys[i]))
			continue;
		if (v > METADATA_MAX - 8)
			return "an offset that is too large";
		os->offset[i] = (uint32_t)v;
		if (os->size < v + 8)
			os->size = (uint32_t)v + 8;
		return NULL;
	}
	return "an unknown key";
}

/* `entry NAME`, and pairs of a register and its offset. */
static const char *
take_saved(struct os_rule *r, const char *p, size_t len)
{
	const char *name, *text;
	size_t name_len, text_len;
	uint64_t v;

	while ((name_len = bytes_take_word(&p, &len, &name)) != 0) {
		int i = 0;

		while (i <= OS_SAVED && !bytes_is(name, name_len, registers[i]))
			i++;
		if (i > OS_SAVED)
			return "an unknown register";
		text_len = bytes_take_word(&p, &len, &text);
		if (num_address(text, text_len, &v) != 0)
			return "the number after the register is missing";
		if (v > SAVED_MAX || v % 4 != 0)
			return "an offset that is too large, or not a multiple "
			       "of 4";
		r->saved[i] = (int32_t)v;
	}
	return r->saved[0] < 0 || r->saved[1] < 0 ? "an entry without pc and sp"
						  : NULL;
}

/* `idle NAME`, and the name of a caller. */
static const char *
take_below(struct os_rule *r, const char *p, size_t len)
{
	const char *name, *rest;
	size_t n = bytes_take_word(&p, &len, &name);

	if (n > 0 && bytes_take_word(&p, &len, &rest) > 0)
		return "more than two names";
	r->below = n > 0 ? xmemdup0(name, n) : NULL;
	return NULL;
}

static const char *
take_rule(struct osfile *os, enum os_kind kind, const char *p, size_t len)
{
	struct os_rule r = {.kind = kind, .saved = {-1, -1, -1, -1, -1}};
	const char *name, *why;
	size_t n = bytes_take_word(&p, &len, &name);

	if (n == 0)
		return "the name of a function is missing";
	if (os->n_rule == RULES_MAX)
		return "too many functions";
	why = kind == OS_ENTRY			? take_saved(&r, p, len)
	      : kind == OS_IDLE			? take_below(&r, p, len)
	      : bytes_take_word(&p, &len, &why) ? "more than a name"
						: NULL;
	if (why != NULL)
		return why;
	r.name = xmemdup0(name, n);
	os->rule = xreallocn(os->rule, os->n_rule + 1, sizeof *os->rule);
	os->rule[os->n_rule++] = r;
	return NULL;
}

/* Whether the kernel is one that has all these functions. */
static bool
knows(const struct elfsym *sym, const char *p, size_t len)
{
	struct elfsym_func f;
	bool has = true;
	const char *name;
	size_t n;

	while (has && (n = bytes_take_word(&p, &len, &name)) != 0) {
		has = false;
		for (size_t i = 0; !has && elfsym_nth(sym, i, &f); i++)
			has = bytes_is(name, n, f.name);
	}
	return has;
}

static const char *
take_line(
    struct osfile *os, const struct elfsym *sym, const char *p, size_t len)
{
	const char *hash = memchr(p, '#', len);
	const char *key, *text, *rest;
	size_t key_len, text_len;
	uint64_t v;

	if (hash != NULL)
		len = (size_t)(hash - p);
	key_len = bytes_take_word(&p, &len, &key);
	if (key_len == 0)
		return NULL;
	for (enum os_kind k = OS_ROOT; k <= OS_IDLE; k++)
		if (bytes_is(key, key_len, kinds[k]))
			return take_rule(os, k, p, len);
	if (bytes_is(key, key_len, "threads"))
		return osthreads_line(&os->threads, p, len);
	if (bytes_is(key, key_len, "known-by")) {
		os->known |= sym != NULL && knows(sym, p, len);
		return NULL;
	}
	text_len = bytes_take_word(&p, &len, &text);
	if (num_address(text, text_len, &v) != 0)
		return "the number after the key is missing";
	if (bytes_take_word(&p, &len, &rest) != 0)
		return "more than a key and a number";
	return set(os, key, key_len, v);
}

int
osfile_read(struct osfile *os, const char *path, const struct elfsym *sym)
{
	char *operands[] = {(char *)path};
	struct fault bad = {"bad line", 0};
	const char *line;
	struct stat st;
	struct in in;
	size_t len;
	bool ok;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		msg("%s: not a regular file", msg_str(path));
		return -1;
	}
	memset(os, 0, sizeof *os);
	memset(os->offset, 0xff, sizeof os->offset);
	in_init(&in, operands, 1);
	while (in_next(&in, &line, &len)) {
		const char *why = take_line(os, sym, line, len);

		if (why != NULL)
			fault_say(&bad, &in, "%s", why);
	}
	ok = !in_failed(&in) && fault_sum(&bad, 1) == 0;
	in_done(&in);
	if (ok &&
	    (os->size > 0 || os->metadata != 0 ||
		os->n_rule + os->threads.n_source == 0) &&
	    !osfile_processes(os)) {
		msg("%s: `metadata`, `pid`, `text` and `text-size` are needed",
		    path);
		ok = false;
	}
	return ok ? 0 : -1;
}

bool
osfile_processes(const struct osfile *os)
{
	return os->metadata != 0 && os->offset[OS_PID] != UINT32_MAX &&
	       os->offset[OS_TEXT] != UINT32_MAX &&
	       os->offset[OS_TEXT_SIZE] != UINT32_MAX;
}

void
osfile_done(struct osfile *os)
{
	for (size_t i = 0; i < os->n_rule; i++)
		free(os->rule[i].name), free(os->rule[i].below);
	free(os->rule);
	free(os->idle);
	osthreads_done(&os->threads);
}

/* The linker's name, or what it means. */
static bool
fits(const char *pattern, const struct elfsym_func *f, const char *plain)
{
	return fnmatch(pattern, f->name, 0) == 0 ||
	       (plain != NULL && fnmatch(pattern, plain, 0) == 0);
}

static void
set_entry(
    const struct os_rule *r, const struct unwind_abi *abi, struct caller *c)
{
	const uint8_t reg[OS_SAVED + 1] = {
	    abi->pc, abi->sp, abi->fp, abi->ra, CALLER_STATUS};

	caller_init(c, abi->sp, 0);
	/* The address itself last: on x86_64 it is the return address, too. */
	for (int i = OS_SAVED + 1; i-- > 0;)
		if (r->saved[i] >= 0)
			caller_add(c, reg[i], CALLER_AT, r->saved[i]);
}

static void
add_idle(struct osfile *os, const struct elfsym *sym,
    const struct elfsym_func *f, size_t rule, bool below)
{
	const uint64_t bias = elfsym_bias(sym);

	os->idle = xreallocn(os->idle, os->n_idle + 1, sizeof *os->idle);
	os->idle[os->n_idle++] =
	    (struct os_idle){f->start - bias, f->end - bias, rule, below};
}

/* Takes what the rules say of a function. Returns how many did. */
static size_t
apply(struct osfile *os, const struct elfsym *sym, const struct unwind_abi *abi,
    struct unwind_module *m, const struct elfsym_func *f, const char *plain)
{
	bool done = false;
	size_t found = 0;

	for (size_t k = 0; k < os->n_rule; k++) {
		const struct os_rule *r = &os->rule[k];
		struct caller entry;

		if (r->below != NULL && fits(r->below, f, plain))
			add_idle(os, sym, f, k, true);
		if (!fits(r->name, f, plain))
			continue;
		found++;
		if (r->kind == OS_IDLE) {
			add_idle(os, sym, f, k, false);
		} else if (!done) {
			done = true;
			set_entry(r, abi, &entry);
			unwind_module_rule(m, f->start - elfsym_bias(sym),
			    f->end - elfsym_bias(sym),
			    r->kind == OS_ROOT ? NULL : &entry);
		}
	}
	return found;
}

void
osfile_apply(struct osfile *os, const struct elfsym *sym,
    const struct unwind_abi *abi, struct unwind_module *m)
{
	struct buf plain = BUF_INIT;
	struct elfsym_func f;
	size_t found = 0;

	os->n_idle = 0;
	for (size_t i = 0; os->n_rule > 0 && elfsym_nth(sym, i, &f); i++) {
		plain.len = 0;
		demangle_name(f.name, f.len, &plain);
		found += apply(os, sym, abi, m, &f,
		    plain.len > 0 ? buf_str(&plain) : NULL);
	}
	buf_done(&plain);
	if (os->n_rule > 0 && found == 0)
		msg("%s has none of the functions that the OS file names",
		    msg_str(elfsym_path(sym)));
}

/* Which rule names the function at addr; n_rule: none. */
static size_t
find_idle(const struct osfile *os, uint64_t addr, bool below, size_t rule)
{
	for (size_t i = 0; i < os->n_idle; i++) {
		const struct os_idle *d = &os->idle[i];

		if (addr >= d->start && addr < d->end && d->below == below &&
		    (!below || d->rule == rule))
			return d->rule;
	}
	return os->n_rule;
}

bool
osfile_is_idle(
    const struct osfile *os, uint64_t bias, const struct unwind_stack *st)
{
	size_t rule = os->n_rule;

	for (size_t i = 0; i < st->n; i++) {
		const struct unwind_frame *f = &st->frame[i];
		const uint64_t addr = f->pc - !f->exact - bias;

		if (f->signal || (i > 0 && f->exact))
			return false;
		if (rule == os->n_rule)
			rule = find_idle(os, addr, false, 0);
		else if (find_idle(os, addr, true, rule) == rule)
			return true;
		if (rule < os->n_rule && os->rule[rule].below == NULL)
			return true;
	}
	return false;
}
