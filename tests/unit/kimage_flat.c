/* SPDX-License-Identifier: ISC */
/* Images of arm64 and others, whose place their pointers tell, and zImages of
 * arm. */
#include "kimage/flat.h"

#include <libelf.h>
#include <zlib.h>

#include "base/buf.h"
#include "kimage/kimage.h"
#include "kimage/ksyms.h"
#include "kimage/view.h"
#include "kimage_table.h"

/*
 * An Image of arm64 at BASE, whose code begins so many bytes later, with
 * pointers to its symbols.
 */
static struct buf
make_image(enum layout layout, uint64_t code, unsigned pointers)
{
	struct buf b = make_table(layout, GOOD);

	memset(b.p, 0, HEAD);
	memcpy(b.p + 56, "ARM\144", 4);
	b.p[16 + 2] = 2; /* its size: 128 KiB */
	b.p[16 + 8] = 5; /* after that */
	pad(&b, 8);
	for (unsigned i = 0; i < pointers; i++)
		put(&b, BASE + code + i * (N / 100) * STEP, 8);
	return b;
}

static void
put_at(struct buf *b, size_t at, uint64_t v)
{
	for (int i = 0; i < 8; i++, v >>= 8)
		b->p[at + (size_t)i] = (char)v;
}

/* The file's sections of that kind; the last one is *sh. */
static unsigned
find_section(struct view *v, Elf64_Word type, Elf64_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	unsigned n = 0;

	while ((scn = elf_nextscn(v->elf, scn)) != NULL)
		if (elf64_getshdr(scn)->sh_type == type) {
			*sh = *elf64_getshdr(scn);
			n++;
		}
	return n;
}

static void
check_image(const struct buf *b, uint64_t code, bool found)
{
	size_t room;
	uint8_t *p = guarded(b->p, b->len, &room);
	struct view v = {.p = p, .len = b->len};
	struct ksyms k = {0};
	FILE *f = tmpfile();
	const Elf64_Phdr *ph = v.segment;
	Elf64_Shdr sh = {0};

	CHECK(f != NULL && view_begin(&v, fileno(f)));
	CHECK(flat_read(&v, &k) == found);
	if (found) {
		CHECK(k.v[1].st_value == BASE + code);
		CHECK(k.v[2].st_size == STEP);
		CHECK(v.n_segment == 1 && ph->p_vaddr == BASE);
		CHECK(ph->p_type == PT_LOAD &&
		      ph->p_flags == (PF_R | PF_W | PF_X));
		CHECK(ph->p_offset == VIEW_GAP && ph->p_filesz == b->len);
		CHECK(ph->p_memsz == (b->len > 2 << 16 ? b->len : 2 << 16));
		CHECK(find_section(&v, SHT_NOTE, &sh) == 1);
		CHECK(sh.sh_addr == BASE + code + 20 * STEP);
		CHECK(sh.sh_offset == VIEW_GAP + code + 20 * STEP);
		CHECK(sh.sh_size == 4 * STEP && sh.sh_flags == SHF_ALLOC);
		CHECK(sh.sh_addralign == 4);
		/* code that is not in a small image */
		CHECK(v.is_cut == (code > b->len));
		CHECK(find_section(&v, SHT_PROGBITS, &sh) == !v.is_cut);
		CHECK(v.is_cut || sh.sh_addr == BASE + code + STEP);
		CHECK(v.is_cut || sh.sh_offset == VIEW_GAP + code + STEP);
		/* its last function is as long as any */
		CHECK(v.is_cut || sh.sh_size == (N - 2) * STEP + 4096);
		CHECK(v.is_cut || sh.sh_flags == (SHF_ALLOC | SHF_EXECINSTR));
	}
	/* symbols come after the image */
	view_symbols(&v, &k);
	CHECK(!found || view_write(&v));
	if (found && find_section(&v, SHT_SYMTAB, &sh) == 1)
		CHECK(sh.sh_offset == (VIEW_GAP + b->len + 7) / 8 * 8 +
					  (k.names.len + 7) / 8 * 8);
	view_done(&v);
	ksyms_done(&k);
	fclose(f);
	release(p, room);
}

