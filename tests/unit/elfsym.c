/* SPDX-License-Identifier: ISC */
/* The program looks itself up. */
#include "elf/elfsym.h"

#include "base/buf.h"
#include "unit.h"

extern const char __ehdr_start[]; /* from the linker: where we are loaded */

int outer_function(int n);

int
outer_function(int n)
{
	return n * 3 + 1;
}

static void
test_self(void)
{
	struct buf err = BUF_INIT;
	struct elfsym *s = elfsym_load("/proc/self/exe", 0, &err);
#ifdef __arm__ /* a pointer to Thumb code is odd */
	const uint64_t addr = (uintptr_t)outer_function & ~(uintptr_t)1;
#else
	const uint64_t addr = (uint64_t)(uintptr_t)outer_function;
#endif
	const struct elfsym_frame *f;
	const unsigned char *data;
	struct elfsym_func func;
	uint64_t at, size;

	CHECK(s != NULL);
	if (s == NULL)
		return;
	elfsym_rebase(s, (uint64_t)(uintptr_t)__ehdr_start);
	CHECK(elfsym_damage(s) == NULL);
	CHECK(strcmp(elfsym_path(s), "/proc/self/exe") == 0);
	CHECK(strlen(elfsym_build_id(s)) == 40);
	CHECK(elfsym_nth(s, 20, &func) && !elfsym_nth(s, 1u << 31, &func));
	CHECK(elfsym_covers(s, addr) && !elfsym_covers(s, 16));
	CHECK(elfsym_find(s, addr, &func));
	CHECK_TEXT(func.name, func.len, "outer_function");
	CHECK(func.start == addr && func.end > addr);
	for (int round = 0; round < 2; round++) {
		CHECK(elfsym_frames(s, addr, &f) == 1);
		CHECK_TEXT(f->name, f->name_len, "outer_function");
		CHECK(elfsym_frames(s, 16, &f) == 0);
	}
	CHECK(elfsym_section(s, ".text", &at, &size, &data));
	CHECK(at <= addr && addr < at + size);
	CHECK(memcmp(data + (addr - at), (void *)(uintptr_t)addr, 4) == 0);
	CHECK(!elfsym_section(s, ".none", &at, &size, &data));
	elfsym_free(s);
	buf_done(&err);
}

static void
test_many(void)
{
	struct buf err = BUF_INIT;
	struct elfsym *s = elfsym_load("/proc/self/exe@+0", 0, &err);
	const struct elfsym_frame *f;
	size_t n = 0;

	/* More addresses than the cache holds. */
	for (uint64_t a = 0; a < 3000000; a++)
		n += elfsym_frames(s, a, &f);
	CHECK(n > 1000);
	elfsym_free(s);
	buf_done(&err);
}

static void
test_bad(void)
{
	struct buf err = BUF_INIT;

	CHECK(elfsym_load("/nonexistent/x@1000", 0, &err) == NULL);
	CHECK_TEXT(err.p, err.len, "/nonexistent/x: No such file or directory");
	err.len = 0;
	CHECK(elfsym_load("/dev/null", 0, &err) == NULL);
	CHECK_TEXT(err.p, err.len, "/dev/null: not a regular file");
	err.len = 0;
	CHECK(elfsym_load("/proc/self/exe@wrong", 0, &err) == NULL);
	err.len = 0;
	CHECK(elfsym_load("tests/unit/elfsym.c", 0, &err) == NULL);
	CHECK_TEXT(err.p, err.len, "tests/unit/elfsym.c: not an ELF file");
	buf_done(&err);
}

int
main(void)
{
	test_self();
	test_many();
	test_bad();
	return unit_end();
}
