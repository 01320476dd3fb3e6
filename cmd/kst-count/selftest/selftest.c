/* SPDX-License-Identifier: ISC */
#include "selftest/selftest.h"

#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "opt/words.h"
#include "plugin/request.h"

/*
 * A thousand times, each guest calls a function, which loops five times and
 * calls another one, and then takes an exception. These are the bytes of
 * tests/count/selftest.
 */
static const char x86_64[] =
    "\x02\xb0\xad\x1b\x00\x00\x00\x00\xfe\x4f\x52\xe4\x0f\x01\x15\x70"
    "\x00\x10\x00\xea\x1a\x00\x10\x00\x08\x00\xb8\x10\x00\x00\x00\x8e"
    "\xd8\x8e\xd0\x0f\x01\x1d\x76\x00\x10\x00\xbc\xc0\x00\x10\x00\xbb"
    "\xe8\x03\x00\x00\xe8\x07\x00\x00\x00\xcd\x00\x4b\x75\xf6\xeb\xfe"
    "\xb8\x05\x00\x00\x00\x48\x75\xfd\xe8\x01\x00\x00\x00\xc3\xc3\xcf"
    "\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x00\x00\x00\x9a\xcf\x00"
    "\xff\xff\x00\x00\x00\x92\xcf\x00\x4f\x00\x08\x00\x00\x8e\x10\x00"
    "\x17\x00\x50\x00\x10\x00\x07\x00\x68\x00\x10\x00\x8d\x74\x26";
static const char aarch64[] =
    "\x00\x00\x00\x10\x00\xc0\x18\xd5\xc0\x07\x00\x10\x1f\x00\x00\x91"
    "\x13\x7d\x80\xd2\x05\x00\x00\x94\x01\x00\x00\xd4\x73\x06\x00\xf1"
    "\xa1\xff\xff\x54\x00\x00\x00\x14\xfd\x7b\xbf\xa9\xa0\x00\x80\xd2"
    "\x00\x04\x00\xf1\xe1\xff\xff\x54\x03\x00\x00\x94\xfd\x7b\xc1\xa8"
    "\xc0\x03\x5f\xd6\xc0\x03\x5f\xd6";
static const char riscv64[] =
    "\x97\x02\x00\x00\x93\x82\x42\x04\x73\x90\x52\x30\x17\x01\x00\x00"
    "\x13\x01\x41\x09\x13\x04\x80\x3e\x97\x00\x00\x00\xe7\x80\x20\x01"
    "\x73\x00\x00\x00\x7d\x14\x6d\xf8\x01\xa0\x41\x11\x06\xe4\x15\x45"
    "\x7d\x15\x7d\xfd\x97\x00\x00\x00\xe7\x80\xe0\x00\xa2\x60\x41\x01"
    "\x82\x80\x82\x80\xf3\x22\x10\x34\x91\x02\x73\x90\x12\x34\x73\x00"
    "\x20\x30";

/* Where aarch64 takes an exception, which returns at once. */
static const char eret[] = "\xe0\x03\x9f\xd6";
enum { VECTOR = 0x200 };

/* Of memory, with the stack; instructions of a guest that does not end. */
enum { ROOM = 0x400, MOST = 1000000 };

static const struct guest {
	const char *arch, *options[5]; /* of QEMU */
	const char *code;
	size_t n;
	uint16_t machine;
	uint32_t base, start, end; /* addresses */
	/* from start to end: instructions, and stacks */
	uint64_t insns, stacks;
} guests[] = {{"x86_64", {NULL}, x86_64, sizeof x86_64, EM_386, 0x100000,
		  0x10000c, 0x10003e, 19008, 4},
    {"i386", {NULL}, x86_64, sizeof x86_64, EM_386, 0x100000, 0x10000c,
	0x10003e, 19008, 4},
    {"aarch64", {"-M", "virt", "-cpu", "cortex-a57"}, aarch64, sizeof aarch64,
	EM_AARCH64, 0x40080000, 0x40080000, 0x40080024, 21005, 4},
    {"riscv64", {"-M", "virt", "-bios", "none"}, riscv64, sizeof riscv64,
	EM_RISCV, 0x80000000, 0x80000000, 0x80000028, 28006, 4}};

/* The guest for what the command starts; NULL: there is none. */
static const struct guest *
guest_of(const char *command)
{
	const char *slash = strrchr(command, '/');
	const char *name = slash ? slash + 1 : command;

	for (size_t i = 0; i < sizeof guests / sizeof *guests; i++)
		if (bytes_starts(name, strlen(name), "qemu-system-") &&
		    strcmp(name + 12, guests[i].arch) == 0)
			return &guests[i];
	return NULL;
}

