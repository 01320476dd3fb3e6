/* SPDX-License-Identifier: ISC */
/* What a file is, layer by layer; and where an image without headers belongs.
 */
#include "kimage/kimage.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/uint.h"
#include "base/xalloc.h"
#include "kimage/unpack.h"
#include "kimage/view.h"

enum {
	LAYERS = 4,
	HEADER = 0x250, /* of a bzImage, the longest */
	SECTIONS_MAX = 1024
};

/* A file in memory, after a gap for headers; nobody else changes it. */
struct blob {
	int fd;
	bool unpacked; /* from another one */
	const uint8_t *p;
	size_t len;
};

static void
blob_done(struct blob *b)
{
	if (b->p != NULL)
		munmap((void *)(uintptr_t)b->p, b->len);
	if (b->fd != -1)
		close(b->fd);
	*b = (struct blob){.fd = -1};
}

static bool
blob_begin(struct blob *b)
{
	*b = (struct blob){.fd = memfd_create("kernel", MFD_CLOEXEC)};
	return b->fd != -1 && lseek(b->fd, VIEW_GAP, SEEK_SET) == VIEW_GAP;
}

static bool
blob_map(struct blob *b)
{
	struct stat st;
	void *p;

	if (fstat(b->fd, &st) != 0 || st.st_size <= VIEW_GAP)
		return false;
	b->len = (size_t)st.st_size - VIEW_GAP;
	p = mmap(NULL, b->len, PROT_READ, MAP_SHARED, b->fd, VIEW_GAP);
	b->p = p != MAP_FAILED ? p : NULL;
	return b->p != NULL;
}

static bool
blob_copy(struct blob *b, int fd)
{
	struct stat st;
	off_t at = 0;
	ssize_t n = 1;

	if (!blob_begin(b) || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    st.st_size > UNPACK_MAX)
		return false;
	while (n > 0 && at <= UNPACK_MAX)
		n = sendfile(b->fd, fd, &at, UNPACK_MAX);
	return n == 0 && blob_map(b);
}

/* Whether there is something packed in it, and where. */
static bool
packed_part(const struct blob *b, size_t *at, size_t *n)
{
	const uint8_t *p = b->p;

	*at = 0;
	*n = b->len;
	if (b->len < HEADER)
		return false;
	if (memcmp(p + 0x202, "HdrS", 4) == 0 && p[0x207] >= 2) {
		*at = (p[0x1f1] ? p[0x1f1] + 1u : 5) * 512 +
		      uint_load(p + 0x248, 4, false);
		*n = uint_load(p + 0x24c, 4, false);
	} else if (memcmp(p, "MZ\0\0zimg", 8) == 0) {
		*at = uint_load(p + 8, 4, false);
		*n = uint_load(p + 12, 4, false);
	} else {
		return unpack_knows(p, b->len);
	}
	return true;
}

/* Replaces the file by what is packed in it, as often as something is. */
static bool
unwrap(struct blob *b, struct buf *err)
{
	struct blob inner;
	size_t at, n;
	bool ok = true;

	for (int i = 0; ok && i < LAYERS && packed_part(b, &at, &n); i++) {
		if (at >= b->len || n > b->len - at) {
			buf_adds(err, "a kernel that is cut");
			return false;
		}
		ok = blob_begin(&inner) &&
		     unpack(b->p + at, n, inner.fd, err) == 0 &&
		     blob_map(&inner);
		blob_done(b);
		*b = inner;
		b->unpacked = true;
	}
	return ok;
}

/* Copies the ELF file's headers, of what is loaded. */
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
		    (sh.sh_type != SHT_PROGBITS && sh.sh_type != SHT_NOTE) ||
		    v->n_section == SECTIONS_MAX)
			continue;
		sh.sh_link = sh.sh_info = 0;
		view_section(v, name, &sh);
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
read_elf(struct blob *b, struct view *v, struct ksyms *k, struct buf *err)
{
	Elf *elf;
	bool ok;

	if (k->n == 0 && !b->unpacked)
		return false;
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)(uintptr_t)b->p, b->len);
	ok = elf != NULL && add_elf(v, elf);
	elf_end(elf);
	if (ok)
		ksyms_move(k, elf_base(v, k));
	else
		buf_adds(err, "not a kernel of 64 bits");
	return ok;
}

static bool
read_any(struct blob *b, struct view *v, struct ksyms *k, struct buf *err)
{
	v->machine = flat_machine(b->p, b->len);
	if (v->machine == EM_NONE &&
	    (b->len < SELFMAG || memcmp(b->p, ELFMAG, SELFMAG) != 0)) {
		if (!ksyms_list((const char *)b->p, b->len, k, err))
			return false;
		view_code(v, k, 0);
		return true;
	}
	v->len = b->len;
	kallsyms_read(b->p, b->len, k);
	if (v->machine == EM_NONE)
		return read_elf(b, v, k, err);
	if (!flat_read(b->p, v, k))
		buf_adds(
		    err, "a kernel without kallsyms, or of an unknown place");
	return err->len == 0;
}

bool
kimage_knows(int fd)
{
	uint8_t head[HEADER] = {0};
	struct blob b = {.p = head, .len = sizeof head};
	size_t at, n;

	return pread(fd, head, sizeof head, 0) > SELFMAG &&
	       (memcmp(head, ELFMAG, SELFMAG) == 0 ||
		   packed_part(&b, &at, &n) ||
		   flat_machine(head, sizeof head) != EM_NONE);
}

int
kimage_open(int fd, struct buf *err)
{
	struct view v = {0};
	struct ksyms k = {0};
	struct blob b;

	if (blob_copy(&b, fd) && unwrap(&b, err) && read_any(&b, &v, &k, err) &&
	    view_write(&v, &k, b.fd) == 0) {
		fd = b.fd;
		b.fd = -1;
	} else {
		fd = -1;
	}
	view_done(&v);
	ksyms_done(&k);
	blob_done(&b);
	return fd;
}
