/* SPDX-License-Identifier: ISC */
#include "qemu.h"
#include "opt/words.h"

#include <stdint.h>

#include "base/xalloc.h"
#include "unit.h"

/* What a command line says of a guest, in a folder /vm. */
static void
reads(const char *remote, char *const *argv)
{
	struct qemu_guest *g = xcalloc(1, sizeof *g);

	qemu_read(g, argv, "/vm", NULL);
	if (remote == NULL)
		CHECK(g->remote == NULL);
	else
		CHECK(g->remote != NULL && strcmp(g->remote, remote) == 0);
	qemu_free(g, 1);
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
	struct qemu_guest *g = xcalloc(1, sizeof *g);
	char *argv[] = {
	    (char *)"kvm", (char *)"-kernel", (char *)(uintptr_t)word, NULL};

	qemu_read(g, argv, "/proc/self", "/proc/self/exe");
	CHECK(g->named == want);
	qemu_free(g, 1);
}

static void
names(void)
{
	named(true, "exe");
	named(true, "file=../self/exe,format=raw");
	named(true, "loader,addr=0,file=/proc/self/exe");
	named(false, "stat");
	named(false, "exe2,file=exe3");

	CHECK(qemu_is("/usr/bin/qemu-system-riscv64"));
	CHECK(qemu_is("kvm"));
	CHECK(!qemu_is("qemu-img"));
	CHECK(qemu_by_env("/usr/bin/make", NULL));
	CHECK(!qemu_by_env("./run.sh", NULL));
	CHECK(!qemu_by_env("make", "end"));
	CHECK(qemu_by_env("./run.sh", "env"));
	CHECK(!qemu_by_env("make", "X={}"));
}

/* The last word of a command with the options handed on. */
static void
hands_on(const char *program, const char *how, const char *last)
{
	struct words options = {0}, w = {0};
	char *argv[] = {(char *)(uintptr_t)program, NULL};

	qemu_options(&options, "/d/gdb", true);
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
	hands_on("./run.sh", NULL, "chardev:kst");
	hands_on("make", NULL, "make");
	hands_on("make", "X={} -q",
	    "X=-S -chardev socket,path=/d/gdb,server=on,wait=off,id=kst "
	    "-gdb chardev:kst -q");
	return unit_end();
}
