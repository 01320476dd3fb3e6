/* SPDX-License-Identifier: ISC */
/* What the packers write of the text's size, and what others may write. */
#include "../../cmd/kst-batch/packed.c"
#include "../../cmd/kst-batch/source.c"

#include <sys/wait.h>

#include "unit.h"

static const char *text_path, *path;

/* Runs a shell's command, in which $1 is the text and $2 the packed file. */
static bool
run(const char *command)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execlp("sh", "sh", "-euc", command, "sh", text_path, path,
		    (char *)NULL);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid && status == 0;
}

static uint64_t
size_of(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* The file that the command makes, and what is said of it. */
static uint64_t
said(const char *command)
{
	CHECK(run(command));
	return packed_text(path, size_of(path));
}

static void
check_said(const char *command)
{
	CHECK(said(command) == size_of(text_path));
	CHECK(packed_is(path));
}

static void
check_guessed(const char *command)
{
	CHECK(said(command) == size_of(path) * UNPACKED);
	CHECK(packed_is(path));
}

/* A file of these bytes. */
static uint64_t
said_of(const char *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	CHECK(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
	return packed_text(path, n);
}

static void
check_wrong(void)
{
	static const char zstd[] = "\x28\xb5\x2f\xfd\xe0\xff\xff\xff\xff\xff"
				   "\xff\xff\xff";
	static const char xz[] = "\xfd"
				 "7zXZ\0\0\0\0\0\0\0\0\xff\xff\xff\xff\0\0YZ";

	CHECK(said_of(zstd, 13) == 13 * UNPACKED_MAX);
	CHECK(said_of(zstd, 5) == 5 * UNPACKED);
	CHECK(said_of(xz, sizeof xz - 1) == (sizeof xz - 1) * UNPACKED);
	CHECK(said_of(xz, 6) == 6 * UNPACKED);
	CHECK(said_of("\x1f\x8b", 2) == 2 * UNPACKED);
	CHECK(said_of("", 0) == 0 && !packed_is(path));
	CHECK(said_of("a;b 1\n", 6) == 6 && !packed_is(path));
	CHECK(packed_text("/nonexistent", 7) == 7);
}

int
main(void)
{
	char dir[] = "/tmp/kst-packed.XXXXXX", text[64], packed[64];

	CHECK(mkdtemp(dir));
	snprintf(text, sizeof text, "%s/text", dir);
	snprintf(packed, sizeof packed, "%s/packed", dir);
	text_path = text;
	path = packed;
	CHECK(run("seq 1000000 >$1"));
	check_said("gzip -c $1 >$2");
	check_said("zstd -qf $1 -o $2");
	check_said("xz -0c $1 >$2");
	check_said("xz -0c --block-size=100000 $1 >$2");
	check_guessed("cat $1 | zstd -qc >$2"); /* a pipe: not known yet */
	check_guessed("gzip -c $1 >$2; echo | gzip -c >>$2");
	check_guessed("xz -0c $1 >$2; echo | xz -c >>$2");
	CHECK(run("yes | head -n 100 >$1"));
	check_said("zstd -qf $1 -o $2"); /* one byte of size */
	CHECK(run("seq 5000 >$1"));
	check_said("zstd -qf $1 -o $2"); /* two */
	check_wrong();
	unlink(text);
	unlink(packed);
	rmdir(dir);
	return unit_end();
}
