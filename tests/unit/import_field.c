/* SPDX-License-Identifier: ISC */
/* Fields of protobuf's messages, also damaged ones. */
#include "field.h"
#include "unit.h"

#define MESSAGE(text) ((struct piece){text, sizeof text - 1})

static void
test_next(void)
{
	/* 1: 300; 2: "ab"; 3, 64 bits; 4, 32 bits; 16: 0 */
	struct piece m = MESSAGE("\x08\xac\x02\x12\2ab\x19"
				 "12345678\x25"
				 "1234\x80\1\0");
	struct field f;

	CHECK(field_next(&m, &f) == 1);
	CHECK(f.number == 1 && f.value == 300 && !f.is_bytes);
	CHECK(field_next(&m, &f) == 1 && f.number == 2 && f.is_bytes);
	CHECK_TEXT(f.bytes.p, f.bytes.len, "ab");
	CHECK(field_next(&m, &f) == 1 && f.number == 3 && !f.is_bytes);
	CHECK_TEXT(f.bytes.p, f.bytes.len, "12345678");
	CHECK(field_next(&m, &f) == 1 && f.number == 4 && f.bytes.len == 4);
	CHECK(field_next(&m, &f) == 1 && f.number == 16 && f.value == 0);
	CHECK(field_next(&m, &f) == 0);
	m = MESSAGE("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\1");
	CHECK(field_next(&m, &f) == 1 && f.value == UINT64_MAX);
}

static int
first(struct piece m)
{
	struct field f;

	return field_next(&m, &f);
}

static void
test_damage(void)
{
	CHECK(first(MESSAGE("\0\1")) == -1); /* field 0 */
	CHECK(first(MESSAGE("\2\0")) == -1);
	CHECK(first(MESSAGE("\x08")) == -1);	 /* no number, */
	CHECK(first(MESSAGE("\x08\x80")) == -1); /* and no end of one */
	CHECK(first(MESSAGE("\x80")) == -1);
	CHECK(first(MESSAGE("\x12")) == -1);
	CHECK(first(MESSAGE("\x12\2a")) == -1);
	CHECK(first(MESSAGE("\x12\1a")) == 1);
	CHECK(first(MESSAGE("\x19"
			    "1234567")) == -1);
	CHECK(first(MESSAGE("\x25"
			    "123")) == -1);
	CHECK(first(MESSAGE("\x0b")) == -1); /* a group */
	/* a number of eleven bytes */
	CHECK(first(MESSAGE("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"
			    "\1")) == -1);
}

static void
test_of(void)
{
	struct piece m = MESSAGE("\x08\1\x12\1a\x08\2\x12\1b"), bytes, some;
	uint64_t v[2], one;

	CHECK(field_bytes(&m, 2, &bytes) == 1 && *bytes.p == 'a');
	CHECK(field_bytes(&m, 2, &bytes) == 1 && *bytes.p == 'b');
	CHECK(field_bytes(&m, 2, &bytes) == 0);
	m = MESSAGE("\x10\1");
	CHECK(field_bytes(&m, 2, &bytes) == -1); /* a number */
	m = MESSAGE("\x12\1");
	CHECK(field_bytes(&m, 2, &bytes) == -1);
	/* alone, in one field, and cut */
	m = MESSAGE("\x08\5\x10\7\x0a\3\6\x80\1\x08\x08\x0a\1\x80");
	some.len = 0;
	CHECK(field_repeated(&m, 1, &some, &one) == 1 && one == 5);
	CHECK(field_repeated(&m, 1, &some, &one) == 1 && one == 6);
	CHECK(field_repeated(&m, 1, &some, &one) == 1 && one == 128);
	CHECK(field_repeated(&m, 1, &some, &one) == 1 && one == 8);
	CHECK(field_repeated(&m, 1, &some, &one) == -1);
	some.len = 0;
	CHECK(field_repeated(&m, 1, &some, &one) == 0);
	CHECK(field_numbers(MESSAGE("\x08\5\x18\7\x10\6\x10\x08"), v, 2));
	CHECK(v[0] == 5 && v[1] == 8);
	CHECK(field_numbers(MESSAGE("\x10\6"), v, 2) && v[0] == 0);
	CHECK(!field_numbers(MESSAGE("\x08\5\x10"), v, 2));
}

int
main(void)
{
	test_next();
	test_damage();
	test_of();
	return unit_end();
}
