/* SPDX-License-Identifier: ISC */
/*
 * Which version of the interface the QEMU has that loads the plugin, and how it
 * calls.
 */
#include "qemu/version.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "linux/reader.h"

/* The smallest one. */
enum { PAGE = 4096 };

int qemu_plugin_version = 1;

/* Without what QEMU does at its exit: nothing is written. */
noreturn void
msg_die(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("kst-count: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	_exit(status);
}

/*
 * Version 7 has no function that 6 lacks, and no plugin for 6 is loaded: so
 * QEMU is asked for its own version. 7 came with 11.1.
 */
static bool
is_since_11_1(void)
{
	char command[64];
	int major = 0, minor = 0;
	FILE *f;

	snprintf(
	    command, sizeof command, "/proc/%ld/exe --version", (long)getpid());
	f = popen(command, "re");
	if (f == NULL)
		return false;
	if (fscanf(f, "QEMU emulator version %d.%d", &major, &minor) < 2)
		major = 0;
	pclose(f);
	return major > 11 || (major == 11 && minor >= 1);
}

/*
 * QEMU reads the version once the file is loaded, and may refuse an older one
 * than its own.
 */
__attribute__((constructor)) static void
set_version(void)
{
	qemu_plugin_version =
	    qemu_plugin_register_vcpu_insn_exec_inline		? 1
	    : qemu_plugin_register_vcpu_tb_exec_cond_cb == NULL ? 2
	    : qemu_plugin_read_memory_vaddr == NULL		? 3
	    : qemu_plugin_translate_vaddr == NULL		? 4
	    : qemu_plugin_set_pc == NULL			? 5
	    : is_since_11_1()					? 7
								: 6;
}

static struct version_calls calls;
static struct qemu_plugin_scoreboard *score;
static uint64_t insns; /* executed, of all vCPUs, in version 1 */

/* As version 7 calls them, ... */
static void
on_translation(struct qemu_plugin_tb *tb, void *userdata)
{
	(void)userdata;
	calls.translate(tb);
}

static void
on_vcpu(unsigned vcpu, void *userdata)
{
	(void)userdata;
	calls.add_vcpu(vcpu);
}

static void
on_exit_of_qemu(void *userdata)
{
	(void)userdata;
	calls.finish();
}

/* ... and earlier ones. */
static void
on_translation_1(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	calls.translate(tb);
}

static void
on_vcpu_1(qemu_plugin_id_t id, unsigned vcpu)
{
	(void)id;
	calls.add_vcpu(vcpu);
}

static void
on_exit_of_qemu_1(qemu_plugin_id_t id, void *userdata)
{
	(void)id, (void)userdata;
	calls.finish();
}

void
version_register(
    qemu_plugin_id_t id, int version, const struct version_calls *c)
{
	const bool seven = version >= 7;

	calls = *c;
	if (qemu_plugin_register_vcpu_insn_exec_inline == NULL)
		score = qemu_plugin_scoreboard_new(sizeof insns);
	qemu_plugin_register_vcpu_init_cb(
	    id, seven ? (api_any_cb)on_vcpu : (api_any_cb)on_vcpu_1, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(id,
	    seven ? (api_any_cb)on_translation : (api_any_cb)on_translation_1,
	    NULL);
	qemu_plugin_register_atexit_cb(id,
	    seven ? (api_any_cb)on_exit_of_qemu : (api_any_cb)on_exit_of_qemu_1,
	    NULL);
}

void
version_check(int version)
{
	if (version > API_NEWEST)
		msg_die(1,
		    "QEMU's interface for plugins has version %d, and "
		    "kst-count knows 1 to %d: a newer kst, or an older "
		    "QEMU, is needed",
		    version, API_NEWEST);
}

enum insn_arch
version_arch(const qemu_info_t *info)
{
	const char *target = info->system_emulation ? info->target_name : "";

	if (strcmp(target, "x86_64") == 0 || strcmp(target, "i386") == 0)
		return INSN_X86;
	if (strcmp(target, "aarch64") == 0)
		return INSN_ARM64;
	if (strncmp(target, "riscv", 5) != 0)
		msg_die(1,
		    "kst count follows the calls of x86_64, i386, aarch64, "
		    "riscv32 and riscv64, not of %s: kst flame samples it",
		    info->target_name);
	return INSN_RISCV;
}

size_t
version_bytes(const struct qemu_plugin_insn *insn, uint8_t *to)
{
	size_t n = qemu_plugin_insn_size(insn);

	n = n > VERSION_BYTES ? VERSION_BYTES : n;
	if (qemu_plugin_version > 2)
		return qemu_plugin_insn_data(insn, to, n);
	memcpy(to, (const void *)qemu_plugin_insn_data(insn, NULL, 0), n);
	return n;
}

static int
read_memory(void *arg, uint64_t addr, uint8_t *to, size_t n)
{
	static struct api_bytes *bytes;
	struct api_cpu *cpu;

	(void)arg;
	if (qemu_plugin_read_memory_vaddr && g_byte_array_new) {
		bytes = bytes ? bytes : g_byte_array_new();
		g_byte_array_set_size(bytes, (unsigned)n);
		if (!qemu_plugin_read_memory_vaddr(addr, bytes, n))
			return -1;
		memcpy(to, bytes->data, n);
		return 0;
	}
	/* one may be in a process that does not see the kernel */
	for (int i = 0; qemu_get_cpu && cpu_memory_rw_debug &&
			(cpu = qemu_get_cpu(i)) != NULL;
	     i++)
		if (cpu_memory_rw_debug(cpu, addr, to, n, false) == 0)
			return 0;
	return -1;
}

const struct reader *
version_reader(void)
{
	static const struct reader reader = {read_memory, NULL};

	return &reader;
}

/* QEMU adds n each time that the instruction is executed. */
static void
add(struct qemu_plugin_insn *insn, uint64_t n)
{
	if (score == NULL)
		qemu_plugin_register_vcpu_insn_exec_inline(
		    insn, QEMU_PLUGIN_INLINE_ADD_U64, &insns, n);
	else
		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn,
		    QEMU_PLUGIN_INLINE_ADD_U64, (qemu_plugin_u64){score, 0}, n);
}

/* The last one is left out again if it goes over to another page. */
void
version_count(struct qemu_plugin_tb *tb, const bool *fails, size_t n)
{
	const uint64_t last =
	    qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, n - 1));
	const bool cut = last % PAGE + VERSION_BYTES > PAGE;
	size_t from = 0;

	for (size_t i = 0; i < n; i++)
		if (fails[i] || i + 1 + cut >= n) {
			add(qemu_plugin_tb_get_insn(tb, i), i + 1 - from);
			from = i + 1;
		}
}

const uint64_t *
version_counter(unsigned vcpu)
{
	return score ? qemu_plugin_scoreboard_find(score, vcpu) : &insns;
}

uint64_t
version_executed(unsigned n)
{
	uint64_t sum = insns;

	for (unsigned i = 0; score && i < n; i++)
		sum += *version_counter(i);
	return sum;
}
