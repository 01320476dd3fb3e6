/* SPDX-License-Identifier: ISC */
#include "folding.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "key.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "names/rules.h"
#include "io/share.h"
#include "base/xalloc.h"

static const char rules_name[] = "openbsd-dt";

enum {
	RULES_BYTES_MAX = 1 << 20,
	/* An entry is searched among so many frames: dt(4) saves 19. */
	ENTRY_WITHIN = 20
};

struct own_frames {
	struct rules *rules;
	struct buf name;
};

static int
read_rules(struct buf *path, struct buf *text)
{
	if (share_find("rules", rules_name, ".rules", path) == 0)
		return share_read(buf_str(path), RULES_BYTES_MAX, text);
	msg_errno("rules '%s'", rules_name);
	return -1;
}

/* Lists in *without the groups but [CONTEXT] and [CONTEXT-ARCH]. */
static int
choose_groups(const struct buf *text, const char *context, const char *arch,
    struct buf *without)
{
	bool knows_context = false, knows_arch = arch == NULL;
	const char *p = text->p, *nl, *end = text->p + text->len;
	size_t n = strlen(context), len;

	for (; p < end; p = nl + 1) {
		const char *dash;
		bool same_arch, same_context;

		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		len = (size_t)(nl - p);
		if (len < 3 || *p != '[' || p[len - 1] != ']')
			continue;
		p++;
		len -= 2;
		dash = memchr(p, '-', len);
		same_context = bytes_starts(p, len, context) &&
			       (len == n || p + n == dash);
		same_arch =
		    dash && (!arch || bytes_is(dash + 1,
					  (size_t)(p + len - dash - 1), arch));
		knows_context |= same_context && !dash;
		knows_arch |= same_arch;
		if (same_context && (!dash || same_arch))
			continue;
		buf_add(without, p, len);
		buf_addc(without, ',');
	}
	if (!knows_context)
		msg("--context: no rules for '%s' in %s.rules",
		    msg_str(context), rules_name);
	else if (!knows_arch)
		msg("--arch: no rules for '%s' in %s.rules", msg_str(arch),
		    rules_name);
	return knows_context && knows_arch ? 0 : -1;
}

struct own_frames *
own_new(const char *context, const char *arch, int *bad_name)
{
	struct buf path = BUF_INIT, text = BUF_INIT, without = BUF_INIT;
	struct own_frames *o = xcalloc(1, sizeof *o);
	int status;

	*bad_name = 0;
	o->rules = rules_new();
	status = read_rules(&path, &text);
	if (status == 0) {
		status = choose_groups(&text, context, arch, &without);
		*bad_name = status != 0;
	}
	if (status == 0)
		status = rules_add_text(
		    o->rules, path.p, text.p, text.len, buf_str(&without));
	buf_done(&path);
	buf_done(&text);
	buf_done(&without);
	if (status == 0)
		return o;
	own_free(o);
	return NULL;
}

void
own_free(struct own_frames *o)
{
	if (o == NULL)
		return;
	rules_free(o->rules);
	buf_done(&o->name);
	free(o);
}

static unsigned
flags_of(struct own_frames *o, struct key_span frame)
{
	struct key_span f = frame_name(frame, false);

	o->name.len = 0;
	buf_add(&o->name, f.p, f.len);
	return rules_apply(o->rules, &o->name);
}

size_t
own_count(struct own_frames *o, const struct key_span *frames, size_t n)
{
	size_t run = 0, i;
	bool in_run = true;

	for (i = 0; i < n && i < ENTRY_WITHIN; i++) {
		unsigned flags = flags_of(o, frames[i]);

		if (flags & RULE_SKIP_PAST) { /* an entry may be two frames */
			for (i++; i < n; i++)
				if (!(flags_of(o, frames[i]) & RULE_SKIP_PAST))
					break;
			return i;
		}
		in_run &= (flags & RULE_SKIP) != 0;
		if (in_run)
			run = i + 1;
		else if (run == 0)
			return 0;
	}
	return run;
}
