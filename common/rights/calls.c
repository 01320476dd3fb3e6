/* SPDX-License-Identifier: ISC */
/*
 * The system calls that are left, as a program for the kernel. Which of them a
 * C library makes depends on its version, and on the processor: what the
 * headers know of this list is in it.
 *
 * A call that is refused fails with EPERM. To end the process instead would
 * make each new call of a newer C library the end of all filters.
 */
#include "rights/rights.h"

#include "base/port.h" /* KST_PORTABLE */

pid_t rights_awaited;

#if !defined KST_PORTABLE && defined __has_include
#if __has_include(<linux/seccomp.h>) && __has_include(<linux/audit.h>)
#include <linux/audit.h>
#define HAS_SECCOMP
#endif
#endif

/* The processor's number; x32 has that of x86_64, and other calls. */
#ifndef HAS_SECCOMP
#elif defined __x86_64__ && !defined __ILP32__
#define ARCH AUDIT_ARCH_X86_64
#elif defined __i386__
#define ARCH AUDIT_ARCH_I386
#elif defined __aarch64__ && !defined __AARCH64EB__
#define ARCH AUDIT_ARCH_AARCH64
#elif defined __arm__ && !defined __ARMEB__
#define ARCH AUDIT_ARCH_ARM
#elif defined __riscv && __riscv_xlen == 64
#define ARCH AUDIT_ARCH_RISCV64
#elif defined __s390x__
#define ARCH AUDIT_ARCH_S390X
#elif defined __powerpc64__ && defined __LITTLE_ENDIAN__
#define ARCH AUDIT_ARCH_PPC64LE
#elif defined __loongarch_lp64 && defined AUDIT_ARCH_LOONGARCH64
#define ARCH AUDIT_ARCH_LOONGARCH64
#endif

#ifdef ARCH
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <termios.h>
#include <unistd.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LOW 4
#else
#define LOW 0
#endif
#define FIELD(at) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (at))
#define ARG(i) FIELD(offsetof(struct seccomp_data, args) + (i)*8 + LOW)
#define IF(what, v, yes, no) \
	BPF_JUMP(BPF_JMP | (what) | BPF_K, (v), (yes), (no))
#define YES BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define NO BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

/* What glibc 2.42 asks a terminal, which clashes with <termios.h>. */
enum { GETS2 = (int)0x802c542a, SETSW2 = 0x402c542c };