/* Writes an ELF file of the guest. Returns 0, or -1 with errno. */
static int
write_guest(const struct guest *g, int file)
{
	Elf64_Phdr p;
	const Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64,
				  ELFDATA2LSB, EV_CURRENT},
	    .e_type = ET_EXEC,
	    .e_machine = g->machine,
	    .e_version = EV_CURRENT,
	    .e_entry = g->start,
	    .e_phoff = sizeof h,
	    .e_ehsize = sizeof h,
	    .e_phentsize = sizeof p,
	    .e_phnum = 1};
	Elf32_Phdr p32;
	const Elf32_Ehdr h32 = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32,
				    ELFDATA2LSB, EV_CURRENT},
	    .e_type = ET_EXEC,
	    .e_machine = g->machine,
	    .e_version = EV_CURRENT,
	    .e_entry = g->start,
	    .e_phoff = sizeof h32,
	    .e_ehsize = sizeof h32,
	    .e_phentsize = sizeof p32,
	    .e_phnum = 1};
	char image[ROOM] = {0};
	const bool is_32 = g->machine == EM_386;
	const size_t n = is_32 ? sizeof h32 : sizeof h,
		     n_p = is_32 ? sizeof p32 : sizeof p;

	p = (Elf64_Phdr){PT_LOAD, PF_R | PF_W | PF_X, sizeof h + sizeof p,
	    g->base, g->base, ROOM, ROOM, 4};
	p32 = (Elf32_Phdr){PT_LOAD, sizeof h32 + sizeof p32, g->base, g->base,
	    ROOM, ROOM, PF_R | PF_W | PF_X, 4};
	memcpy(image, g->code, g->n);
	if (g->machine == EM_AARCH64)
		memcpy(image + VECTOR, eret, sizeof eret);
	return write(file, is_32 ? (const void *)&h32 : &h, n) == (ssize_t)n &&
		       write(file, is_32 ? (const void *)&p32 : &p, n_p) ==
			   (ssize_t)n_p &&
		       write(file, image, sizeof image) == (ssize_t)sizeof image
		   ? 0
		   : -1;
}

int
selftest_prepare(char ***command, int file, struct request *r)
{
	static struct words w; /* the command, from now on */
	static const char *const more[] = {"-display", "none", "-serial",
	    "none", "-monitor", "none", "-net", "none", "-kernel"};
	const struct guest *g = guest_of(**command);

	if (g == NULL) {
		msg("--selftest: give qemu-system-x86_64, i386, aarch64 or "
		    "riscv64 after --, with its path if need be");
		return EXIT_USAGE;
	}
	if (file < 0 || write_guest(g, file) != 0) {
		msg_errno("a temporary file");
		return EXIT_SYSTEM;
	}
	r->judge = true;
	r->low = g->base;
	r->high = g->end;
	r->from = (struct place){true, g->start, ""};
	r->until = (struct place){true, g->end, ""};
	r->limit = MOST;
	words_add(&w, **command);
	for (size_t i = 0; g->options[i]; i++)
		words_add(&w, g->options[i]);
	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		words_add(&w, more[i]);
	words_addf(&w, "/proc/%ld/fd/%d", (long)getpid(), file);
	for (char **a = *command + 1; *a; a++)
		words_add(&w, *a);
	*command = w.v;
	return 0;
}

int
selftest_judge(const char *command, const struct selftest_result *r)
{
	const struct guest *g = guest_of(command);
	const bool good = r->judged == g->insns && r->differ == 0 &&
			  r->insns == g->insns && r->stacks == g->stacks &&
			  r->lost == 0;

	msg("%s executed %" PRIu64 " of %" PRIu64 " known instructions; "
	    "%" PRIu64 " were counted one by one, of which %" PRIu64
	    " have another count in blocks; %" PRIu64 " of %" PRIu64
	    " known stacks",
	    msg_str(command), r->insns, g->insns, r->judged, r->differ,
	    r->stacks, g->stacks);
	msg(good
		? "its counts can be trusted: blocks, calls, returns, loops and "
		  "exceptions were tried, but not interrupts, devices, or "
		  "several CPUs"
		: "its counts cannot be trusted: use another version of QEMU, "
		  "and report this one");
	return good ? EXIT_OK : EXIT_FAILED;
}
