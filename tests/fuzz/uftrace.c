/* SPDX-License-Identifier: ISC */
/*
 * A uftrace.data directory. The input is its files one after the other, each
 * but the last with its length before it (16 bits, low byte first): info,
 * task.txt, sid-0.map, prog.sym, prog.dbg, events.txt, 100.dat, 200.dat. The
 * files are in memory (/dev/shm), and written when they change. Reaches
 * data_read_tasks, lines_read, spec_parse, spec_size.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/out.h"
#include "folder/elfs.h"
#include "folder/folder.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "fuzz.h"
#include "text/range.h"
#include "merge.h"

static const char *const names[] = {"info", "task.txt", "sid-0.map", "prog.sym",
    "prog.dbg", "events.txt", "100.dat", "200.dat"};
enum { N_NAMES = sizeof names / sizeof *names };

static char dir[64];

/* What each file holds: most are the same as in the run before. */
static struct buf written[N_NAMES];

static void
write_file(int i, const uint8_t *p, size_t size)
{
	struct buf *old = &written[i];
	char path[128];
	int fd;

	if (old->p && bytes_same(old->p, old->len, (const char *)p, size))
		return;
	old->len = 0;
	buf_add(old, (const char *)p, size);
	buf_str(old);
	snprintf(path, sizeof path, "%s/%s", dir, names[i]);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, p, size) != (ssize_t)size)
		abort();
	close(fd);
}

static void
remove_files(void)
{
	char path[128];

	for (int i = 0; i < N_NAMES; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

static void
make_files(const uint8_t *data, size_t size)
{
	if (*dir == 0) {
		strcpy(dir, "/dev/shm/kst-fuzz.XXXXXX");
		if (mkdtemp(dir) == NULL)
			abort();
		atexit(remove_files);
	}
	for (int i = 0; i < N_NAMES; i++) {
		size_t n = size;

		if (i < N_NAMES - 1 && size >= 2) {
			n = data[0] | (size_t)data[1] << 8;
			data += 2;
			size -= 2;
			n = n < size ? n : size;
		}
		write_file(i, data, n);
		data += n;
		size -= n;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elfs *elfs = elfs_new();
	struct data d;
	struct range range = {.since = {true, true, 1000}, .period = 5000};

	fuzz_quiet();
	make_files(data, size);
	out_room(1 << 22);
	if (data_open(&d, dir, elfs) == 0)
		merge_records(&d, size & 1 ? &range : NULL);
	data_close(&d);
	elfs_free(elfs);
	fuzz_drop_output();
	return 0;
}
