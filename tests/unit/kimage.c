/* SPDX-License-Identifier: ISC */
/*
 * What kernels are packed with, as libraries pack it, also damaged; lists of
 * symbols; and tables of kallsyms of a few hundred names, with each part of
 * them wrong in turn.
 */
#include <gelf.h>
#include <libelf.h>
#include <lz4.h>
#include <lzma.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "kimage/flat.h"
#include "kimage/kallsyms.h"
#include "kimage/kimage.h"
#include "kimage/ksyms.h"
#include "kimage/unpack.h"
#include "kimage/view.h"
#include "unit.h"

enum { SIZE = 300000, ROOM = 400000, BLOCK = 8 << 20 };

static uint8_t plain[SIZE], packed[ROOM];

static void
make_plain(void)
{
	uint32_t v = 1;

	for (size_t i = 0; i < SIZE; i++) {
		v = v * 1103515245 + 12345;
		plain[i] = i % 7 ? (uint8_t)(v >> 16) : 0;
	}
}

/* Packs all of it; returns the size. */
static size_t
pack(const char *how)
{
	size_t n = 0;

	if (strcmp(how, "gzip") == 0) {
		z_stream z = {.next_in = plain,
		    .avail_in = SIZE,
		    .next_out = packed,
		    .avail_out = ROOM};

		deflateInit2(&z, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, 0);
		CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
		n = z.total_out;
		deflateEnd(&z);
	} else if (strcmp(how, "xz") == 0) {
		CHECK(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, plain,
			  SIZE, packed, &n, ROOM) == LZMA_OK);
	} else if (strcmp(how, "lzma") == 0) {
		lzma_options_lzma o;
		lzma_stream z = LZMA_STREAM_INIT;

		lzma_lzma_preset(&o, 0);
		CHECK(lzma_alone_encoder(&z, &o) == LZMA_OK);
		z.next_in = plain, z.avail_in = SIZE;
		z.next_out = packed, z.avail_out = ROOM;
		CHECK(lzma_code(&z, LZMA_FINISH) == LZMA_STREAM_END);
		n = z.total_out;
		lzma_end(&z);
	} else {
		ZSTD_CCtx *z = ZSTD_createCCtx();

		ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
		n = ZSTD_compress2(z, packed, ROOM, plain, SIZE);
		ZSTD_freeCCtx(z);
	}
	return n;
}

/* Whether n bytes unpack to all, with an error's text where they do not. */
static bool
unpacks(const uint8_t *p, size_t n, const char *why)
{
	struct buf to = BUF_INIT, err = BUF_INIT;
	const bool ok = unpack(p, n, &to, &err);

	CHECK_TEXT(err.p, err.len, why);
	CHECK(!ok || (to.len == SIZE && memcmp(to.p, plain, SIZE) == 0));
	buf_done(&to);
	buf_done(&err);
	return ok;
}

static void
test_formats(void)
{
	static const char *const how[] = {"gzip", "xz", "lzma", "zstd"};
	char why[64];

	for (int i = 0; i < 4; i++) {
		size_t n = pack(how[i]);

		CHECK(unpack_knows(packed, n));
		CHECK(unpacks(packed, n, ""));
		memset(packed + n, 0xa5, 100); /* as a size behind it */
		CHECK(unpacks(packed, n + 100, ""));
		snprintf(why, sizeof why,
		    "a kernel packed with %s, which is damaged", how[i]);
		CHECK(!unpacks(packed, n / 2, why));
		memset(packed + 100, 0xa5, 100);
		memset(packed + 1000, 0x5a, 100);
		CHECK(!unpacks(packed, n, why));
	}
	CHECK(!unpacks((const uint8_t *)"BZh9....", 8,
	    "a kernel packed with bzip2, which kst does not unpack"));
	CHECK(!unpacks((const uint8_t *)"\211LZO....", 8,
	    "a kernel packed with lzo, which kst does not unpack"));
	CHECK(!unpacks((const uint8_t *)"nothing", 7,
	    "a kernel packed with something unknown, which kst does not "
	    "unpack"));
	CHECK(!unpack_knows((const uint8_t *)"BZh", 3));
	CHECK(unpack_knows((const uint8_t *)"BZh9", 4));
}

