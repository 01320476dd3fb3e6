/* SPDX-License-Identifier: ISC */
/*
 * Reads QEMU's options for gdb stubs, monitors and character devices, as in
 * qemu(1): `-gdb dev`, `-qmp dev`, `-mon`, `-chardev socket`.
 */
#include "qemu.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/port.h"
#include "base/xalloc.h"
#include "kimage/kimage.h"

bool
qemu_is(const char *path)
{
	const char *name = port_basename(path);

	return strncmp(name, "qemu-system-", 12) == 0 ||
	       strcmp(name, "qemu-kvm") == 0 || strcmp(name, "kvm") == 0;
}

void
qemu_options(struct words *w, const char *socket, bool wait)
{
	if (wait)
		words_add(w, "-S");
	/* QEMU 7.2 takes `-gdb unix:` only if there is no other stub. */
	words_add(w, "-chardev");
	words_addf(w, "socket,path=%s,server=on,wait=off,id=kst", socket);
	words_add(w, "-gdb");
	words_add(w, "chardev:kst");
}

bool
qemu_by_env(const char *program, const char *how)
{
	static const char *const builders[] = {"make", "gmake", "bmake",
	    "ninja", "cargo", "just", "meson", "cmake", "bazel", "task"};
	const char *name = port_basename(program);

	if (how != NULL)
		return strcmp(how, "env") == 0;
	for (size_t i = 0; i < sizeof builders / sizeof *builders; i++)
		if (strcmp(name, builders[i]) == 0)
			return true;
	return false;
}

/* The word `how` with the options in the place of {}. */
static void
add_filled(struct words *w, const char *how, const struct words *options)
{
	const char *at = strstr(how, "{}");
	struct buf b = BUF_INIT;

	buf_add(&b, how, (size_t)(at - how));
	for (size_t i = 0; i < options->n; i++)
		buf_printf(&b, "%s%s", i ? " " : "", options->v[i]);
	buf_adds(&b, at + 2);
	words_add(w, buf_str(&b));
	buf_done(&b);
}

void
qemu_command(struct words *w, char *const *argv, const struct words *options,
    const char *how)
{
	for (char *const *a = argv; *a; a++)
		words_add(w, *a);
	if (how != NULL && strstr(how, "{}") != NULL)
		add_filled(w, how, options);
	else if (!qemu_by_env(argv[0], how))
		for (size_t i = 0; i < options->n; i++)
			words_add(w, options->v[i]);
}

/* The next argument of an option -NAME or --NAME from *a on, or NULL. */
static const char *
argument(char *const **a, const char *name)
{
	for (; **a; ++*a) {
		const char *word = **a;

		word += word[0] == '-' && word[1] == '-';
		if (word[0] == '-' && strcmp(word + 1, name) == 0 && (*a)[1])
			return *++*a;
	}
	return NULL;
}

static char *
absolute(const char *path, size_t len, const char *dir)
{
	if (len == 0)
		return NULL;
	if (path[0] == '/' || dir == NULL)
		return xmemdup0(path, len);
	return words_text("%s/%.*s", dir, (int)len, path);
}

char *
qemu_kernel(char *const *argv, const char *dir)
{
	const char *name = argument(&argv, "kernel");
	bool is = false;
	char *path;
	int fd;

	if (name == NULL)
		return NULL;
	path = absolute(name, strlen(name), dir);
	fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd >= 0) {
		is = kimage_knows(fd);
		close(fd);
	}
	if (is)
		return path;
	free(path);
	return NULL;
}

/* The value of KEY=VALUE in a list with commas; *len is 0 without one. */
static const char *
value(const char *list, const char *key, size_t *len)
{
	size_t n = strlen(key);

	for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',')
		if (strncmp(p, key, n) == 0 && p[n] == '=') {
			*len = strcspn(p + n + 1, ",");
			return p + n + 1;
		}
	*len = 0;
	return "";
}

/* Where the character device listens that has this id. */
static char *
of_chardev(char *const *argv, const char *id, size_t id_len, const char *dir)
{
	const char *spec, *v, *port;
	size_t n, port_len;

	while ((spec = argument(&argv, "chardev")) != NULL) {
		v = value(spec, "id", &n);
		if (!bytes_same(v, n, id, id_len) ||
		    !bytes_starts(spec, strlen(spec), "socket,"))
			continue;
		v = value(spec, "path", &n);
		if (n > 0)
			return absolute(v, n, dir);
		v = value(spec, "host", &n);
		port = value(spec, "port", &port_len);
		if (port_len == 0)
			return NULL;
		return words_text("%.*s:%.*s", (int)n, v, (int)port_len, port);
	}
	return NULL;
}

