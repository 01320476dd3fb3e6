/* SPDX-License-Identifier: ISC */
/* What a file is, layer by layer; and where an image without headers belongs.
 */
#include "kimage/kimage.h"

#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/port.h"
#include "base/num.h"
#include "kimage/unpack.h"
#include "kimage/ksyms.h"
#include "kimage/kallsyms.h"
#include "kimage/flat.h"
#include "kimage/view.h"

enum {
	LAYERS = 4,
	ZIMAGE_TRIES = 16, /* of what may be packed in it */
	HEADER = 0x250,	   /* of a bzImage, the longest */
	BLOCK = PORT_LIMIT(1 << 20, 8 << 10)
};

/* The file's bytes, of which nobody else changes any. */
static bool
read_file(int fd, struct buf *image)
{
	struct stat st;
	ssize_t n = 1;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	for (; n > 0 && image->len <= IMAGE_MAX; image->len += (size_t)n) {
		buf_room(image, BLOCK);
		n = read(fd, image->p + image->len, BLOCK);
		if (n < 0)
			return false;
	}
	return image->len <= IMAGE_MAX;
}

/* Whether there is something packed in it, and where. */
static bool
packed_part(const uint8_t *p, size_t len, size_t *at, size_t *n)
{
	*at = 0;
	*n = len;
	if (len < HEADER)
		return false;
	if (memcmp(p + 0x202, "HdrS", 4) == 0 && p[0x207] >= 2) {
		*at = (p[0x1f1] ? p[0x1f1] + 1u : 5) * 512 +
		      uint_load(p + 0x248, 4, false);
		*n = uint_load(p + 0x24c, 4, false);
	} else if (memcmp(p, "MZ\0\0zimg", 8) == 0) {
		*at = uint_load(p + 8, 4, false);
		*n = uint_load(p + 12, 4, false);
	} else {
		return unpack_knows(p, len);
	}
	return true;
}

/* Whether it is a zImage of arm, which does not tell where the packed part is.
 */
static bool
is_zimage(const uint8_t *p, size_t len)
{
	return len >= HEADER && uint_load(p + 0x24, 4, false) == 0x016f2818;
}

/* Its code has the marks of what is packed, too. */
static bool
unpack_zimage(const uint8_t *p, size_t len, struct buf *to, struct buf *err)
{
	unsigned tries = 0;

	for (size_t at = HEADER; at < len && tries < ZIMAGE_TRIES; at++) {
		if (!unpack_knows(p + at, len - at))
			continue;
		tries++;
		to->len = err->len = 0;
		if (unpack(p + at, len - at, to, err))
			return true;
	}
	if (tries == 0)
		buf_adds(err, "a kernel compressed with an unknown method");
	return false;
}

/* Replaces the file by what is packed in it, as often as something is. */
static bool
unwrap(struct buf *image, bool *was_packed, bool *arm, struct buf *err)
{
	size_t at, n;
	bool ok = true;

	for (int i = 0; ok && i < LAYERS; i++) {
		const uint8_t *p = (const uint8_t *)image->p;
		struct buf inner = BUF_INIT;

		*arm = is_zimage(p, image->len);
		if (!*arm && !packed_part(p, image->len, &at, &n))
			break;
		*was_packed = true;
		if (*arm) {
			ok = unpack_zimage(p, image->len, &inner, err);
			buf_done(image);
			*image = inner;
			break;
		}
		if (at >= image->len || n > image->len - at) {
			buf_adds(err, "a truncated kernel");
			return false;
		}
		ok = unpack(p + at, n, &inner, err);
		buf_done(image);
		*image = inner;
	}
	return ok;
}

/* Copies what is loaded of an ELF file. */
static bool
add_elf(struct view *v, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Ehdr h;
	GElf_Phdr ph;
	GElf_Shdr sh;
	size_t n, names;

	if (gelf_getehdr(elf, &h) == NULL ||
	    h.e_ident[EI_CLASS] != ELFCLASS64 ||
	    h.e_ident[EI_DATA] != ELFDATA2LSB || elf_getphdrnum(elf, &n) != 0 ||
	    elf_getshdrstrndx(elf, &names) != 0)
		return false;
	v->machine = h.e_machine;
	for (size_t i = 0; i < n && v->n_segment < VIEW_SEGMENTS; i++) {
		if (gelf_getphdr(elf, (int)i, &ph) == NULL)
			return false;
		if (ph.p_type != PT_LOAD)
			continue;
		ph.p_offset += VIEW_GAP;
		v->segment[v->n_segment++] = ph;
	}
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		const char *name = gelf_getshdr(scn, &sh) != NULL
				       ? elf_strptr(elf, names, sh.sh_name)
				       : NULL;

		if (name == NULL || !(sh.sh_flags & SHF_ALLOC) ||
		    (sh.sh_type != SHT_PROGBITS && sh.sh_type != SHT_NOTE))
			continue;
		sh.sh_link = sh.sh_info = 0;
		view_section(v, name, sh);
	}
	return true;
}

