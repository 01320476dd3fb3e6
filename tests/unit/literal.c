/* SPDX-License-Identifier: ISC */
/* What a pattern cannot match without. */
#include "names/literal.h"

#include "unit.h"

static void
literal(const char *pattern, const char *want)
{
	char to[128];
	size_t len = literal_of(pattern, strlen(pattern), to);

	CHECK_TEXT(to, len, want);
}

static bool
may_have(const char *text, const char *word)
{
	struct grams g;
	uint16_t bits[GRAMS_MAX];
	uint8_t n = grams_some(word, strlen(word), bits);

	grams_of(&g, text, strlen(text));
	return grams_may_have(&g, bits, n);
}

int
main(void)
{
	literal("^ostd::mm::\\w+$", "ostd::mm::");
	literal("a\\.bcd\\(", "a.bcd(");
	literal("ab+cd*e{2}fg?", "ab");
	literal("x(abc|def)yz", "yz");
	literal("(?<=abc)de(?!fgh)", "de");
	literal("[]abc][^]def]gh", "gh");
	literal("\xc3\xa9?abc", "abc");
	/* none of it is needed, or not so */
	literal("abc|def", "");
	literal("(?i)abc", "");
	literal("a(?x) b c", "");
	literal("\\Qa|b\\E", "");
	literal("\\x61bc", "");
	literal("[^\\E]a[b\\]]x", "");
	literal("(*UTF)abc", "");
	literal("a?b*", "");

	CHECK(may_have("ostd::mm::heap", "mm::"));
	CHECK(may_have("ostd::mm::heap", "ostd::mm::heap"));
	CHECK(may_have("a", "b")); /* too short to tell */
	CHECK(!may_have("ostd::mm::heap", "sched"));
	CHECK(!may_have("", "sched"));
	return unit_end();
}