static void
test_flat(void)
{
	static const unsigned headers[] = {0, 4 << 10, 64 << 10};
	uint8_t head[64] = "MZ";
	struct buf b;

	CHECK(flat_machine(head, 64) == EM_NONE);
	memcpy(head + 56, "ARM\144", 4);
	CHECK(flat_machine(head, 64) == EM_AARCH64);
	CHECK(flat_machine(head, 63) == EM_NONE);
	memcpy(head + 56, "RSC\005x", 5); /* more after it */
	CHECK(flat_machine(head, 64) == EM_RISCV);
	memcpy(head + 56, "\xcd\x23\x82\x81", 4);
	CHECK(flat_machine(head, 64) == 258);
	*head = 0;
	CHECK(flat_machine(head, 64) == EM_NONE);
	for (unsigned n = 16; n <= 100; n += n == 16 ? 1 : 83) {
		b = make_image(PLACES, HEAD, n); /* 16 are too few */
		check_image(&b, HEAD, n > 16);
		buf_done(&b);
	}
	for (int i = 0; i < 3; i++) {
		b = make_image(IMAGE, headers[i], 100);
		buf_room(&b, 70 << 10);
		memset(b.p + b.len, 0, 70 << 10);
		b.len += 70 << 10;
		check_image(&b, headers[i], true);
		buf_done(&b);
	}
	/* of a large one, only some words are looked at */
	b = make_image(PLACES, HEAD, 0);
	buf_room(&b, 9 << 20);
	memset(b.p + b.len, 0, 9 << 20);
	for (uint64_t v = BASE + HEAD; v < BASE + HEAD + 20 * STEP; v += STEP)
		put_at(&b, (v - BASE) * 2 + (1 << 20), v);
	b.len = 9 << 20;
	check_image(&b, HEAD, true);
	buf_done(&b);
	b = make_image(AFTER, 0, 0); /* its addresses are known */
	check_image(&b, 0, true);
	buf_done(&b);
}

/* An image of arm, in which so many functions push lr first. */
static struct buf
make_arm(enum layout layout, unsigned pushes)
{
	struct buf b = make_table(layout, GOOD);

	for (unsigned i = 0; i < pushes; i++)
		memcpy(b.p + HEAD + (size_t)i * STEP, "\x70\x40\x2d\xe9", 4);
	return b;
}

/* A zImage of it, whose own code has the mark of another method. */
static FILE *
make_zimage(const struct buf *image)
{
	static uint8_t z[200000] = {[0x24] = 0x18, 0x28, 0x6f, 0x01};
	z_stream s = {.next_out = z + 0x300,
	    .avail_out = sizeof z - 0x300,
	    .next_in = (uint8_t *)image->p,
	    .avail_in = (unsigned)image->len};
	FILE *f = tmpfile();

	memcpy(z + 0x280,
	    "\xfd"
	    "7zXZ\0",
	    6);
	deflateInit2(&s, 0, Z_DEFLATED, 16 + MAX_WBITS, 8, 0);
	deflate(&s, Z_FINISH);
	deflateEnd(&s);
	fwrite(z, 1, 0x300 + s.total_out + 8, f);
	rewind(f);
	CHECK(kimage_knows(fileno(f)));
	return f;
}

static void
check_arm(enum layout layout, unsigned pushes, bool found)
{
	struct buf b = make_arm(layout, pushes), err = BUF_INIT;
	FILE *f = make_zimage(&b);
	const int fd = kimage_open(fileno(f), &err);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	const Elf64_Phdr *ph;

	CHECK((fd != -1) == found && (err.len == 0) == found);
	if (found) {
		ph = elf64_getphdr(elf);
		CHECK(elf64_getehdr(elf)->e_machine == EM_ARM);
		CHECK(ph->p_vaddr == BASE32 - HEAD);
		CHECK(ph->p_filesz == b.len && ph->p_memsz == b.len);
		elf_end(elf);
		close(fd);
	}
	buf_done(&err);
	buf_done(&b);
	fclose(f);
}

static void
test_arm(void)
{
	word = 4;
	check_arm(BEFORE, 100, true);
	check_arm(AFTER, 17, true);
	check_arm(AFTER, 16, false); /* where it begins is not known */
	check_arm(PLACES, 100, false);
	word = 8;
}

int
main(void)
{
	elf_version(EV_CURRENT);
	test_flat();
	test_arm();
	return unit_end();
}
