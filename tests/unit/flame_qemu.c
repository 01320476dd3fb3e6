/* SPDX-License-Identifier: ISC */
#include "qemu.h"
#include "opt/words.h"

#include <stdint.h>

#include "opt/qemupath.h"
#include "unit.h"

/* What a command line says of a guest, in a folder /vm. */
static void
reads(const char *remote, char *const *argv)
{
	struct words texts = {0};
	struct qemu_guest g;

	CHECK(qemu_read(&g, &(struct qemu_line){argv, "/vm", &texts}, NULL));
	if (remote == NULL)
		CHECK(g.remote == NULL);
	else
		CHECK(g.remote != NULL && strcmp(g.remote, remote) == 0);
	words_done(&texts);
}

#define READS(remote, ...) \
	reads(remote,      \
	    (char *[]){(char *)"qemu-system-x86_64", __VA_ARGS__, NULL})

static void
ways(void)
{
	READS(NULL, "-m", "64");
	READS(":1234", "-s", "-S");
	READS(":1234", "--s");
	READS(":4444", "-gdb", "tcp::4444");
	READS("localhost:4444", "-gdb", "tcp:localhost:4444,server=on");
	READS("/tmp/g", "-gdb", "unix:/tmp/g,server=on,wait=off");
	READS("/vm/.osdk-gdb-socket", "-gdb",
	    "unix:.osdk-gdb-socket,server=on,wait=off", "-s");
	READS("/vm/g", "-gdb", "chardev:c0", "-chardev", "socket,id=x,path=/no",
	    "-chardev", "socket,path=g,server=on,wait=off,id=c0");
	READS(":5555", "-gdb", "tcp::4444", "-gdb", "tcp::5555");
	READS(NULL, "-gdb", "stdio");
	READS(NULL, "-gdb", "chardev:none");
	READS("qmp:/vm/q", "-qmp", "unix:q,server=on");
	READS("qmp:localhost:1", "-qmp", "tcp:localhost:1,server=on");
	READS("qmp:/q", "-mon", "chardev=h", "-mon", "chardev=m,mode=control",
	    "-chardev", "socket,id=m,path=/q");
	READS(":1234", "-qmp", "unix:q,server=on", "-s");
	READS(NULL, "-gdb");
}

/* Whether a command line has this test's own file among its arguments. */
static void
named(bool want, const char *word)
{
	struct words texts = {0};
	struct qemu_guest g;
	char *argv[] = {
	    (char *)"kvm", (char *)"-kernel", (char *)(uintptr_t)word, NULL};

	CHECK(qemu_read(&g, &(struct qemu_line){argv, "/proc/self", &texts},
	    "/proc/self/exe"));
	CHECK(g.named == want);
	words_done(&texts);
}

/* Whether a program's path is QEMU's. */
static bool
is_qemu(const char *program)
{
	char *argv[] = {(char *)(uintptr_t)program, NULL};
	struct words texts = {0};
	struct qemu_guest g;
	bool is = qemu_read(&g, &(struct qemu_line){argv, NULL, &texts}, NULL);

	words_done(&texts);
	return is;
}

static void
names(void)
{
	named(true, "exe");
	named(true, "file=../self/exe,format=raw");
	named(true, "loader,addr=0,file=/proc/self/exe");
	named(false, "stat");
	named(false, "exe2,file=exe3");
	named(false, "=,=,");
	named(true, ",=exe");

	CHECK(is_qemu("/usr/bin/qemu-system-riscv64"));
	CHECK(is_qemu("kvm"));
	CHECK(!is_qemu("qemu-img"));
}

/* The kernel of a command line, in the folder of this program. */
static void
kernel(const char *want, char *const *argv)
{
	struct words texts = {0};
	const char *is =
	    qemu_kernel(&(struct qemu_line){argv, "/proc/self", &texts});

	CHECK(want ? is != NULL && strcmp(is, want) == 0 : is == NULL);
	words_done(&texts);
}

#define KERNEL(want, ...) \
	kernel(want, (char *[]){(char *)"qemu-system-arm", __VA_ARGS__, NULL})

static void
kernels(void)
{
	KERNEL("/proc/self/exe", "-kernel", "exe");
	KERNEL("/proc/self/exe", "-device", "loader,file=exe");
	KERNEL("/proc/self/exe", "-device", "loader,file=stat", "--device",
	    "loader,cpu-num=0,file=exe");
	KERNEL("/proc/self/exe", "-kernel", "stat", "-device",
	    "loader,addr=0,file=/proc/self/exe");
	KERNEL(NULL, "-device", "loader,addr=0,data=1");
	KERNEL(NULL, "-device", "other,file=exe");
	KERNEL(NULL, "-kernel", "stat");
}

/* The last word of a command with the options handed on. */
static void
hands_on(const char *program, const char *how, const char *last)
{
	struct words options = {0}, w = {0};
	char *argv[] = {(char *)(uintptr_t)program, NULL};

	qemu_options(&options, "/d/gdb", true);
	qemupath_args(&options);
	qemu_command(&w, argv, &options, how);
	CHECK(strcmp(w.v[w.n - 1], last) == 0);
	words_done(&options);
	words_done(&w);
}

int
main(void)
{
	ways();
	names();
	kernels();
	hands_on("make", "end", "chardev:kst");
	hands_on("./run.sh", "env", "./run.sh");
	hands_on("make", "X={} -q",
	    "X=-S -chardev socket,path=/d/gdb,server=on,wait=off,id=kst "
	    "-gdb chardev:kst -q");
	return unit_end();
}
