/* SPDX-License-Identifier: ISC */
/* Opening a file, and what its headers say. */
#include "elffile/elffile.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>
#include <libelf.h>

#include "set/bound.h"
#include "base/buf.h"
#include "base/msg.h"
#include "base/port.h"
#include "base/xalloc.h"
#include "kimage/kimage.h"

enum {
	PAGE = 4096,
	SECTIONS_MAX = 1 << 20,
	NOTES_MAX = 64 << 10 /* bytes of a section in which one is sought */
};

char *
elffile_path(const struct elffile *f)
{
	char fd[PORT_FD_PATH];

	port_fd_path(f->fd, fd);
	return realpath(fd, NULL);
}

uint64_t
elffile_code_end(const struct elffile *f, uint64_t addr)
{
	const struct seg *v = f->code.v;
	const size_t i = bound_above(
	    v, f->code.n, sizeof *v, offsetof(struct seg, start), addr);

	return i > 0 && v[i - 1].id != SEG_NONE ? v[i].start : addr;
}

/* Notes bytes that the headers tell of and the file does not have. */
static void
check_end(struct elffile *f, uint64_t offset, uint64_t size)
{
	f->is_cut |= size > 0 && (offset > f->len || size > f->len - offset);
}

static void
add_code(struct elffile *f, uint64_t addr, uint64_t size)
{
	const uint32_t id = (uint32_t)f->n_range;

	if (size == 0 || addr + size < addr)
		return;
	*xpush(f->range, f->n_range, f->cap_range) =
	    (struct seg_range){addr, addr + size, id};
}

static void
read_segments(struct elffile *f, bool want_code)
{
	size_t n;
	GElf_Phdr ph;

	if (elf_getphdrnum(f->elf, &n) != 0)
		return;
	for (size_t i = 0; i < n && i < SECTIONS_MAX; i++) {
		if (gelf_getphdr(f->elf, (int)i, &ph) == NULL)
			return;
		check_end(f, ph.p_offset, ph.p_filesz);
		if (ph.p_type != PT_LOAD || ph.p_memsz == 0 ||
		    ph.p_vaddr + ph.p_memsz < ph.p_vaddr)
			continue;
		if (f->image.start == f->image.end ||
		    ph.p_vaddr < f->image.start)
			f->image.start = ph.p_vaddr & ~(uint64_t)(PAGE - 1);
		if (ph.p_vaddr + ph.p_memsz > f->image.end)
			f->image.end = ph.p_vaddr + ph.p_memsz;
		if (want_code && (ph.p_flags & PF_X))
			add_code(f, ph.p_vaddr, ph.p_memsz);
	}
}

/* Takes the GNU build-id from the bytes of a note section, if it is there. */
static void
read_notes(struct elffile *f, Elf_Scn *scn)
{
	static const char hex[] = "0123456789abcdef";
	Elf_Data *d = elf_getdata(scn, NULL);
	GElf_Nhdr nh;
	size_t off = 0, name, desc;

	while (d != NULL && d->d_buf != NULL &&
	       (off = gelf_getnote(d, off, &nh, &name, &desc)) > 0) {
		const unsigned char *p = (unsigned char *)d->d_buf + desc;
		size_t n = nh.n_descsz;

		if (nh.n_type != NT_GNU_BUILD_ID || nh.n_namesz != 4 ||
		    n == 0 || n > BUILD_ID_MAX || f->build_id[0] != 0 ||
		    memcmp((char *)d->d_buf + name, "GNU", 4) != 0)
			continue;
		for (size_t i = 0; i < n; i++) {
			f->build_id[2 * i] = hex[p[i] >> 4];
			f->build_id[2 * i + 1] = hex[p[i] & 15];
		}
		f->build_id[2 * n] = 0;
	}
}

static void
read_sections(struct elffile *f)
{
	const uint64_t want = SHF_ALLOC | SHF_EXECINSTR;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	unsigned notes = 0;

	for (size_t i = 1; i < f->n_sections; i++) {
		scn = elf_getscn(f->elf, i);
		if (scn == NULL || gelf_getshdr(scn, &sh) == NULL)
			continue;
		f->has_symbols |=
		    sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM;
		if (sh.sh_type != SHT_NOBITS && sh.sh_type != SHT_NULL)
			check_end(f, sh.sh_offset, sh.sh_size);
		if ((sh.sh_flags & want) == want && sh.sh_type != SHT_NULL)
			add_code(f, sh.sh_addr, sh.sh_size);
		/*
		 * libelf keeps what it reads, so it does not read the same
		 * bytes often.
		 */
		if (sh.sh_type == SHT_NOTE && sh.sh_size <= NOTES_MAX &&
		    f->build_id[0] == 0 && notes++ < 64)
			read_notes(f, scn);
	}
}

