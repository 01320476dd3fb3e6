/* SPDX-License-Identifier: ISC */
/* Where structures have their members: BTF, also damaged. */
#include "linux/btf.h"

#include "capture_types.h"

/* Eight structures in each other, each eight times: all are not looked at. */
static void
test_nested(void)
{
	const unsigned char *p;
	struct buf b;
	struct btf t;
	unsigned inner;

	types.len = strings.len = n_type = 0;
	buf_addc(&strings, 0);
	inner = type("", STRUCT, 1, 0);
	member("none", 1, 0);
	for (int i = 0; i < 7; i++) {
		const unsigned of = inner;

		inner = type("", STRUCT, 8, 0);
		for (int j = 0; j < 8; j++)
			member("", of, 0);
	}
	type("few", STRUCT, 2, 0);
	member("", inner - 5, 0);
	member("m", 1, 64);
	type("many", STRUCT, 1, 0);
	member("", inner, 0);
	type("many", STRUCT, 1, 0);
	member("m", 1, 64);
	/* one that is in itself */
	type("ring", STRUCT, 2, 0);
	member("", n_type, 64);
	member("m", 1, 64);
	b = kernel_btf(&types, &strings);
	p = (unsigned char *)b.p;
	CHECK(btf_open(&t, p, b.len) == 0);
	CHECK(btf_member(&t, "few.m") == 8);
	CHECK(btf_member(&t, "many.m") == -1);
	CHECK(btf_member(&t, "ring.none") == -1);
	CHECK(btf_member(&t, "ring.m") == 72);
	btf_close(&t);
	buf_done(&b);
}

static void
test_btf(void)
{
	struct buf b = make_btf(NONE);
	const unsigned char *p = (unsigned char *)b.p;
	struct btf t;

	CHECK(btf_open(&t, p, b.len) == 0);
	CHECK(btf_member(&t, "task_struct.mm") == MM);
	CHECK(btf_member(&t, "task_struct.tgid") == TGID);
	CHECK(btf_member(&t, "task_struct.unused") == 0x110);
	CHECK(btf_member(&t, "mm_struct.mm_mt+maple_tree.ma_root") == ROOT);
	CHECK(btf_member(&t, "mm_struct.mm_mt+maple_tree.none") == -1);
	CHECK(btf_member(&t, "mm_struct.none+maple_tree.ma_root") == -1);
	CHECK(btf_member(&t, "qstr.name") == 8);
	CHECK(btf_member(&t, "qst.name") == -1);
	CHECK(btf_member(&t, "e.name") == -1);
	btf_close(&t);
	CHECK(btf_open(&t, p, 23) == -1);
	CHECK(btf_open(&t, p, b.len - 1) == -1);
	b.p[28 + strings.len - 1] = 'x'; /* strings without an end */
	CHECK(btf_open(&t, p, b.len) == -1);
	b.p[28 + strings.len - 1] = 0;
	/* what follows a type that is cut, or of an unknown kind, is unknown */
	b.p[12] = (char)(types.len - 1), b.p[13] = (char)((types.len - 1) >> 8);
	CHECK(btf_open(&t, p, b.len) == 0);
	CHECK(btf_member(&t, "dentry.d_name") == 0x20);
	CHECK(btf_member(&t, "qstr.name") == -1);
	btf_close(&t);
	buf_done(&b);
}

int
main(void)
{
	test_btf();
	test_nested();
	return unit_end();
}
