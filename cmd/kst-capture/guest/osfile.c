/* SPDX-License-Identifier: ISC */
/*
 * The keys of OS files, and the comparison of names in them with symbols.
 */
#include "guest/osfile.h"
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
		if (v > SAVED_MAX || v % 8 != 0)
			return "an offset that is too large, or not a multiple "
			       "of 8";
		r->saved[i] = (int32_t)v;
	}
	return r->saved[0] < 0 || r->saved[1] < 0 ? "an entry without pc and sp"
						  : NULL;
}

static const char *
take_rule(struct osfile *os, bool root, const char *p, size_t len)
{
	struct os_rule r = {.root = root, .saved = {-1, -1, -1, -1, -1}};
	const char *name, *why;
	size_t n = bytes_take_word(&p, &len, &name);

	if (n == 0)
		return "the name of a function is missing";
	if (os->n_rule == RULES_MAX)
		return "too many functions";
	why = !root				? take_saved(&r, p, len)
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
	if (bytes_is(key, key_len, "root") || bytes_is(key, key_len, "entry"))
		return take_rule(os, key_len == 4, p, len);
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
	if (ok && (os->size > 0 || os->metadata != 0 || os->n_rule == 0) &&
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
		free(os->rule[i].name);
	free(os->rule);
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

void
osfile_apply(const struct osfile *os, const struct elfsym *sym,
    const struct unwind_abi *abi, struct unwind_module *m)
{
	struct buf plain = BUF_INIT;
	struct elfsym_func f;
	struct caller entry;
	size_t found = 0;

	for (size_t i = 0; os->n_rule > 0 && elfsym_nth(sym, i, &f); i++) {
		plain.len = 0;
		demangle_name(f.name, f.len, &plain);
		for (size_t k = 0; k < os->n_rule; k++) {
			const struct os_rule *r = &os->rule[k];

			if (!fits(r->name, &f,
				plain.len > 0 ? buf_str(&plain) : NULL))
				continue;
			found++;
			set_entry(r, abi, &entry);
			unwind_module_rule(m, f.start - elfsym_bias(sym),
			    f.end - elfsym_bias(sym), r->root ? NULL : &entry);
			break;
		}
	}
	buf_done(&plain);
	if (os->n_rule > 0 && found == 0)
		msg("%s has none of the functions that the OS file names",
		    msg_str(elfsym_path(sym)));
}