static int
read_headers(struct elffile *f, bool linked, struct buf *err)
{
	GElf_Ehdr ehdr;

	if (f->elf == NULL || elf_kind(f->elf) != ELF_K_ELF ||
	    gelf_getehdr(f->elf, &ehdr) == NULL) {
		buf_adds(err, elflost_what() != NULL ? elflost_what()
			      : msg_is_system(errno) ? strerror(errno)
						     : "not an ELF file");
		return -1;
	}
	if (linked && ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN) {
		buf_adds(err,
		    "not linked, so it has no addresses yet (for Linux "
		    "modules see kst-capture(1))");
		return -1;
	}
	f->machine = ehdr.e_machine;
	f->is_arm = ehdr.e_machine == EM_ARM;
	check_end(f, ehdr.e_shoff, (uint64_t)ehdr.e_shnum * ehdr.e_shentsize);
	if (elf_getshdrnum(f->elf, &f->n_sections) != 0)
		f->n_sections = 0;
	if (f->n_sections > SECTIONS_MAX) {
		buf_printf(err, "too many sections: %zu", f->n_sections);
		return -1;
	}
	read_sections(f);
	read_segments(f, f->n_range == 0);
	segs_build(f->range, f->n_range, &f->code);
	if (f->image.start == f->image.end && f->code.n > 0) {
		f->image.start = f->code.v[0].start & ~(uint64_t)(PAGE - 1);
		f->image.end = f->code.v[f->code.n - 1].start;
	}
	return 0;
}

/*
 * The kernel maps 64 KiB around each page that is read. The same bytes take the
 * place of what is there; where libelf could not map the file, this fails.
 */
void
elffile_forget(const struct elffile *f)
{
	size_t n, page_size = (size_t)sysconf(_SC_PAGESIZE);
	char *p = elf_rawfile(f->elf, &n);

	if (p != NULL)
		(void)mmap(p, n & ~(page_size - 1), PROT_READ,
		    MAP_PRIVATE | MAP_FIXED, f->fd, 0);
}

struct elffile *
elffile_open(const char *path, bool linked, struct buf *err)
{
	struct elffile *f;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const bool is_open = fd != -1 && fstat(fd, &st) == 0;

	if (!is_open || !S_ISREG(st.st_mode)) {
		buf_adds(err, is_open ? "not a regular file" : strerror(errno));
		if (fd != -1)
			close(fd);
		return NULL;
	}
	errno = 0; /* libelf does not say what failed */
	elf_version(EV_CURRENT);
	f = xcalloc(1, sizeof *f);
	f->fd = fd;
	f->len = (size_t)st.st_size;
	elflost_watch(&f->lost, fd, f->len);
	f->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (read_headers(f, linked, err) == 0) {
		/* what it could not read for a lack of memory, it left out */
		if (!msg_is_system(errno))
			return f;
		fd = errno;
		buf_adds(err, strerror(fd));
		elffile_close(f);
		errno = fd;
		return NULL;
	}
	elffile_close(f);
	return NULL;
}

struct elffile *
elffile_kernel(const char *path, struct buf *err)
{
	const size_t len = err->len;
	struct elffile *f = elffile_open(path, true, err);
	struct buf why = BUF_INIT;
	int error = errno;
	char name[32];
	int fd, made;

	if (f != NULL && f->has_symbols)
		return f;
	errno = 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	made = fd != -1 ? kimage_open(fd, &why) : -1;
	if (msg_is_system(errno)) {
		error = errno;
		why.len = 0;
		buf_adds(&why, strerror(error));
		if (made != -1)
			close(made);
		made = -1;
		elffile_close(f);
		f = NULL;
	}
	if (fd != -1)
		close(fd);
	errno = error;
	if (made != -1) {
		elffile_close(f);
		err->len = len;
		port_fd_path(made, name);
		f = elffile_open(name, true, err);
		close(made);
	} else if (f == NULL && why.len > 0) {
		err->len = len;
		buf_add(err, why.p, why.len);
	}
	buf_done(&why);
	return f;
}

/*
 * The library is opened when it is asked: it brings those of curl, with which
 * each command would start ten times as slowly.
 */
struct elffile *
elffile_debug(const struct elffile *f, struct buf *err)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct elf_section info;
	void *lib, *(*begin)(void);
	int (*find)(void *client, const char *id, int len, char **path);
	void (*end)(void *client), *client;
	struct elffile *debug = NULL;
	char *path = NULL;
	int fd;

	if (urls == NULL || urls[0] == 0 || f->build_id[0] == 0 ||
	    elf_find_section(f->elf, ".debug_info", &info, err) != 1)
		return NULL;
	lib = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	if (lib == NULL) {
		buf_adds(err, "DEBUGINFOD_URLS needs libdebuginfod");
		return NULL;
	}
	/* it may wait for minutes, and says so */
	if (isatty(STDERR_FILENO))
		setenv("DEBUGINFOD_PROGRESS", "1", 0);
	*(void **)&begin = dlsym(lib, "debuginfod_begin");
	*(void **)&find = dlsym(lib, "debuginfod_find_debuginfo");
	*(void **)&end = dlsym(lib, "debuginfod_end");
	if (begin != NULL && find != NULL && end != NULL &&
	    (client = begin()) != NULL) {
		/* a length of 0: as hexadecimal digits */
		fd = find(client, f->build_id, 0, &path);
		if (fd >= 0) {
			close(fd);
			debug = elffile_open(path, true, err);
		}
		if (fd >= 0 && (debug == NULL ||
				   strcmp(debug->build_id, f->build_id) != 0)) {
			err->len = 0;
			buf_adds(
			    err, "debuginfod gave a file without its build-id");
			elffile_close(debug);
			debug = NULL;
		}
		free(path);
		end(client);
	}
	return debug; /* curl is not made to be unloaded */
}

void
elffile_close(struct elffile *f)
{
	if (f == NULL)
		return;
	elflost_unwatch(&f->lost);
	if (f->elf != NULL)
		elf_end(f->elf);
	close(f->fd);
	segs_done(&f->code);
	free(f->range);
	free(f);
}