/* A block of lz4 that is n literals, so larger than it is unpacked. */
static void
add_block(struct buf *b, uint8_t value, size_t n)
{
	const size_t at = b->len;
	size_t rest = n - 15, size;

	buf_add(b, "\0\0\0\0\xf0", 5);
	for (; rest >= 255; rest -= 255)
		buf_addc(b, (char)255);
	buf_addc(b, (char)rest);
	buf_room(b, n);
	memset(b->p + b->len, value, n);
	b->len += n;
	size = b->len - at - 4;
	for (int i = 0; i < 4; i++)
		b->p[at + (size_t)i] = (char)(size >> 8 * i);
}

static void
test_lz4(void)
{
	struct buf b = BUF_INIT, to = BUF_INIT, err = BUF_INIT;
	size_t first, n;

	buf_add(&b, "\002\041\114\030", 4);
	n = b.len;
	CHECK(!unpack((uint8_t *)b.p, 4, &to, &err)); /* no more than that */
	err.len = 0;
	add_block(&b, 1, BLOCK);
	first = b.len;
	CHECK(first - n > BLOCK + 4);
	add_block(&b, 2, 100);
	n = b.len;
	add_block(&b, 3, 100); /* after one that is not full: not its */
	CHECK(unpack((uint8_t *)b.p, b.len, &to, &err) && err.len == 0);
	CHECK(to.len == BLOCK + 100);
	CHECK(to.p[0] == 1 && to.p[BLOCK - 1] == 1);
	CHECK(to.p[BLOCK] == 2 && to.p[BLOCK + 99] == 2);
	to.len = 0;
	CHECK(unpack((uint8_t *)b.p, n, &to, &err) && to.len == BLOCK + 100);
	/* the size of all after a last full one is not a block */
	to.len = 0;
	memcpy(b.p + first, "\0\0\x80\0", 4);
	CHECK(unpack((uint8_t *)b.p, first + 4, &to, &err));
	CHECK(to.len == BLOCK);
	/* a block that says more than it has */
	to.len = 0;
	b.p[8] = 0x0f;
	CHECK(!unpack((uint8_t *)b.p, n, &to, &err));
	CHECK_TEXT(
	    err.p, err.len, "a kernel packed with lz4, which is damaged");
	buf_done(&b);
	buf_done(&to);
	buf_done(&err);
}

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

	CHECK(lists("3000 t c\t[mod]\n1000 T a\n1000 t a2\n2000 D b\n"
		    "0 A z\n42000 w far\n42000 T _etext\n142000 W last",
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
	CHECK(!lists("0 T a\n0 T b\n", &k,
	    "its addresses are all 0: /proc/kallsyms shows them to root"));
	ksyms_done(&k);
	CHECK(!lists("", &k, ""));
	ksyms_done(&k);
}

/* kallsyms: N names, the type `t` and letters, each a token of its own. */
enum { N = 600, STEP = 16, HEAD = 4096 };
#define BASE UINT64_C(0xffffffff81000000)

/* What is wrong with it. */
enum fault {
	GOOD,
	FEW,	    /* less than 256 names */
	BAD_MARKER, /* one is not where it says */
	BAD_TYPE,   /* of a symbol */
	NO_NAME,    /* of length 0 */
	BAD_TOKEN,  /* one does not end where the next one begins */
	FALLING,    /* addresses that do not rise */
	NOT_ZERO    /* the first distance */
};

/* Where the addresses are, and what they count from. */
enum layout { BEFORE, AFTER, PLACES, PERCPU };

static void
put(struct buf *b, uint64_t v, unsigned bytes)
{
	while (bytes-- > 0) {
		buf_addc(b, (char)v);
		v >>= 8;
	}
}

static void
pad(struct buf *b, size_t to)
{
	while (b->len % to != 0)
		buf_addc(b, 0);
}

static void
put_addresses(struct buf *b, enum layout layout, enum fault fault, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint32_t v = i * STEP;

		if (layout == PERCPU && i > 1)
			v = ~(v - 2 * STEP); /* the first two are absolute */
		else if (layout == PLACES)
			v = HEAD + i * STEP - (uint32_t)b->len;
		if (fault == FALLING && i == n / 2)
			v -= 2 * STEP;
		if (fault == NOT_ZERO && i == 0)
			v++;
		put(b, v, 4);
	}
	if (layout == PLACES)
		return;
	pad(b, 8);
	put(b, BASE, 8);
}

