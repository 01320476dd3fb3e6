/* SPDX-License-Identifier: ISC */
/*
 * The work of a guest whose kernel is sampled: an init without a C library,
 * for x86_64, aarch64 and riscv64. Its processes make the kernel clear and
 * copy memory that faults in the middle, pipe, fork, read files and sleep.
 */

/* The numbers are the generic ones of all newer ports, and x86_64's. */
#if defined(__x86_64__)
enum {
	READ = 0,
	WRITE = 1,
	CLOSE = 3,
	MMAP = 9,
	MUNMAP = 11,
	PIPE2 = 293,
	NANOSLEEP = 35,
	CLONE = 56,
	EXIT = 60,
	WAIT4 = 61,
	OPENAT = 257,
	MKDIRAT = 258,
	MOUNT = 165,
	GETDENTS = 217,
	SPLICE = 275,
	GETRANDOM = 318,
	SENDFILE = 40,
	UNLINKAT = 263,
	GETPPID = 110,
	PREAD = 17,
	PWRITE = 18,
	FINIT_MODULE = 313,
	DIRECT = 040000
};
#else
enum {
	READ = 63,
	WRITE = 64,
	CLOSE = 57,
	MMAP = 222,
	MUNMAP = 215,
	PIPE2 = 59,
	NANOSLEEP = 101,
	CLONE = 220,
	EXIT = 93,
	WAIT4 = 260,
	OPENAT = 56,
	MKDIRAT = 34,
	MOUNT = 40,
	GETDENTS = 61,
	SPLICE = 76,
	GETRANDOM = 278,
	SENDFILE = 71,
	UNLINKAT = 35,
	GETPPID = 173,
	PREAD = 67,
	PWRITE = 68,
	FINIT_MODULE = 273,
	DIRECT = 0200000
};
#endif

enum { SIGCHLD = 17, HERE = -100, CREATE = 0101, RW = 2, MIB = 1 << 20 };

static long
sys(long n, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
			 : "+a"(n)
			 : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return n;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = n;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;
	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
#else
	register long a7 __asm__("a7") = n;
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;
	register long a4 __asm__("a4") = e;
	register long a5 __asm__("a5") = f;
	__asm__ volatile("ecall"
			 : "+r"(a0)
			 : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5)
			 : "memory");
	return a0;
#endif
}

static long
open_at(const char *path, long flags)
{
	return sys(OPENAT, HERE, (long)path, flags, 0644, 0, 0);
}

static char *
fresh(long n)
{
	return (char *)sys(MMAP, 0, n, 3, 0x22, -1, 0);
}

static void
rest(long ns)
{
	long ts[2] = {0, ns};

	sys(NANOSLEEP, (long)ts, 0, 0, 0, 0, 0);
}

/* The kernel clears memory that is not there yet: faults in kernel mode. */
static void
zeros(void)
{
	long fd = open_at("/dev/zero", 0);
	char *p = fresh(MIB);

	sys(READ, fd, (long)p, MIB, 0, 0, 0);
	sys(MUNMAP, (long)p, MIB, 0, 0, 0, 0);
	sys(CLOSE, fd, 0, 0, 0, 0, 0);
}

static void
faults(void)
{
	volatile char *p = fresh(MIB);

	for (long i = 0; i < MIB; i += 4096)
		p[i] = 1;
	sys(MUNMAP, (long)p, MIB, 0, 0, 0, 0);
}

/* Files in memory, written and read into memory that faults. */
static void
files(void)
{
	long fd = open_at("/tmp/f", CREATE | RW);
	char *p = fresh(MIB);

	sys(WRITE, fd, (long)p, MIB / 2, 0, 0, 0);
	sys(CLOSE, fd, 0, 0, 0, 0, 0);
	fd = open_at("/tmp/f", 0);
	sys(READ, fd, (long)(p + MIB / 2), MIB / 2, 0, 0, 0);
	sys(CLOSE, fd, 0, 0, 0, 0, 0);
	sys(UNLINKAT, HERE, (long)"/tmp/f", 0, 0, 0, 0);
	sys(MUNMAP, (long)p, MIB, 0, 0, 0, 0);
}

static void
folders(void)
{
	static const char *const all[] = {"/proc", "/sys/kernel", "/dev"};
	static char b[4096];

	for (int i = 0; i < 3; i++) {
		long fd = open_at(all[i], 0);

		while (sys(GETDENTS, fd, (long)b, sizeof(b), 0, 0, 0) > 0)
			;
		sys(CLOSE, fd, 0, 0, 0, 0, 0);
	}
}