/* A call with any arguments. */
#define CALL(nr) IF(BPF_JEQ, __NR_##nr, 0, 1), YES
/* With this argument (its lower 32 bits) alone, or with one of two. */
#define WITH(nr, arg, v) \
	IF(BPF_JEQ, __NR_##nr, 0, 4), ARG(arg), IF(BPF_JEQ, (v), 0, 1), YES, NO
#define WITH2(nr, arg, v, w)                                            \
	IF(BPF_JEQ, __NR_##nr, 0, 5), ARG(arg), IF(BPF_JEQ, (v), 1, 0), \
	    IF(BPF_JEQ, (w), 0, 1), YES, NO
/* Without any of these bits. */
#define WITHOUT(nr, arg, bits)                                              \
	IF(BPF_JEQ, __NR_##nr, 0, 4), ARG(arg), IF(BPF_JSET, (bits), 0, 1), \
	    NO, YES
/* Memory, or a file without its code. */
#define MAP(nr)                                                              \
	IF(BPF_JEQ, __NR_##nr, 0, 6), ARG(2), IF(BPF_JSET, PROT_EXEC, 0, 2), \
	    ARG(3), IF(BPF_JSET, MAP_ANONYMOUS, 0, 1), YES, NO

static const struct sock_filter head[] = {
    FIELD(offsetof(struct seccomp_data, arch)),
    IF(BPF_JEQ, ARCH, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    FIELD(offsetof(struct seccomp_data, nr)),
#ifdef __x86_64__
    /* x32's numbers */
    IF(BPF_JGE, 0x40000000, 0, 1),
    NO,
#endif
};

/* Of every filter. Most are made by the C library's malloc() and stdio. */
static const struct sock_filter base[] = {
    CALL(read),
    CALL(write),
    CALL(readv),
    CALL(writev),
    CALL(pread64),
    CALL(lseek),
    CALL(close),
    CALL(fsync),
#ifdef __NR__llseek
    CALL(_llseek),
#endif
#ifdef __NR_fadvise64
    CALL(fadvise64),
#endif
#ifdef __NR_fadvise64_64
    CALL(fadvise64_64),
#endif
#ifdef __NR_arm_fadvise64_64
    CALL(arm_fadvise64_64),
#endif
    CALL(fstat),
#ifdef __NR_fstat64
    CALL(fstat64),
#endif
#ifdef __NR_newfstatat
    WITH(newfstatat, 3, AT_EMPTY_PATH),
#endif
#ifdef __NR_fstatat64
    WITH(fstatat64, 3, AT_EMPTY_PATH),
#endif
#ifdef __NR_statx
    WITH2(statx, 2, AT_EMPTY_PATH, AT_EMPTY_PATH | AT_NO_AUTOMOUNT),
#endif
#ifdef __NR_poll
    CALL(poll),
#endif
#ifdef __NR_ppoll
    CALL(ppoll),
#endif
#ifdef __NR_ppoll_time64
    CALL(ppoll_time64),
#endif
    WITH2(fcntl, 1, F_GETFD, F_GETFL),
#ifdef __NR_fcntl64
    WITH2(fcntl64, 1, F_GETFD, F_GETFL),
#endif
    IF(BPF_JEQ, __NR_ioctl, 0, 6),
    ARG(1),
    IF(BPF_JEQ, TCGETS, 3, 0),
    IF(BPF_JEQ, GETS2, 2, 0),
    IF(BPF_JEQ, TIOCGWINSZ, 1, 0),
    NO,
    YES,
/* PCRE2 makes code in memory; that of a file is not for a filter */
#ifdef __s390x__
    CALL(mmap), /* its arguments are in memory */
#elif defined __NR_mmap2
    MAP(mmap2),
#else
    MAP(mmap),
#endif
    WITHOUT(mprotect, 2, PROT_EXEC),
    CALL(munmap),
    CALL(mremap),
    CALL(madvise),
    CALL(brk),
#ifdef __NR_futex
    CALL(futex),
#endif
#ifdef __NR_futex_time64
    CALL(futex_time64),
#endif
    CALL(rt_sigaction),
    CALL(rt_sigprocmask),
    CALL(rt_sigreturn),
#ifdef __NR_sigreturn
    CALL(sigreturn),
#endif
    CALL(restart_syscall),
#ifdef __NR_clock_gettime
    CALL(clock_gettime),
#endif
#ifdef __NR_clock_gettime64
    CALL(clock_gettime64),
#endif
    CALL(getrandom),
    WITH(setitimer, 0, ITIMER_VIRTUAL), /* of the demangler */
    CALL(sysinfo),			/* how much memory qsort() may take */
    CALL(getpid),
    CALL(gettid),
    CALL(exit),
    CALL(exit_group),
};

/* Opens files, where landlock lets it, but not to write. */
static const struct sock_filter opens[] = {
#ifdef __NR_open
    WITHOUT(open, 1, O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND),
#endif
    WITHOUT(openat, 2, O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND),
#ifdef __NR_stat
    CALL(stat),
#endif
#ifdef __NR_stat64
    CALL(stat64),
#endif
#ifdef __NR_newfstatat
    CALL(newfstatat),
#endif
#ifdef __NR_fstatat64
    CALL(fstatat64),
#endif
#ifdef __NR_statx
    CALL(statx),
#endif
#ifdef __NR_access
    CALL(access),
#endif
    CALL(faccessat),
#ifdef __NR_faccessat2
    CALL(faccessat2),
#endif
};

static const struct sock_filter names[] = {
    CALL(getdents64),
#ifdef __NR_lstat
    CALL(lstat),
#endif
#ifdef __NR_lstat64
    CALL(lstat64),
#endif
#ifdef __NR_readlink
    CALL(readlink),
#endif
    CALL(readlinkat),
    CALL(getcwd),
};

static const struct sock_filter memory[] = {
    CALL(memfd_create),
    CALL(ftruncate),
    CALL(pwrite64),
};

static const struct sock_filter screen[] = {
    /* before those of every filter */
    IF(BPF_JEQ, __NR_ioctl, 0, 4),
    ARG(1),
    IF(BPF_JEQ, TCSETSW, 1, 0),
    IF(BPF_JEQ, SETSW2, 0, 1),
    YES,
    FIELD(offsetof(struct seccomp_data, nr)),
#ifdef __NR_dup2
    CALL(dup2),
#endif
    CALL(dup3),
};

static const struct sock_filter receive[] = {
    CALL(recvmsg),
};

static const struct sock_filter removes[] = {
#ifdef __NR_unlink
    CALL(unlink),
#endif
#ifdef __NR_rmdir
    CALL(rmdir),
#endif
    CALL(unlinkat),
};

/*
 * What fork() is, and no other kind of process. The process is one that guards
 * a connection: see cmd/kst-capture/wire/watchdog.c.
 */
#ifdef __GLIBC__
#define FORK_FLAGS                                                       \
	((unsigned)CLONE_CHILD_SETTID | (unsigned)CLONE_CHILD_CLEARTID | \
	    SIGCHLD)
#else
#define FORK_FLAGS SIGCHLD
#endif
#ifdef __s390x__
#define FORK_ARG 1
#else
#define FORK_ARG 0
#endif

static const struct sock_filter guards[] = {
    WITH(clone, FORK_ARG, FORK_FLAGS),
#if defined __NR_fork && !defined __GLIBC__
    CALL(fork),
#endif
    CALL(wait4),
    WITH(socketpair, 0, AF_UNIX),
    CALL(shutdown),
    CALL(setsid),
    CALL(set_robust_list),
#ifdef __NR_close_range
    CALL(close_range),
#endif
#ifdef __NR_alarm
    CALL(alarm),
#endif
    /* before those of every filter */
    WITH2(setitimer, 0, ITIMER_REAL, ITIMER_VIRTUAL),
};

static const struct sock_filter peers[] = {
    CALL(getpeername),
    WITH(recvfrom, 3, MSG_PEEK),
    CALL(getpgid),
    WITH(kill, 1, SIGINT),
};

/* The same by other libraries and older kernels, on a few processors. */
#ifdef __NR_socketcall
#define SOCKETCALL(no) IF(BPF_JEQ, (no), 0, 1), YES
static const struct sock_filter socketcalls[] = {
    IF(BPF_JEQ, __NR_socketcall, 0, 10),
    ARG(0),
    SOCKETCALL(7),  /* getpeername */
    SOCKETCALL(8),  /* socketpair */
    SOCKETCALL(12), /* recvfrom */
    SOCKETCALL(13), /* shutdown */
    NO,
};
#endif

#define ADD(piece) add(&program, piece, sizeof piece)

static void
add(struct sock_fprog *program, const struct sock_filter *piece, size_t size)
{
	memcpy(program->filter + program->len, piece, size);
	program->len += (unsigned short)(size / sizeof *piece);
}

int
calls_keep(const struct rights *r)
{
	struct sock_filter f[512];
	const struct sock_filter own[] = {WITH(tgkill, 0, (unsigned)getpid()),
	    WITH(tkill, 0, (unsigned)getpid()), /* musl's raise() */
	    NO};
	const pid_t keeper = rights_awaited > 0 ? rights_awaited : r->awaits;
	const struct sock_filter awaited[] = {WITH2(wait4, 0, (unsigned)keeper,
	    (unsigned)(r->awaits > 0 ? r->awaits : keeper))};
	const struct sock_filter others[] = {
	    WITH(kill, 0, (unsigned)r->child), CALL(wait4)};
	struct sock_fprog program = {0, f};

	ADD(head);
	if (keeper > 0 && r->child <= 0 && !(r->also & RIGHTS_GUARD))
		ADD(awaited);
	if (r->child > 0)
		ADD(others);
	if (r->also & RIGHTS_GUARD)
		ADD(guards);
	if (r->also & RIGHTS_PEER)
		ADD(peers);
#ifdef __NR_socketcall
	if (r->also & RIGHTS_GUARD)
		ADD(socketcalls);
#endif
	if (r->also & RIGHTS_SCREEN)
		ADD(screen);
	if (r->n_reads > 0)
		ADD(opens);
	ADD(base);
	if (r->also & RIGHTS_NAMES)
		ADD(names);
	if (r->also & RIGHTS_MEMORY)
		ADD(memory);
	if (r->also & RIGHTS_RECEIVE)
		ADD(receive);
	if (r->removes != NULL)
		ADD(removes);
	ADD(own);
	/* EINVAL: a kernel without such programs */
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ||
	    errno == ENOSYS || errno == EPERM || errno == EINVAL)
		return 0;
	return -1;
}
#else
int
calls_keep(const struct rights *r)
{
	(void)r;
	return 0;
}
#endif
