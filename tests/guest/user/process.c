/* SPDX-License-Identifier: ISC */
/*
 * Processes: an address space each, a program from an ELF file at the same
 * address in all of them, and a page that says what it is, as Emerald's kernel
 * has it. CPU 0 runs a shell (pid 3) and a counter (pid 4) in turns, CPU 1 a
 * second shell (pid 5).
 */
#include "../dev.h"
#include "../work.h"
#include "user.h"

#define KERNEL 0xffffffff80000000UL
#define MEMORY 0x1000000UL /* physical: 4 MiB from here on for each process */
#define USER_STACK 0x600000UL
#define METADATA 0xffffff7fffffe000UL
#define PAGE_USER 7UL /* present, writable, the user's */
#define PAGE_LARGE 0x80UL

struct frame {
	u64 r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbx, rdx, rcx, rax,
	    rbp, rip, cs, rflags, rsp, ss;
};

struct metadata {
	u64 pid, image_base, image_size, program_headers, eh_frame,
	    eh_frame_size, text, text_size;
};

struct process {
	u64 pml4[512], low3[512], low2[512], high3[512], high2[512], high1[512];
	union {
		struct metadata metadata;
		u64 page[512];
	};
	struct frame frame;
} __attribute__((aligned(4096)));

struct elf_header {
	u8 ident[16];
	u16 type, machine;
	u32 version;
	u64 entry, phoff, shoff;
	u32 flags;
	u16 ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};

struct segment {
	u32 type, flags;
	u64 offset, vaddr, paddr, filesz, memsz, align;
};

struct section {
	u32 name, type;
	u64 flags, addr, offset, size;
	u32 link, info;
	u64 addralign, entsize;
};

struct tss {
	u32 reserved;
	u64 rsp0;
	u8 rest[92];
} __attribute__((packed));

static struct process process[3];
static struct tss tss[MAX_CPUS];
static u64 gdt[MAX_CPUS][8];
static u8 kernel_stack[MAX_CPUS][8192] __attribute__((aligned(16)));
static u32 current[MAX_CPUS];
static u64 syscalls;

extern u64 pml4[512];
extern const u8 shell_elf[], counter_elf[];
void syscall_entry(void);
void user_enter(struct frame *f) __attribute__((noreturn));
void syscall(struct frame *f) __attribute__((noreturn));

static void
copy(u8 *to, const u8 *from, u64 n)
{
	while (n-- > 0)
		*to++ = *from++;
}

static int
is(const char *a, const char *b)
{
	while (*a != '\0' && *a == *b)
		a++, b++;
	return *a == *b;
}

static u64
physical(const void *p)
{
	return (u64)p - KERNEL;
}

static void
load(struct process *p, const u8 *elf, u8 *memory)
{
	const struct elf_header *h = (const void *)elf;
	const struct segment *seg = (const void *)(elf + h->phoff);
	const struct section *sec = (const void *)(elf + h->shoff);
	const char *names = (const void *)(elf + sec[h->shstrndx].offset);
	struct metadata *m = &p->metadata;
	u64 low = ~0UL, high = 0;

	for (u32 i = 0; i < h->phnum; i++) {
		if (seg[i].type != 1)
			continue;
		if (seg[i].vaddr < low)
			low = seg[i].vaddr;
		if (seg[i].vaddr + seg[i].memsz > high)
			high = seg[i].vaddr + seg[i].memsz;
		copy(memory + (seg[i].vaddr & 0x1fffff), elf + seg[i].offset,
		    seg[i].filesz);
	}
	m->image_base = low;
	m->image_size = high - low;
	m->program_headers = h->phoff;
	for (u32 i = 0; i < h->shnum; i++) {
		if (is(names + sec[i].name, ".text")) {
			m->text = sec[i].addr;
			m->text_size = sec[i].size;
		} else if (is(names + sec[i].name, ".eh_frame")) {
			m->eh_frame = sec[i].addr;
			m->eh_frame_size = sec[i].size;
		}
	}
	p->frame.rip = h->entry;
}

static void
create(u32 n, u64 pid, const u8 *elf)
{
	struct process *p = &process[n];
	u64 memory = MEMORY + n * 0x400000UL;

	p->metadata.pid = pid;
	load(p, elf, (u8 *)(KERNEL + memory));
	p->pml4[511] = pml4[511];
	p->pml4[0] = physical(p->low3) | PAGE_USER;
	p->low3[0] = physical(p->low2) | PAGE_USER;
	p->low2[2] = memory | PAGE_LARGE | PAGE_USER;
	p->low2[3] = (memory + 0x200000) | PAGE_LARGE | PAGE_USER;
	p->pml4[METADATA >> 39 & 511] = physical(p->high3) | PAGE_USER;
	p->high3[METADATA >> 30 & 511] = physical(p->high2) | PAGE_USER;
	p->high2[METADATA >> 21 & 511] = physical(p->high1) | PAGE_USER;
	p->high1[METADATA >> 12 & 511] = physical(p->page) | 5;
	p->frame.cs = 0x1b;
	p->frame.ss = 0x23;
	p->frame.rflags = 2;
	p->frame.rsp = USER_STACK + 0x200000 - 64;
	p->frame.rdi = tsc_ms;
}

/* A descriptor table and a task segment for ring 3's way into the kernel. */
static void
ring3_init(u32 id)
{
	struct {
		u16 limit;
		u64 base;
	} __attribute__((packed)) gdtr = {sizeof gdt[0] - 1, (u64)gdt[id]};
	u64 t = (u64)&tss[id], *g = gdt[id];

	g[1] = 0x00af9b000000ffff;
	g[2] = 0x00cf93000000ffff;
	g[3] = 0x00affb000000ffff;
	g[4] = 0x00cff3000000ffff;
	g[5] =
	    0x0000890000000067 | (t & 0xffffff) << 16 | (t >> 24 & 0xff) << 56;
	g[6] = t >> 32;
	tss[id].rsp0 = (u64)kernel_stack[id] + sizeof kernel_stack[id];
	__asm__ volatile("lgdt %0" : : "m"(gdtr));
	__asm__ volatile("ltr %w0" : : "r"(0x28));
	gate_user(0x80, syscall_entry);
}

static __attribute__((noreturn)) void
run(u32 n)
{
	__asm__ volatile("movq %0, %%cr3" : : "r"(physical(process[n].pml4)));
	user_enter(&process[n].frame);
}

/* What the kernel does for a process. */
static FRAME void
serve(u64 until)
{
	while (now() < until)
		syscalls++;
}

void
syscall(struct frame *f)
{
	u32 id = lapic_id(), n = current[id];

	process[n].frame = *f;
	if (f->rdi == SYS_WORK)
		serve(f->rsi);
	else if (f->rdi == SYS_YIELD && n < 2)
		current[id] = n = !n;
	run(n);
}

FRAME void
user_work(u32 id)
{
	ring3_init(id);
	if (id == 0) {
		create(0, 3, shell_elf);
		create(1, 4, counter_elf);
		run(0);
	}
	create(2, 5, shell_elf);
	current[id] = 2;
	run(2);
}
