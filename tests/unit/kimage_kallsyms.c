/* SPDX-License-Identifier: ISC */
/*
 * Lists of symbols, and tables of kallsyms of a few hundred names, with each
 * part of them wrong in turn.
 */
#include "kimage/kallsyms.h"

#include <stdlib.h>
#include "base/buf.h"
#include "kimage/ksyms.h"
#include "kimage_table.h"

/* Lists of symbols, as nm(1) and /proc/kallsyms print them. */
static bool
lists(const char *text, struct ksyms *k, const char *why)
{
	struct buf err = BUF_INIT;
	bool ok;

	*k = (struct ksyms){0};
	ok = ksyms_list(text, strlen(text), k, &err);
	CHECK_TEXT(err.p, err.len, why);
	buf_done(&err);
	return ok;
}

static const char *
name_of(const struct ksyms *k, size_t i)
{
	return k->names.p + k->v[i].st_name;
}

static void
test_lists(void)
{
	struct ksyms k;

	CHECK(lists("1000 a only\n", &k, "") && k.n == 2);
	CHECK(k.v[1].st_shndx == SHN_ABS && k.names.p[0] == 0);
	ksyms_done(&k);
	CHECK(lists("3000 t c\t[mod]\n1000 T a\n1000 t a2\n2000 D b\n"
		    "0 A z\n42000 w far\n42000 T _etext\n82000 W last",
	    &k, ""));
	CHECK(k.n == 9 && strcmp(name_of(&k, 1), "z") == 0);
	CHECK(k.v[1].st_shndx == SHN_ABS && k.v[2].st_shndx == 1);
	CHECK(strcmp(name_of(&k, 2), "a") == 0 && k.v[2].st_value == 0x1000);
	CHECK(strcmp(name_of(&k, 3), "a2") == 0 && k.v[3].st_size == 0x1000);
	CHECK(k.v[2].st_size == 0x1000);
	CHECK(ELF64_ST_TYPE(k.v[4].st_info) == STT_OBJECT);
	CHECK(strcmp(name_of(&k, 5), "c") == 0);
	CHECK(k.v[5].st_size == 0x3f000); /* less than 256 KiB */
	CHECK(ELF64_ST_TYPE(k.v[6].st_info) == STT_FUNC);
	CHECK(k.v[6].st_size == 4096); /* as the next one is far */
	CHECK(ELF64_ST_TYPE(k.v[7].st_info) == STT_OBJECT);
	CHECK(k.v[8].st_size == 4096);
	ksyms_move(&k, 0x10);
	CHECK(k.v[2].st_value == 0x1010 && k.v[2].st_size == 0x1000);
	ksyms_done(&k);
	CHECK(!lists("nothing\n", &k, "")); /* no list at all */
	ksyms_done(&k);
	CHECK(
	    !lists("10 T a\n10 Ta\n", &k, "line 2 is not `ADDRESS TYPE NAME'"));
	ksyms_done(&k);
	CHECK(!lists(
	    "10 T a\n1g T a\n", &k, "line 2 is not `ADDRESS TYPE NAME'"));
	ksyms_done(&k);
	CHECK(
	    !lists("10 T a\n10 T \n", &k, "line 2 is not `ADDRESS TYPE NAME'"));
	ksyms_done(&k);
	CHECK(!lists(
	    "10 T a\n10 Tab c\n", &k, "line 2 is not `ADDRESS TYPE NAME'"));
	ksyms_done(&k);
	CHECK(!lists("0 T a\n0 T b\n", &k,
	    "its addresses are all 0: /proc/kallsyms shows the real ones "
	    "only to root"));
	ksyms_done(&k);
	CHECK(!lists("", &k, ""));
	ksyms_done(&k);
}

static void
check_symbols(const struct ksyms *k, enum layout layout)
{
	const uint64_t from = layout == PLACES	? HEAD
			      : layout == IMAGE ? 0
						: BASE;

	CHECK(k->n == N + 1);
	CHECK(k->from == (layout == PLACES     ? KSYMS_TABLE
			     : layout == IMAGE ? KSYMS_IMAGE
					       : KSYMS_ZERO));
	for (unsigned i = 0; i < N && k->n == N + 1; i++) {
		const Elf64_Sym *s = &k->v[i + 1];
		uint64_t want = from + i * STEP;

		if (layout == PERCPU)
			want = i < 2 ? i * STEP : want - 2 * STEP + 1;
		CHECK(strcmp(name_of(k, i + 1), name_of_symbol(i, false) + 1) ==
		      0);
		CHECK(s->st_value == want);
		CHECK((ELF64_ST_TYPE(s->st_info) == STT_FUNC) == (i % 4 != 0));
	}
}

