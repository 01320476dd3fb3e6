/* SPDX-License-Identifier: ISC */
/*
 * Knows the keys of OS files.
 */
#include "guest/osfile.h"
#include <string.h>
#include <sys/stat.h>
#include "base/bytes.h"
#include "base/in.h"
#include "base/fault.h"
#include "base/msg.h"
#include "base/num.h"

enum { METADATA_MAX = 4096 };

static const char *const keys[OS_FIELDS] = {
    [OS_PID] = "pid",
    [OS_IMAGE_BASE] = "image-base",
    [OS_IMAGE_SIZE] = "image-size",
    [OS_EH_FRAME] = "eh-frame",
    [OS_EH_FRAME_SIZE] = "eh-frame-size",
    [OS_TEXT] = "text",
    [OS_TEXT_SIZE] = "text-size",
};

static bool
blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of a line; its length, 0 at the end. */
static size_t
word(const char **p, size_t *left, const char **w)
{
	size_t n = 0;

	while (*left > 0 && blank(**p))
		(*p)++, (*left)--;
	*w = *p;
	while (n < *left && !blank((*w)[n]))
		n++;
	*p += n;
	*left -= n;
	return n;
}

/* Returns what is wrong, NULL if nothing. */
static const char *
set(struct osfile *os, const char *key, size_t n, uint64_t v)
{
	if (bytes_is(key, n, "kernel-base")) {
		os->has_base = true;
		os->kernel_base = v;
		return NULL;
	}
	if (bytes_is(key, n, "metadata")) {
		os->metadata = v;
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

static const char *
take_line(struct osfile *os, const char *p, size_t len)
{
	const char *hash = memchr(p, '#', len);
	const char *key, *text, *rest;
	size_t key_len, text_len;
	uint64_t v;

	if (hash != NULL)
		len = (size_t)(hash - p);
	key_len = word(&p, &len, &key);
	if (key_len == 0)
		return NULL;
	text_len = word(&p, &len, &text);
	if (num_address(text, text_len, &v) != 0)
		return "no number after the key";
	if (word(&p, &len, &rest) != 0)
		return "more than a key and a number";
	return set(os, key, key_len, v);
}

int
osfile_read(struct osfile *os, const char *path)
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
		const char *why = take_line(os, line, len);

		if (why != NULL)
			fault_say(&bad, &in, "%s", why);
	}
	ok = !in_failed(&in) && fault_sum(&bad, 1) == 0;
	in_done(&in);
	if (ok && (os->metadata == 0 || os->offset[OS_PID] == UINT32_MAX ||
		      os->offset[OS_TEXT] == UINT32_MAX ||
		      os->offset[OS_TEXT_SIZE] == UINT32_MAX)) {
		msg("%s: `metadata`, `pid`, `text` and `text-size` are needed",
		    path);
		ok = false;
	}
	return ok ? 0 : -1;
}
