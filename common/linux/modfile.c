/* SPDX-License-Identifier: ISC */
/* The file has a module's symbols and tables, but not its code. */
#include "linux/modfile.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/port.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"
#include "kimage/ksyms.h"
#include "kimage/view.h"

enum {
	SYMBOLS_MAX = 1 << 20, /* on riscv with all local labels */
	STRINGS_MAX = 8 << 20,
	NAMES_MAX = 64 << 20, /* many symbols may share a name */
	ORC_MAX = 1 << 20,
	SYMBOL_NAME = 512,
	SYM = 24, /* bytes of an ELF symbol */
	ORC_IP = 4,
	ORC_ENTRY = 6
};

/* Bytes of the guest's memory; NULL: they cannot be read. */
static uint8_t *
copy(const struct reader *r, uint64_t addr, uint64_t n)
{
	uint8_t *p = xmalloc(n + 1);

	p[n] = 0;
	if (r->read(r->arg, addr, p, n) == 0)
		return p;
	free(p);
	return NULL;
}

/* The rest of the last name, of which not even the first byte was read. */
static bool
read_name(const struct reader *r, uint64_t addr, struct buf *to)
{
	uint8_t c;

	for (size_t i = 0; i < SYMBOL_NAME; i++) {
		if (r->read(r->arg, addr + i, &c, 1) != 0)
			return false;
		buf_addc(to, (char)c);
		if (c == 0)
			return true;
	}
	return false;
}

/* Where the part of the code ends that has an address; 0: none has. */
static uint64_t
end_of(const struct modfile *s, uint64_t at)
{
	if (at - s->text < s->size)
		return s->text + s->size;
	return at - s->init < s->init_size ? s->init + s->init_size : 0;
}

/* Adds the functions of a module; `strings` are its names. */
static void
add_symbols(struct ksyms *k, const struct modfile *s, const uint8_t *sym,
    size_t n, const struct buf *strings)
{
	for (; n > 0; n--, sym += SYM) {
		const uint64_t at = uint_load(sym + 8, 8, false);
		const size_t name = uint_load(sym, 4, false);
		const size_t from = k->names.len;
		const char *text = strings->p + name;

		/* st_shndx 0: of another module */
		if (end_of(s, at) == 0 || name >= strings->len ||
		    k->names.len > NAMES_MAX || *text == 0 || *text == '$' ||
		    *text == '.' || uint_load(sym + 6, 2, false) == 0)
			continue;
		buf_printf(&k->names, "%.*s [%s]", SYMBOL_NAME, text, s->name);
		buf_addc(&k->names, 0);
		ksyms_add(k, at, 't', from);
	}
	ksyms_end(k);
	/* The last one ends with the code. */
	for (size_t i = 1; i < k->n; i++) {
		const uint64_t at = k->v[i].st_value, end = end_of(s, at);

		if (k->v[i].st_size > end - at)
			k->v[i].st_size = end - at;
	}
}

static bool
read_symbols(const struct reader *r, const struct modfile *s, struct ksyms *k)
{
	struct buf strings = BUF_INIT;
	const uint64_t n = s->symbols;
	uint64_t last = 0;
	uint8_t *sym = NULL;
	bool ok = false;

	if (n > 0 && n <= SYMBOLS_MAX)
		sym = copy(r, s->symtab, n * SYM);
	for (uint64_t i = 0; sym != NULL && i < n; i++) {
		const uint64_t name = uint_load(sym + i * SYM, 4, false);

		last = name > last ? name : last;
	}
	if (sym != NULL && last <= STRINGS_MAX) {
		buf_room(&strings, last + 1);
		ok =
		    r->read(r->arg, s->strtab, (uint8_t *)strings.p, last) == 0;
		strings.len = last;
		ok = ok && read_name(r, s->strtab + last, &strings);
	}
	if (ok)
		add_symbols(k, s, sym, n, &strings);
	free(sym);
	buf_done(&strings);
	return ok;
}

/* Adds its unwind tables, which must be there until the file is written. */
static void
add_orc(const struct reader *r, const struct modfile *s, struct view *v,
    uint8_t **ip, uint8_t **entry)
{
	Elf64_Shdr sh = {.sh_type = SHT_PROGBITS,
	    .sh_flags = SHF_ALLOC,
	    .sh_addr = s->orc_ip,
	    .sh_addralign = 8};

	if (s->orcs == 0 || s->orcs > ORC_MAX)
		return;
	*ip = copy(r, s->orc_ip, s->orcs * ORC_IP);
	*entry = copy(r, s->orc, s->orcs * ORC_ENTRY);
	if (*ip == NULL || *entry == NULL)
		return;
	sh.sh_size = s->orcs * ORC_IP;
	view_table(v, ".orc_unwind_ip", sh, *ip);
	sh.sh_addr = s->orc;
	sh.sh_size = s->orcs * ORC_ENTRY;
	view_table(v, ".orc_unwind", sh, *entry);
}

/* Writes what was read, and opens it. */
static struct elfsym *
write_file(const struct reader *r, const struct modfile *s, unsigned machine,
    const struct ksyms *k)
{
	struct view v = {.machine = machine};
	uint8_t *ip = NULL, *entry = NULL;
	const int fd = port_temp_file();
	char path[PORT_FD_PATH];
	struct elfsym *sym = NULL;
	struct buf err = BUF_INIT;

	if (fd == -1)
		return NULL;
	errno = 0;
	if (view_begin(&v, fd)) {
		view_code(&v, k, 0);
		view_symbols(&v, k);
		add_orc(r, s, &v, &ip, &entry);
		port_fd_path(fd, path);
		if (view_write(&v))
			sym = elfsym_load(path, 0, &err);
	}
	if (sym == NULL)
		xalloc_check();
	view_done(&v);
	close(fd);
	free(ip);
	free(entry);
	buf_done(&err);
	return sym;
}

struct elfsym *
modfile_read(const struct reader *r, const struct modfile *s, unsigned machine)
{
	struct ksyms k = {0};
	struct elfsym *sym = NULL;

	buf_addc(&k.names, 0);
	if (read_symbols(r, s, &k))
		sym = write_file(r, s, machine, &k);
	ksyms_done(&k);
	return sym;
}