/* How many symbols are read from these bytes. */
static size_t
count_read(const struct buf *b, size_t from, size_t len)
{
	struct ksyms k = {0};
	size_t n, room;
	uint8_t *p = guarded(b->p + from, len, &room);

	kallsyms_read(p, len, &k);
	n = k.n;
	ksyms_done(&k);
	release(p, room);
	return n;
}

/* Where a table may be, and what of it must be there. */
static void
test_places(void)
{
	const size_t head = HEAD + N * STEP;
	struct buf b = make_names(AFTER, GOOD, 512), part = BUF_INIT;

	/* no name after the last marker */
	CHECK(count_read(&b, 0, b.len) == 513);
	buf_done(&b);
	b = make_names(AFTER, GOOD, 511);
	CHECK(count_read(&b, 0, b.len) == 512);
	buf_done(&b);
	b = make_names(AFTER, GOOD, 256);
	CHECK(count_read(&b, 0, b.len) == 257);
	buf_done(&b);
	/* the image begins with the number of names */
	b = make_table(AFTER, GOOD);
	CHECK(count_read(&b, head, b.len - head) == N + 1);
	/* names at once after their number: it is where 4 bytes are left */
	buf_add(&part, b.p, head - 4);
	buf_add(&part, b.p + head, 4);
	buf_add(&part, b.p + head + 8, b.len - head - 8);
	CHECK(count_read(&part, 0, part.len) == N + 1);
	buf_done(&b);
	buf_done(&part);
	/* the addresses before the number, and no more than these */
	b = make_table(BEFORE, GOOD);
	CHECK(count_read(&b, head, b.len - head) == N + 1);
	CHECK(count_read(&b, head + 8, b.len - head - 8) == 0);
	/* a bzImage and such have more after it; without tokens it is none */
	buf_add(&b, "xxxxxxxx", 8);
	CHECK(count_read(&b, 0, b.len) == N + 1);
	CHECK(count_read(&b, 0, b.len - 8) == N + 1);
	CHECK(count_read(&b, 0, b.len - 9) == 0);
	CHECK(count_read(&b, 0, 0) == 0);
	buf_done(&b);
}

/* A file may end anywhere: what is left of the addresses is all or nothing. */
static void
test_cut(void)
{
	for (int layout = BEFORE; layout <= IMAGE; layout++) {
		struct buf b = make_table((enum layout)layout, GOOD);

		for (size_t cut = 0; cut < 8000; cut += cut < 20 ? 1 : 301) {
			const size_t n = count_read(&b, 0, b.len - cut);

			CHECK(n == N + 1 || (cut > 0 && n == 0));
		}
		buf_done(&b);
	}
}

static void
test_kallsyms(void)
{
	struct ksyms k;
	struct buf b;

	for (int layout = BEFORE; layout <= IMAGE; layout++)
		for (int fault = GOOD; fault <= NOT_ZERO; fault++) {
			k = (struct ksyms){0};
			b = make_table((enum layout)layout, (enum fault)fault);
			kallsyms_read((uint8_t *)b.p, b.len, &k);
			if (fault == GOOD)
				check_symbols(&k, (enum layout)layout);
			else if (fault == SAME && layout != BEFORE &&
				 layout != PERCPU && layout != PLACES)
				CHECK(k.from == KSYMS_TABLE);
			else if (fault == NOT_ZERO &&
				 (layout == PLACES || layout == AFTER ||
				     layout == IMAGE))
				CHECK(k.from == KSYMS_TABLE);
			else
				CHECK(k.n == 0);
			ksyms_done(&k);
			buf_done(&b);
		}
	/* the addresses are cut */
	k = (struct ksyms){0};
	b = make_table(PLACES, GOOD);
	kallsyms_read((uint8_t *)b.p, b.len - 1, &k);
	CHECK(k.n == 0);
	ksyms_done(&k);
	buf_done(&b);
}

int
main(void)
{
	test_lists();
	test_kallsyms();
	test_places();
	test_cut();
	return unit_end();
}
