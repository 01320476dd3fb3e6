/* SPDX-License-Identifier: ISC */
#include "io/rights.h"

#include "base/msg.h"
#include "base/port.h"

#include <stdlib.h>
#include <string.h>

char *const rights_all[] = {(char *)"/", NULL};

#if !defined KST_PORTABLE && defined __has_include
#if __has_include(<linux/landlock.h>) && __has_include(<linux/seccomp.h>)
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Later than some systems' headers, see landlock(7). */
enum { TRUNCATE = 1 << 14 };

enum {
	READ = LANDLOCK_ACCESS_FS_READ_FILE,
	LIST = LANDLOCK_ACCESS_FS_READ_DIR,
	RUN = LANDLOCK_ACCESS_FS_EXECUTE,
	MAKE = READ | LANDLOCK_ACCESS_FS_WRITE_FILE |
	       LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE
};

/* False if the system lacks a descriptor or memory for the rule. */
static bool
allow(int rules, const char *path, uint64_t access)
{
	struct landlock_path_beneath_attr below = {
	    .allowed_access = access, .parent_fd = -1};
	struct stat st;

	if (path == NULL || strcmp(path, "-") == 0)
		return true;
	below.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (below.parent_fd < 0) /* to open it will fail, too */
		return !msg_is_system(errno);
	if (fstat(below.parent_fd, &st) == 0 && !S_ISDIR(st.st_mode))
		below.allowed_access &= ~(uint64_t)LIST;
	syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH,
	    &below, 0);
	close(below.parent_fd);
	return true;
}

static void
keep_files(const struct rights *r)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
	    LANDLOCK_CREATE_RULESET_VERSION);
	struct landlock_ruleset_attr all = {.handled_access_fs = (1 << 13) - 1};
	uint64_t reads = READ | LIST | (r->runs ? RUN : 0);
	bool made = true;
	int rules;

	if (abi < 1)
		return;
	if (abi > 1)
		all.handled_access_fs |= 1 << 13;
	if (abi > 2)
		all.handled_access_fs |= TRUNCATE;
	rules = (int)syscall(
	    SYS_landlock_create_ruleset, &all, sizeof all.handled_access_fs, 0);
	if (rules < 0)
		return;
	for (int i = 0; i < r->n_reads; i++)
		made &= allow(rules, r->reads[i], reads);
	for (int i = 0; i < 2; i++)
		made &= allow(rules, r->dirs[i], MAKE);
	/* without its rule a file would be forbidden */
	if (made)
		syscall(SYS_landlock_restrict_self, rules, 0);
	close(rules);
}

#if defined __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCH AUDIT_ARCH_AARCH64
#elif defined __riscv && __riscv_xlen == 64
#define ARCH AUDIT_ARCH_RISCV64
#endif

#ifdef ARCH
#define FIELD(f) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, f))
#define RETURN(v) BPF_STMT(BPF_RET | BPF_K, (v))

/* Refuses system calls that no filter needs, by a BPF program. */
static void
deny_calls(bool runs)
{
	static const unsigned denied[] = {SYS_execve, SYS_execveat, SYS_socket,
	    SYS_socketpair, SYS_ptrace, SYS_process_vm_readv,
	    SYS_process_vm_writev, SYS_io_uring_setup, SYS_bpf, SYS_keyctl,
	    SYS_userfaultfd, SYS_perf_event_open, SYS_mount};
	enum { N = sizeof denied / sizeof *denied, BEGIN = 5 };
	struct sock_filter f[BEGIN + 2 * N + 1] = {FIELD(arch),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
	    RETURN(SECCOMP_RET_KILL_PROCESS), FIELD(nr),
	    /* x32's numbers: to the first RETURN below */
	    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 1, 0)};
	struct sock_fprog program = {BEGIN, f};

	for (size_t i = runs ? 2 : 0; i < N; i++) {
		f[program.len++] = (struct sock_filter)BPF_JUMP(
		    BPF_JMP | BPF_JEQ | BPF_K, denied[i], 0, 1);
		f[program.len++] =
		    (struct sock_filter)RETURN(SECCOMP_RET_ERRNO | EPERM);
	}
	f[program.len++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#endif

static void
keep(const struct rights *r)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return;
	keep_files(r);
#ifdef ARCH
	deny_calls(r->runs);
#endif
}
#define KEEPS
#endif
#elif defined __OpenBSD__
#include <unistd.h>

static void
keep(const struct rights *r)
{
	bool makes = r->dirs[0] || r->dirs[1];

	for (int i = 0; i < r->n_reads; i++)
		unveil(r->reads[i], r->runs ? "rx" : "r");
	for (int i = 0; i < 2; i++)
		if (r->dirs[i])
			unveil(r->dirs[i], "rwc");
	/* without a path that was unveiled, rpath would allow them all */
	pledge(r->runs	    ? "stdio rpath tty proc exec"
	       : makes	    ? "stdio rpath tty wpath cpath"
	       : r->n_reads ? "stdio rpath tty"
			    : "stdio tty",
	    NULL);
}
#define KEEPS
#endif

void
rights_keep(const struct rights *r)
{
	const char *off = getenv("KST_NO_SANDBOX");

	(void)r;
	if (off && strcmp(off, "1") == 0)
		return;
#ifdef KEEPS
	keep(r);
#endif
}

void
rights_files(char *const *operands, int n)
{
	rights_keep(&(struct rights){.reads = operands, .n_reads = n});
}