/* Where a device listens: tcp:HOST:PORT, unix:PATH or chardev:ID. */
static char *
of_device(char *const *argv, const char *dev, const char *dir)
{
	size_t n = strcspn(dev, ",");

	if (bytes_starts(dev, n, "tcp:"))
		return xmemdup0(dev + 4, n - 4);
	if (bytes_starts(dev, n, "unix:"))
		return absolute(dev + 5, n - 5, dir);
	if (bytes_starts(dev, n, "chardev:"))
		return of_chardev(argv, dev + 8, n - 8, dir);
	return NULL;
}

/* Where the last device of an option listens; NULL: nowhere. */
static char *
of_option(char *const *argv, const char *name, const char *dir)
{
	char *const *a = argv, *where = NULL;
	const char *dev;

	while ((dev = argument(&a, name)) != NULL) {
		free(where);
		where = of_device(argv, dev, dir);
	}
	return where;
}

static char *
stub_of(char *const *argv, const char *dir)
{
	char *where = of_option(argv, "gdb", dir);

	for (; where == NULL && *argv; argv++)
		if (strcmp(*argv, "-s") == 0 || strcmp(*argv, "--s") == 0)
			where = xstrdup(":1234");
	return where;
}

static char *
monitor_of(char *const *argv, const char *dir)
{
	char *const *a = argv, *where = of_option(argv, "qmp", dir), *remote;
	const char *dev, *id;
	size_t n;

	while (where == NULL && (dev = argument(&a, "mon")) != NULL) {
		id = value(dev, "mode", &n);
		if (!bytes_is(id, n, "control"))
			continue;
		id = value(dev, "chardev", &n);
		where = of_chardev(argv, id, n, dir);
	}
	remote = where ? words_text("qmp:%s", where) : NULL;
	free(where);
	return remote;
}

/* Whether a word, or a value KEY=VALUE in it, is the name of that file. */
static bool
names_file(const char *word, const char *dir, const struct stat *file)
{
	bool is = false;

	for (const char *p = word; p != NULL && !is; p = strpbrk(p, ",=")) {
		struct stat st;
		char *path;

		p += p != word;
		path = absolute(p, strcspn(p, ","), dir);
		is = path != NULL && stat(path, &st) == 0 &&
		     st.st_dev == file->st_dev && st.st_ino == file->st_ino;
		free(path);
	}
	return is;
}

void
qemu_read(
    struct qemu_guest *g, char *const *argv, const char *dir, const char *elf)
{
	struct stat file;

	for (size_t i = 1;
	     elf != NULL && stat(elf, &file) == 0 && argv[i] && !g->named; i++)
		g->named = names_file(argv[i], dir, &file);
	g->name = xstrdup(port_basename(argv[0]));
	g->remote = stub_of(argv, dir);
	if (g->remote == NULL)
		g->remote = monitor_of(argv, dir);
	g->kernel = qemu_kernel(argv, dir);
}

static void
read_words(const char *path, struct words *w)
{
	FILE *f = fopen(path, "re");
	char *word = NULL;
	size_t cap = 0;

	while (f != NULL && getdelim(&word, &cap, 0, f) > 0)
		words_add(w, word);
	if (f != NULL)
		fclose(f);
	free(word);
}

/* Whether the process is a QEMU of this user, which is then read into *g. */
static bool
look_at(const char *pid, struct qemu_guest *g, const char *elf)
{
	char path[NAME_MAX + 16], dir[PATH_MAX];
	struct words w = {0};
	struct stat st;
	ssize_t n;
	bool is;

	snprintf(path, sizeof path, "/proc/%s/cmdline", pid);
	if (stat(path, &st) != 0 || st.st_uid != geteuid())
		return false;
	read_words(path, &w);
	is = w.n > 0 && qemu_is(w.v[0]);
	if (is) {
		snprintf(path, sizeof path, "/proc/%s/cwd", pid);
		n = readlink(path, dir, sizeof dir - 1);
		dir[n > 0 ? n : 0] = 0;
		*g = (struct qemu_guest){.pid = atol(pid)};
		qemu_read(g, w.v, n > 0 ? dir : NULL, elf);
	}
	words_done(&w);
	return is;
}

size_t
qemu_find(struct qemu_guest **guests, const char *elf)
{
	DIR *d = opendir("/proc");
	size_t n = 0, cap = 0;
	struct dirent *e;

	*guests = NULL;
	while (d != NULL && (e = readdir(d)) != NULL) {
		struct qemu_guest g;

		if (!isdigit((unsigned char)e->d_name[0]) ||
		    !look_at(e->d_name, &g, elf))
			continue;
		*xpush(*guests, n, cap) = g;
	}
	if (d != NULL)
		closedir(d);
	return n;
}

void
qemu_free(struct qemu_guest *guests, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(guests[i].name);
		free(guests[i].remote);
		free(guests[i].kernel);
	}
	free(guests);
}
