/* SPDX-License-Identifier: ISC */
#include "trace/signs.h"

#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "io/in.h"
#include "base/msg.h"
#include "base/summary.h"
#include "names/rx.h"
#include "text/json.h"

/*
 * What packs files, and the command that unpacks one from a pipe. A name may
 * begin with the letters of bzip2 or lzip; what follows them is not text.
 */
static const struct packer {
	size_t at; /* where the magic is */
	const char *magic, *name;
	char *unpack[3];
	bool foreign; /* kst-batch does not read it */
} packers[] = {
    {0, "\x1f\x8b", "gzip", {(char *)"gzip", (char *)"-dc"}, false},
    {0, "\3757zXZ", "xz", {(char *)"xz", (char *)"-dc"}, false},
    {0, "\x28\xb5\x2f\xfd", "zstd", {(char *)"zstd", (char *)"-dcq"}, false},
    {1, "\x2a\x4d\x18", "zstd", {(char *)"zstd", (char *)"-dcq"}, false},
    {4, "1AY&SY", "bzip2", {(char *)"bzip2", (char *)"-dc"}, true},
    {0, "\x04\x22\x4d\x18", "lz4", {(char *)"lz4", (char *)"-dc"}, true},
    {0, "LZIP\x01", "lzip", {(char *)"lzip", (char *)"-dc"}, true},
    {0, "PK\x03\x04", "zip", {(char *)"unzip", (char *)"-p"}, true},
    {0, "7z\xbc\xaf\x27\x1c", "7-Zip", {(char *)"7z", (char *)"e -so"}, true},
};

static const struct packer *
packer_of(const char *p, size_t n)
{
	for (size_t i = 0; i < sizeof packers / sizeof *packers; i++) {
		const struct packer *k = &packers[i];

		if (n >= k->at && bytes_starts(p + k->at, n - k->at, k->magic))
			return k;
	}
	return NULL;
}

/* The rows of signs.tsv, which says what they are. */
static const struct sign {
	const char *pattern, *kind, *help;
} signs[] = {
#include "signs-rows.h"
};

enum { N_SIGNS = sizeof signs / sizeof *signs };

/* What was compiled is kept: a folder may be full of such files. */
static bool
matches(const struct sign *s, const char *text, size_t len)
{
	static struct rx *kept[N_SIGNS];
	struct rx **rx = &kept[s - signs];
	struct buf err = BUF_INIT, multi = BUF_INIT;

	if (*rx == NULL) {
		buf_printf(&multi, "(?m)%s", s->pattern);
		*rx = rx_new(multi.p, multi.len, &err);
	}
	buf_done(&multi);
	buf_done(&err);
	return *rx && rx_match(*rx, text, len) == 1;
}

/* Appends what the file looks like, and what helps. */
static void
add_kind(const struct signs *s, struct buf *b)
{
	const struct packer *packer = packer_of(s->text, s->len);
	const struct sign *sign = signs, *end = signs + N_SIGNS;
	bool reads, own;

	if (packer) {
		buf_printf(b, "; it is packed by %s: try '%s %s'", packer->name,
		    packer->unpack[0], packer->unpack[1]);
		return;
	}
	while (sign < end && !matches(sign, s->text, s->len))
		sign++;
	reads = sign < end && sign->help &&
		bytes_starts(sign->help, strlen(sign->help), "kst-");
	own = sign < end && sign->help && (reads || *sign->help == '+') &&
	      strstr(sign->help, msg_prog);
	if (sign == end || (own && !bytes_starts(b->p, b->len, "no ")))
		return; /* a fault in what the command reads */
	buf_printf(b, "; it looks like %s", sign->kind);
	if (own || sign->help == NULL || *sign->help == '+')
		return;
	if (reads)
		buf_printf(b, ", which %.*s reads",
		    (int)strcspn(sign->help, " "), sign->help);
	else
		buf_printf(b, ": %s", sign->help);
}

void
signs_look(struct signs *s, const struct in *in)
{
	size_t have = (size_t)(in->end - in->p);

	s->name = in_name(in);
	s->len = have < sizeof s->text ? have : sizeof s->text;
	memcpy(s->text, in->p, s->len);
}

void
signs_say(const struct signs *s, const char *fault)
{
	struct buf text = BUF_INIT;

	buf_adds(&text, fault);
	add_kind(s, &text);
	summary_fault(1, buf_str(&text));
	msg("%s: %s", msg_str(s->name), buf_str(&text));
	buf_done(&text);
}

uint64_t
signs_files(struct in *in, signs_reader *read, void *ctx)
{
	uint64_t faults = 0;

	while (in_fill(in, 1)) {
		unsigned file_no = in->file_no;
		struct signs begin;
		const char *why;

		signs_look(&begin, in);
		why = read(ctx, in);
		if (why)
			signs_say(&begin, why);
		faults += why != NULL;
		in_skip_file(in, file_no);
	}
	return faults;
}

/* Captures ----------------------------------------------------------------- */

char *const *
look_unpacker(const char *p, size_t n)
{
	const struct packer *packer = packer_of(p, n);

	return packer && !packer->foreign ? packer->unpack : NULL;
}

bool
look_foreign(const char *p, size_t n)
{
	const struct packer *packer = packer_of(p, n);

	return packer && packer->foreign;
}

/* An object: neither trace text nor folded text begins like one. */
bool
look_json(const char *p, size_t n)
{
	size_t bom = bytes_starts(p, n, "\xef\xbb\xbf") ? 3 : 0;
	struct json j = json_of_text(p + bom, n - bom);

	return json_take(&j, '{') &&
	       (json_peek(&j) < 0 || memchr("\"}", json_peek(&j), 2));
}