/* How much is added to the table's addresses for those of the ELF file. */
static uint64_t
elf_base(const struct view *v, const struct ksyms *k)
{
	uint64_t low = v->n_segment ? UINT64_MAX : 0;

	for (size_t i = 0; i < v->n_segment; i++) {
		const Elf64_Phdr *ph = &v->segment[i];
		const uint64_t at = ph->p_offset - VIEW_GAP;

		if (k->from == KSYMS_TABLE && k->at - at < ph->p_filesz)
			return ph->p_vaddr - at;
		low = ph->p_vaddr < low ? ph->p_vaddr : low;
	}
	return k->from == KSYMS_IMAGE ? low : 0;
}

/* A vmlinux; one that was packed is worth having without symbols, too. */
static bool
read_elf(struct view *v, struct ksyms *k, bool was_packed, struct buf *err)
{
	Elf *elf;
	bool ok;

	kallsyms_read(v->p, v->len, k);
	if (k->n == 0 && !was_packed)
		return false;
	elf = elf_memory((char *)(uintptr_t)v->p, v->len);
	ok = elf != NULL && add_elf(v, elf);
	elf_end(elf);
	if (ok)
		ksyms_move(k, elf_base(v, k));
	else
		buf_adds(err, "not a kernel of 64 bits");
	return ok;
}

static bool
read_list(struct view *v, struct ksyms *k, struct buf *err)
{
	const bool ok = ksyms_list((const char *)v->p, v->len, k, err);

	v->len = 0;
	if (ok)
		view_code(v, k, 0);
	return ok;
}

static bool
read_any(struct view *v, struct ksyms *k, bool was_packed, struct buf *err)
{
	if (v->machine == EM_NONE)
		v->machine = flat_machine(v->p, v->len);
	if (v->machine != EM_NONE) {
		if (!flat_read(v, k))
			buf_adds(err,
			    "a kernel without kallsyms, or with an unknown "
			    "load address");
		else if (v->is_cut)
			buf_adds(err, "a truncated kernel");
		return err->len == 0;
	}
	if (v->len > SELFMAG && memcmp(v->p, ELFMAG, SELFMAG) == 0)
		return read_elf(v, k, was_packed, err);
	return read_list(v, k, err);
}

/* Whether it is an ELF file with names of its own, of any machine. */
static bool
has_symtab(const struct buf *image)
{
	Elf *elf = elf_memory(image->p, image->len);
	Elf_Scn *scn = NULL;
	GElf_Shdr sh = {0};

	while (elf && sh.sh_type != SHT_SYMTAB &&
	       (scn = elf_nextscn(elf, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) == NULL)
			break;
	elf_end(elf);
	return sh.sh_type == SHT_SYMTAB;
}

static bool
write_all(int fd, const struct buf *image)
{
	size_t at = 0;
	ssize_t n = 1;

	for (; n > 0 && at<image->len; at += n> 0 ? (size_t)n : 0)
		n = write(fd, image->p + at, image->len - at);
	return n > 0;
}

bool
kimage_knows(int fd)
{
	uint8_t head[HEADER] = {0};
	size_t at, n;

	return pread(fd, head, sizeof head, 0) > SELFMAG &&
	       (memcmp(head, ELFMAG, SELFMAG) == 0 ||
		   packed_part(head, sizeof head, &at, &n) ||
		   is_zimage(head, sizeof head) ||
		   flat_machine(head, sizeof head) != EM_NONE);
}

int
kimage_open(int fd, struct buf *err)
{
	struct buf image = BUF_INIT;
	struct view v = {0};
	struct ksyms k = {0};
	bool was_packed = false, arm = false, as_is = false, ok;
	int made = -1;

	if (read_file(fd, &image) && unwrap(&image, &was_packed, &arm, err)) {
		v.machine = arm ? EM_ARM : EM_NONE;
		v.p = (const uint8_t *)image.p;
		v.len = image.len;
		as_is = was_packed && has_symtab(&image);
		made = port_temp_file();
	}
	ok = made != -1 && (as_is ? write_all(made, &image)
				  : view_begin(&v, made) &&
					read_any(&v, &k, was_packed, err));
	if (ok && !as_is)
		view_symbols(&v, &k);
	if (made != -1 && !(ok && (as_is || view_write(&v)))) {
		close(made);
		made = -1;
	}
	view_done(&v);
	ksyms_done(&k);
	buf_done(&image);
	return made;
}
