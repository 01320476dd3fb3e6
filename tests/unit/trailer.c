/* SPDX-License-Identifier: ISC */
#include "text/trailer.h"

#include "base/buf.h"
#include "text/folded.h"
#include "unit.h"

static bool
line(struct trailer *t, const char *s)
{
	return trailer_read(t, s, strlen(s));
}

static void
check_put(const struct trailer *t, const char *want)
{
	struct buf b = BUF_INIT;

	trailer_put(t, &b);
	CHECK_TEXT(b.p, b.len, want);
	buf_done(&b);
}

static void
test_read(void)
{
	struct trailer t = {0};
	struct count c;

	CHECK(!line(&t, "# kst"));
	CHECK(!line(&t, "# a comment"));
	CHECK(!line(&t, "a;b 3"));
	CHECK(!line(&t, "a#kst:x=1"));
	CHECK(t.lines == 0);
	check_put(&t, "");
	CHECK(line(&t, "# kst  z=1 cut=2 =x y= unit=ns rate=9.5 unit=s w\r"));
	CHECK(strcmp(trailer_get(&t, "unit"), "ns") == 0);
	CHECK(trailer_get(&t, "y") == NULL && trailer_get(&t, "w") == NULL);
	CHECK(trailer_count(&t, "rate", &c) && c.whole == 9 &&
	      c.frac == 500000000000000000u);
	CHECK(!trailer_count(&t, "unit", &c));
	check_put(&t, "#kst:unit=ns,rate=9.5,cut=2,z=1\n");
}

static void
test_add(void)
{
	struct trailer t = {0};

	line(&t, "host 1;#kst:unit=samples,captures=2,begin=5.5,end=7,cpus=4,"
		 "stopped=0.25,build-id=ab,x=1,once=1,cut=1");
	/* as earlier kst wrote it */
	line(&t, "# kst unit=samples captures=3 begin=6 end=9.5 cpus=2 "
		 "stopped=0.75 build-id=cd x=1 cut=18446744073709551615");
	check_put(&t, "#kst:unit=samples,captures=5,cpus=4,stopped=1,"
		      "begin=5.5,end=9.5,x=1\n");
	/* what was lost stays lost */
	line(&t, "#kst:unit=ns,captures=1,build-id=ab,x=1,cut=1,once=1");
	check_put(&t, "#kst:captures=6,x=1\n");
	CHECK(trailer_mixed(&t));
	trailer_add_none(&t);
	check_put(&t, "");
}

static void
test_set(void)
{
	struct trailer t = {0};
	char many[4096];
	size_t n = 0;

	trailer_set(&t, "unit", "a,word");
	trailer_set(&t, "cut", NULL);
	trailer_set(&t, "rate", "9");
	trailer_set(&t, "rate", NULL);
	trailer_set(&t, "captures", "12");
	check_put(&t, "#kst:unit=a_word,captures=12\n");
	n = (size_t)sprintf(many, "# kst ");
	for (int i = 0; i < 300; i++)
		n += (size_t)sprintf(many + n, "k%d=1 ", i);
	memset(&t, 0, sizeof t);
	CHECK(trailer_read(&t, many, n) && t.n == TRAILER_KEYS);
	memset(many + 8, 'v', 3000);
	many[7] = '=';
	memset(&t, 0, sizeof t);
	CHECK(trailer_read(&t, many, 3000) && t.n == 0);
}

int
main(void)
{
	test_read();
	test_add();
	test_set();
	return unit_end();
}