static void
texts(void)
{
	static const char *const all[] = {"/proc/meminfo", "/proc/stat",
	    "/proc/self/maps", "/proc/interrupts", "/proc/kallsyms"};
	static char b[4096];

	for (int i = 0; i < 5; i++) {
		long fd = open_at(all[i], 0);

		for (int k = 0; k < 8; k++)
			if (sys(READ, fd, (long)b, sizeof(b), 0, 0, 0) <= 0)
				break;
		sys(CLOSE, fd, 0, 0, 0, 0, 0);
	}
}

static long
fork(void)
{
	return sys(CLONE, SIGCHLD, 0, 0, 0, 0, 0);
}

/* Children that talk through a pipe. */
static void
pipes(void)
{
	static char b[512];
	int fd[2];

	sys(PIPE2, (long)fd, 0, 0, 0, 0, 0);
	if (fork() == 0) {
		for (int i = 0; i < 50; i++)
			sys(WRITE, fd[1], (long)b, sizeof(b), 0, 0, 0);
		sys(EXIT, 0, 0, 0, 0, 0, 0);
	}
	sys(CLOSE, fd[1], 0, 0, 0, 0, 0);
	while (sys(READ, fd[0], (long)b, sizeof(b), 0, 0, 0) > 0)
		;
	sys(CLOSE, fd[0], 0, 0, 0, 0, 0);
	sys(WAIT4, -1, 0, 0, 0, 0, 0);
}

static void
noise(void)
{
	static char b[8192];

	sys(GETRANDOM, (long)b, sizeof(b), 0, 0, 0, 0);
	for (volatile int i = 0; i < 20000; i++)
		;
	rest(1000000);
}

/* A disk in memory, by a module, past the cache. */
static void
disk(void)
{
	static char b[65536] __attribute__((aligned(4096)));
	long fd = open_at("/dev/ram0", RW | DIRECT);

	for (long i = 0; i < 64; i++) {
		sys(PWRITE, fd, (long)b, sizeof(b), i << 16, 0, 0);
		sys(PREAD, fd, (long)b, sizeof(b), i << 16, 0, 0);
	}
	sys(CLOSE, fd, 0, 0, 0, 0, 0);
	if (fd < 0)
		rest(100000000);
}

static long
length(const char *s)
{
	long n = 0;

	while (s[n])
		n++;
	return n;
}

/* Loads it, and tells on the console where it is. */
static void
module(long console)
{
	static const char *const all[] = {".text", ".text.unlikely",
	    ".init.text", ".exit.text", ".rodata", ".orc_unwind",
	    ".orc_unwind_ip", ".data", ".bss"};
	static const char dir[] = "/sys/module/brd/sections/";
	long fd = open_at("/brd.ko", 0);

	if (fd < 0)
		return;
	sys(FINIT_MODULE, fd, (long)"rd_nr=1 rd_size=8192", 0, 0, 0, 0);
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char path[64] = {0}, b[64];
		long n = length(all[i]);

		for (unsigned k = 0; k < sizeof(dir) - 1; k++)
			path[k] = dir[k];
		for (long k = 0; k < n; k++)
			path[sizeof(dir) - 1 + (unsigned long)k] = all[i][k];
		fd = open_at(path, 0);
		if (fd < 0)
			continue;
		sys(WRITE, console, (long)"section ", 8, 0, 0, 0);
		sys(WRITE, console, (long)all[i], n, 0, 0, 0);
		sys(WRITE, console, (long)" ", 1, 0, 0, 0);
		n = sys(READ, fd, (long)b, sizeof(b), 0, 0, 0);
		sys(WRITE, console, (long)b, n, 0, 0, 0);
		sys(CLOSE, fd, 0, 0, 0, 0, 0);
	}
}

int
main(void)
{
	static void (*const jobs[])(void) = {
	    zeros, faults, files, folders, texts, pipes, noise, disk};
	static const char *const dirs[] = {"/proc", "/sys", "/dev", "/tmp"};
	static const char *const types[] = {
	    "proc", "sysfs", "devtmpfs", "tmpfs"};
	long fd;

	for (int i = 0; i < 4; i++) {
		sys(MKDIRAT, HERE, (long)dirs[i], 0755, 0, 0, 0);
		sys(MOUNT, (long)types[i], (long)dirs[i], (long)types[i], 0, 0,
		    0);
	}
	fd = open_at("/dev/console", RW);
	module(fd);
	sys(WRITE, fd, (long)"ready\n", 6, 0, 0, 0);
	for (unsigned i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
		if (fork() == 0)
			for (;;)
				jobs[i]();
	for (;;)
		sys(WAIT4, -1, 0, 0, 0, 0, 0);
}

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n\tand $-16, %rsp\n\tcall main\n");
#elif defined(__aarch64__)
__asm__(".globl _start\n_start:\n\tbl main\n");
#else
__asm__(".globl _start\n_start:\n\tcall main\n");
#endif
