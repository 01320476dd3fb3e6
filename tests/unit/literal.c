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

/* Those of alternatives, with a blank after each. */
static void
literals(const char *pattern, const char *want)
{
	char to[128], all[256], *end = all;
	const char *p = to;
	size_t lens[4];
	size_t n = literals_of(pattern, strlen(pattern), to, lens, 4);

	for (size_t i = 0; i < n; p += lens[i++]) {
		memcpy(end, p, lens[i]);
		end += lens[i];
		*end++ = ' ';
	}
	CHECK_TEXT(all, (size_t)(end - all), want);
}

/* The numbers of the literals that the sieve finds. */
static void
found(const char *text, const char *want)
{
	static const char *const words[] = {
	    "mm::", "sched", "a", "ostd::mm::heap", "::mm::", "mm::heap"};
	enum { N = sizeof words / sizeof *words, MORE = 70 };
	struct literal all[N + MORE];
	char seen[2 * N + 1], *to = seen;
	struct sieve *s;

	for (size_t i = 0; i < N + MORE; i++)
		all[i].p = i < N ? words[i] : "other::name";
	for (size_t i = 0; i < N + MORE; i++)
		all[i].len = strlen(all[i].p);
	s = sieve_new(all, N + MORE);
	sieve_find(s, text, strlen(text));
	for (size_t i = 0; (i = sieve_next(s, i)) < N + MORE; i++)
		*to++ = i < N ? (char)('0' + i) : '+';
	CHECK_TEXT(seen, (size_t)(to - seen), want);
	sieve_free(s);
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

	literals("abc", "abc ");
	literals("ab+c|(?:x|y)de|f.ghi", "ab de ghi ");
	literals("(?i)Idle(?![a-z]*r)|A\\.B", "idle a.b ");
	/* `s` and `k` are other letters, too, if case does not matter */
	literals("(?i)task|wake", "ta wa ");
	literals("(?i)ask?b|x", "a x ");
	literals("task", "task ");
	literals("a|b|c|d", "a b c d ");
	literals("a|b|c|d|e", "");
	literals("a||b", "");
	literals("ab|", "");
	literals("ab|(?:cd)", "");
	literals("(?i)ks|ab", "");
	literals("(?i)ab|(?-i)cd", "");

	found("ostd::mm::heap", "02345");
	found("mm::", "02");
	found("mm:", "2"); /* `a` is too short to tell */
	found("::mm::hea", "024");
	found("schemm::hsched", "012");
	found("", "2");
	return unit_end();
}