/* The name of symbol i, with its type. */
static const char *
name_of_symbol(unsigned i)
{
	static char name[16];

	snprintf(name, sizeof name, "%cname%u", i % 4 ? 't' : 'D', i);
	return name;
}

static void
put_names(struct buf *b, enum fault fault, unsigned n)
{
	struct buf names = BUF_INIT, marks = BUF_INIT;

	for (unsigned i = 0; i < n; i++) {
		const char *name = name_of_symbol(i);

		if (i % 256 == 0)
			put(&marks,
			    names.len + (fault == BAD_MARKER && i == 512), 4);
		buf_addc(&names,
		    fault == NO_NAME && i == 9 ? 0 : (char)strlen(name));
		buf_adds(&names, name);
		if (fault == BAD_TYPE && i == 9)
			names.p[names.len - strlen(name)] = 'x';
	}
	put(b, n, 4);
	pad(b, 8);
	buf_add(b, names.p, names.len);
	pad(b, 8);
	buf_add(b, marks.p, marks.len);
	pad(b, 8);
	buf_done(&names);
	buf_done(&marks);
}

static void
put_tokens(struct buf *b, enum fault fault)
{
	struct buf index = BUF_INIT;
	const size_t from = b->len;

	for (int i = 0; i < 256; i++) {
		put(&index, b->len - from + (fault == BAD_TOKEN && i == 99), 2);
		if (i > ' ' && i < 127)
			buf_addc(b, (char)i);
		else
			buf_printf(b, "q%d", i);
		buf_addc(b, 0);
	}
	pad(b, 8);
	buf_add(b, index.p, index.len);
	buf_done(&index);
}

/* An image of that; what is before the table looks like nothing. */
static struct buf
make_table(enum layout layout, enum fault fault)
{
	const unsigned n = fault == FEW ? 255 : N;
	struct buf b = BUF_INIT;

	buf_room(&b, HEAD + N * STEP);
	memset(b.p, 0xcc, HEAD + N * STEP);
	b.len = HEAD + N * STEP;
	if (layout == BEFORE || layout == PERCPU)
		put_addresses(&b, layout, fault, n);
	put_names(&b, fault, n);
	put_tokens(&b, fault);
	if (layout == AFTER || layout == PLACES)
		put_addresses(&b, layout, fault, n);
	return b;
}

static void
check_symbols(const struct ksyms *k, enum layout layout)
{
	const uint64_t from = layout == PLACES ? HEAD : BASE;

	CHECK(k->n == N + 1);
	CHECK(k->from == (layout == PLACES ? KSYMS_TABLE : KSYMS_ZERO));
	for (unsigned i = 0; i < N && k->n == N + 1; i++) {
		const Elf64_Sym *s = &k->v[i + 1];
		uint64_t want = from + i * STEP;

		if (layout == PERCPU)
			want = i < 2 ? i * STEP : want - 2 * STEP;
		CHECK(strcmp(name_of(k, i + 1), name_of_symbol(i) + 1) == 0);
		CHECK(s->st_value == want);
		CHECK((ELF64_ST_TYPE(s->st_info) == STT_FUNC) == (i % 4 != 0));
	}
}

