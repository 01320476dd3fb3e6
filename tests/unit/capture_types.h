/* SPDX-License-Identifier: ISC */
/* The types of a kernel as BTF, for units: what tells processes apart. */
#ifndef CAPTURE_TYPES_H
#define CAPTURE_TYPES_H

#include "capture_kernel.h"

/* BTF, by Documentation/bpf/btf.rst. */
enum { INT = 1, PTR, ARRAY, STRUCT, UNION, FUNC = 12, VAR = 14 };

static struct buf types, strings;
static unsigned n_type;

static uint32_t
string(const char *s)
{
	const size_t at = strings.len;

	if (*s == 0)
		return 0;
	buf_add(&strings, s, strlen(s) + 1);
	return (uint32_t)at;
}

/* Returns the type's number; `more` are the words that follow it. */
static unsigned
type(const char *name, unsigned kind, unsigned parts, unsigned more)
{
	put_int(&types, string(name), 4);
	put_int(&types, kind << 24 | parts, 4);
	put_int(&types, 8, 4);
	while (more-- > 0)
		put_int(&types, 0xffffffff, 4);
	return ++n_type;
}

static void
member(const char *name, unsigned of, uint32_t bits)
{
	put_int(&types, string(name), 4);
	put_int(&types, of, 4);
	put_int(&types, bits, 4);
}

/* One of each kind before what is looked for: all have their own length. */
static void
add_kinds(void)
{
	type("int", INT, 0, 1);
	type("", PTR, 0, 0);
	type("", ARRAY, 0, 3);
	type("task_struct", UNION, 2, 6); /* no structure */
	type("e", 6, 3, 6);		  /* enum */
	type("mm_struct", 7, 0, 0);	  /* forward */
	type("t", 8, 0, 0);
	type("", 9, 0, 0);
	type("", 10, 0, 0);
	type("", 11, 0, 0);
	type("f", FUNC, 0, 0);
	type("", 13, 2, 4); /* a function's prototype */
	type("v", VAR, 0, 1);
	type("d", 15, 2, 6); /* a section */
	type("", 16, 0, 0);
	type("", 17, 0, 1);
	type("", 18, 0, 0);
	type("E", 19, 2, 6); /* an enum of 64 bits */
}

/* Where members are, in bytes. */
enum {
	MM = 0x130,
	TGID = 0x128,
	COMM = 0x1a0,
	EXECS = 0x120,
	ROOT = 0x48, /* in mm_struct: 0x40, and 8 in its maple_tree */
	PGD = 0x58,
	PIVOTS = 8,
	SLOTS = 128,
	A_SLOTS = 80,
	START = 0,
	END = 8,
	FILE_AT = 0x50,
	DENTRY = 0x18, /* 0x10 in file, and 8 in path */
	PARENT = 0x18,
	NAME_AT = 0x28 /* 0x20 in dentry, and 8 in qstr */
};

enum flaw { NONE, NO_EXECS, WIDE, FAR_SLOTS };

static void
add_structs(enum flaw flaw)
{
	const unsigned bits = 1u << 7; /* kind_flag, with `STRUCT << 24` */
	unsigned inner, deeper;

	deeper = type("", UNION, 2, 0);
	member("unused", 1, 0);
	member("mm", 2, 0x20 * 8);
	inner = type("", STRUCT, 2, 0);
	member("", 0, 0); /* of no type: nothing is in it */
	member("", deeper, 0x10 * 8);
	/* with bit fields: the upper byte is a size */
	type("task_struct", STRUCT | bits, flaw == NO_EXECS ? 4 : 5, 0);
	member("state", 1, 3u << 24 | 0);
	member("", inner, 0x100 * 8);
	member("tgid", 1, 5u << 24 | TGID * 8);
	member("comm", 1, flaw == WIDE ? 16u << 10 << 3 | MM << 3 : COMM * 8);
	if (flaw != NO_EXECS)
		member("self_exec_id", 1, EXECS * 8);
	type("maple_tree", STRUCT, 2, 0);
	member("ma_lock", 1, 0);
	member("ma_root", 2, 8 * 8);
	inner = type("", STRUCT, 1, 0);
	member("mm_mt", n_type - 1, 0x10 * 8);
	type("mm_struct", STRUCT, 2, 0);
	member("", inner, 0x30 * 8);
	member("pgd", 2, PGD * 8);
	type("maple_range_64", STRUCT, 2, 0);
	member("pivot", 3, PIVOTS * 8);
	member("slot", 3, (SLOTS + (flaw == FAR_SLOTS) * 8) * 8);
	type("maple_arange_64", STRUCT, 2, 0);
	member("pivot", 3, PIVOTS * 8);
	member("slot", 3, A_SLOTS * 8);
	type("vm_area_struct", STRUCT, 3, 0);
	member("vm_start", 1, START * 8);
	member("vm_end", 1, END * 8);
	member("vm_file", 2, FILE_AT * 8);
	type("file", STRUCT, 1, 0);
	member("f_path", 1, 0x10 * 8);
	type("path", STRUCT, 2, 0);
	member("mnt", 1, 0);
	member("dentry", 1, 8 * 8);
	type("dentry", STRUCT, 2, 0);
	member("d_parent", 2, PARENT * 8);
	member("d_name", 1, 0x20 * 8);
	type("qstr", STRUCT, 1, 0);
	member("name", 2, 8 * 8);
}

static struct buf
make_btf(enum flaw flaw)
{
	types.len = strings.len = n_type = 0;
	buf_addc(&strings, 0);
	add_kinds();
	add_structs(flaw);
	return kernel_btf(&types, &strings);
}

#endif