static void
test_kallsyms(void)
{
	struct ksyms k;
	struct buf b;

	for (int layout = BEFORE; layout <= PERCPU; layout++)
		for (int fault = GOOD; fault <= NOT_ZERO; fault++) {
			k = (struct ksyms){0};
			b = make_table((enum layout)layout, (enum fault)fault);
			kallsyms_read((uint8_t *)b.p, b.len, &k);
			if (fault == GOOD)
				check_symbols(&k, (enum layout)layout);
			else if (fault == NOT_ZERO &&
				 (layout == PLACES || layout == AFTER))
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

/* An Image of arm64 at BASE, with pointers to its symbols. */
static struct buf
make_image(enum layout layout, unsigned pointers)
{
	struct buf b = make_table(layout, GOOD);

	memset(b.p, 0, HEAD);
	memcpy(b.p + 56, "ARM\144", 4);
	b.p[16 + 2] = 2; /* its size: 128 KiB */
	pad(&b, 8);
	for (unsigned i = 0; i < pointers; i++)
		put(&b, BASE + HEAD + i * STEP, 8);
	return b;
}

static void
check_image(const struct buf *b, bool found)
{
	struct view v = {.p = (const uint8_t *)b->p, .len = b->len};
	struct ksyms k = {0};
	FILE *f = tmpfile();
	const Elf64_Phdr *ph = v.segment;

	CHECK(f != NULL && view_begin(&v, fileno(f)));
	CHECK(flat_read(&v, &k) == found);
	if (found) {
		CHECK(k.v[1].st_value == BASE + HEAD);
		CHECK(k.v[2].st_size == STEP);
		CHECK(v.n_segment == 1 && ph->p_vaddr == BASE);
		CHECK(ph->p_offset == VIEW_GAP && ph->p_filesz == b->len);
		CHECK(ph->p_memsz == 2 << 16 && !v.is_cut);
	}
	view_done(&v);
	ksyms_done(&k);
	fclose(f);
}

static void
test_flat(void)
{
	uint8_t head[64] = "MZ";
	struct buf b;

	CHECK(flat_machine(head, 64) == EM_NONE);
	memcpy(head + 56, "ARM\144", 4);
	CHECK(flat_machine(head, 64) == EM_AARCH64);
	CHECK(flat_machine(head, 63) == EM_NONE);
	memcpy(head + 56, "RSC\005", 4);
	CHECK(flat_machine(head, 64) == EM_RISCV);
	memcpy(head + 56, "\xcd\x23\x82\x81", 4);
	CHECK(flat_machine(head, 64) == 258);
	*head = 0;
	CHECK(flat_machine(head, 64) == EM_NONE);
	b = make_image(PLACES, 100);
	check_image(&b, true);
	buf_done(&b);
	b = make_image(PLACES, 17);
	check_image(&b, true);
	buf_done(&b);
	b = make_image(PLACES, 16); /* they are too few */
	check_image(&b, false);
	buf_done(&b);
}

/* Packed ELF files, of which what is loaded stays. */
static Elf_Scn *
section(Elf *elf, uint32_t name, uint32_t type, uint64_t flags, size_t n)
{
	static char bytes[64] = "bytes of a section";
	Elf_Scn *scn = elf_newscn(elf);
	Elf64_Shdr *sh = elf64_getshdr(scn);
	Elf_Data *d = elf_newdata(scn);

	sh->sh_name = name;
	sh->sh_type = type;
	sh->sh_flags = flags;
	sh->sh_addr = BASE + 0x1000 * elf_ndxscn(scn);
	d->d_buf = type == SHT_NOBITS ? NULL : bytes;
	d->d_size = n;
	d->d_align = 1;
	d->d_type = ELF_T_BYTE;
	return scn;
}

static FILE *
make_elf(int class)
{
	static const char names[] = "\0.text\0.note\0.bss\0.debug\0.tail";
	FILE *f = tmpfile();
	Elf *elf = elf_begin(fileno(f), ELF_C_WRITE, NULL);
	Elf64_Phdr *ph;
	Elf64_Ehdr *h;

	if (class == ELFCLASS32) {
		elf32_newehdr(elf)->e_machine = EM_386;
		CHECK(elf_update(elf, ELF_C_WRITE) > 0);
		elf_end(elf);
		return f;
	}
	h = elf64_newehdr(elf);
	ph = elf64_newphdr(elf, 2);
	section(elf, 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 40);
	section(elf, 7, SHT_NOTE, SHF_ALLOC, 20);
	section(elf, 13, SHT_NOBITS, SHF_ALLOC, 30);
	section(elf, 18, SHT_PROGBITS, 0, 40);
	elf64_getshdr(section(elf, 0, SHT_STRTAB, 0, 0))->sh_size = 0;
	elf_getdata(elf_getscn(elf, 5), NULL)->d_buf = (char *)(uintptr_t)names;
	elf_getdata(elf_getscn(elf, 5), NULL)->d_size = sizeof names;
	h->e_ident[EI_DATA] = ELFDATA2LSB;
	h->e_machine = EM_X86_64;
	h->e_shstrndx = 5;
	ph[0] = (Elf64_Phdr){.p_type = PT_NOTE, .p_vaddr = 1};
	ph[1] = (Elf64_Phdr){.p_type = PT_LOAD,
	    .p_offset = 0x40,
	    .p_vaddr = BASE,
	    .p_filesz = 100,
	    .p_memsz = 200};
	CHECK(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
	return f;
}

/* What libelf finds in the file that is made of the packed one. */
static void
check_view(int fd)
{
	static const char *const want[] = {"", ".text", ".note", ".shstrtab"};
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	size_t names = 0, n = 0, segments = 0;
	GElf_Ehdr h = {.e_type = 0};
	GElf_Phdr ph = {0};
	GElf_Shdr sh;

	CHECK(gelf_getehdr(elf, &h) != NULL && h.e_machine == EM_X86_64);
	CHECK(h.e_type == ET_EXEC);
	elf_getshdrstrndx(elf, &names);
	elf_getshdrnum(elf, &n);
	elf_getphdrnum(elf, &segments);
	CHECK(n == 4 && segments == 1);
	CHECK(gelf_getphdr(elf, 0, &ph) != NULL && ph.p_vaddr == BASE);
	CHECK(ph.p_offset == VIEW_GAP + 0x40 && ph.p_memsz == 200);
	for (size_t i = 1; i < n && i < 4; i++) {
		Elf_Scn *scn = elf_getscn(elf, i);
		Elf_Data *d = elf_rawdata(scn, NULL);
		const char *s;

		CHECK(gelf_getshdr(scn, &sh) != NULL);
		s = elf_strptr(elf, names, sh.sh_name);
		CHECK(s != NULL && strcmp(s, want[i]) == 0);
		if (i == 3)
			break;
		CHECK(sh.sh_addr == BASE + 0x1000 * i);
		CHECK(d != NULL && d->d_size == (i == 1 ? 40 : 20));
		CHECK(d && memcmp(d->d_buf, "bytes of a section", 18) == 0);
	}
	elf_end(elf);
}

/* Packs a file by gzip, and has it opened; -1: why is in err. */
static int
open_packed(FILE *f, struct buf *err)
{
	z_stream z = {.next_out = packed, .avail_out = ROOM};
	static uint8_t bytes[ROOM];
	FILE *to = tmpfile();
	int fd;

	rewind(f);
	z.next_in = bytes;
	z.avail_in = (unsigned)fread(bytes, 1, sizeof bytes, f);
	deflateInit2(&z, 0, Z_DEFLATED, 16 + MAX_WBITS, 8, 0);
	deflate(&z, Z_FINISH);
	deflateEnd(&z);
	fwrite(packed, 1, z.total_out + 600, to); /* as long as a header */
	fflush(to);
	rewind(to);
	CHECK(kimage_knows(fileno(to)));
	rewind(to);
	fd = kimage_open(fileno(to), err);
	fclose(to);
	fclose(f);
	return fd;
}

static void
test_elf(void)
{
	struct buf err = BUF_INIT;
	int fd;

	elf_version(EV_CURRENT);
	fd = open_packed(make_elf(ELFCLASS64), &err);
	CHECK(fd != -1 && err.len == 0);
	if (fd != -1)
		check_view(fd);
	close(fd);
	fd = open_packed(make_elf(ELFCLASS32), &err);
	CHECK(fd == -1);
	CHECK_TEXT(err.p, err.len, "not a kernel of 64 bits");
	buf_done(&err);
}

int
main(void)
{
	make_plain();
	test_formats();
	test_lz4();
	test_lists();
	test_kallsyms();
	test_flat();
	test_elf();
	return unit_end();
}
