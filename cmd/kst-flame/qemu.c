/* SPDX-License-Identifier: ISC */
/*
 * Reads QEMU's options for gdb stubs, monitors and character devices, as in
 * qemu(1): `-gdb dev`, `-qmp dev`, `-mon`, `-chardev socket`.
 */
#include "qemu.h"

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
#include "base/msg.h"
#include "base/port.h"
#include "base/xalloc.h"
#include "kimage/kimage.h"
#include "opt/opt.h"

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

void
qemu_command(struct words *w, char *const *argv, const struct words *options,
    const char *how)
{
	const char *at = strstr(how, "{}");

	words_addv(w, (const char *const *)argv);
	if (at)
		words_addf(w, "%.*s%s%s", (int)(at - how), how,
		    getenv("KST_QEMU_ARGS"), at + 2);
	else if (strcmp(how, "end") == 0)
		words_addv(w, (const char *const *)options->v);
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

static const char *
absolute(const struct qemu_line *l, const char *path, size_t len)
{
	bool is_below = path[0] != '/' && l->dir != NULL;

	if (len == 0)
		return NULL;
	return words_addf(l->texts, "%s%s%.*s", is_below ? l->dir : "",
	    is_below ? "/" : "", (int)len, path);
}

/* The path of a kernel; NULL if it is none. */
static const char *
kernel_at(const struct qemu_line *l, const char *name, size_t len)
{
	const char *path = name ? absolute(l, name, len) : NULL;
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	bool is = fd >= 0 && kimage_knows(fd);

	if (fd >= 0)
		close(fd);
	return is ? path : NULL;
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

const char *
qemu_kernel(const struct qemu_line *l)
{
	char *const *a = l->argv;
	const char *name = argument(&a, "kernel"), *v;
	const char *path = kernel_at(l, name, name ? strlen(name) : 0);
	size_t n;

	for (a = l->argv; !path && (name = argument(&a, "device")) != NULL;) {
		v = value(name, "file", &n);
		if (strncmp(name, "loader,", 7) == 0)
			path = kernel_at(l, v, n);
	}
	return path;
}

/* Where the character device listens that has this id. */
static const char *
of_chardev(const struct qemu_line *l, const char *id, size_t id_len)
{
	char *const *a = l->argv;
	const char *spec, *v, *port;
	size_t n, port_len;

	while ((spec = argument(&a, "chardev")) != NULL) {
		v = value(spec, "id", &n);
		if (!bytes_same(v, n, id, id_len) ||
		    strncmp(spec, "socket,", 7) != 0)
			continue;
		v = value(spec, "path", &n);
		if (n > 0)
			return absolute(l, v, n);
		v = value(spec, "host", &n);
		port = value(spec, "port", &port_len);
		return port_len == 0 ? NULL
				     : words_addf(l->texts, "%.*s:%.*s", (int)n,
					   v, (int)port_len, port);
	}
	return NULL;
}

/* Where the last device of an option listens; NULL: nowhere. */
static const char *
of_option(const struct qemu_line *l, const char *name)
{
	const char *dev, *at = NULL;
	char *const *a = l->argv;

	while ((dev = argument(&a, name)) != NULL) {
		size_t n = strcspn(dev, ",");

		at = bytes_starts(dev, n, "tcp:")
			 ? words_addf(l->texts, "%.*s", (int)n - 4, dev + 4)
		     : bytes_starts(dev, n, "unix:")
			 ? absolute(l, dev + 5, n - 5)
		     : bytes_starts(dev, n, "chardev:")
			 ? of_chardev(l, dev + 8, n - 8)
			 : NULL;
	}
	return at;
}

/* The stub, or else the monitor. */
static const char *
remote_of(const struct qemu_line *l)
{
	const char *at = of_option(l, "gdb"), *dev, *id;
	char *const *a;
	size_t n;

	for (a = l->argv; at == NULL && *a; a++)
		if (strcmp(*a, "-s") == 0 || strcmp(*a, "--s") == 0)
			at = ":1234";
	if (at != NULL)
		return at;
	at = of_option(l, "qmp");
	for (a = l->argv; at == NULL && (dev = argument(&a, "mon"));) {
		id = value(dev, "mode", &n);
		if (!bytes_is(id, n, "control"))
			continue;
		id = value(dev, "chardev", &n);
		at = of_chardev(l, id, n);
	}
	return at ? words_addf(l->texts, "qmp:%s", at) : NULL;
}

/* Whether a word, or a value KEY=VALUE in it, is the name of that file. */
static bool
names_file(const struct qemu_line *l, const char *word, const struct stat *file)
{
	for (const char *p = word, *end; p != NULL; p = end ? end + 1 : NULL) {
		const char *path = absolute(l, p, strcspn(p, ","));
		struct stat st;

		end = strpbrk(p, ",=");
		if (path && stat(path, &st) == 0 && st.st_dev == file->st_dev &&
		    st.st_ino == file->st_ino)
			return true;
	}
	return false;
}

bool
qemu_read(struct qemu_guest *g, const struct qemu_line *l, const char *elf)
{
	const char *name = port_basename(l->argv[0]);
	struct stat file;

	if (strncmp(name, "qemu-system-", 12) != 0 &&
	    strcmp(name, "qemu-kvm") != 0 && strcmp(name, "kvm") != 0)
		return false;
	*g = (struct qemu_guest){.name = words_addf(l->texts, "%s", name),
	    .remote = remote_of(l),
	    .kernel = qemu_kernel(l)};
	if (elf && stat(elf, &file) == 0)
		for (char *const *a = l->argv + 1; *a && !g->named; a++)
			g->named = names_file(l, *a, &file);
	return true;
}

/* Whether the process is a QEMU of this user, which is then read into *g. */
static bool
look_at(long pid, struct qemu_guest *g, const char *elf, struct words *texts)
{
	char path[64], dir[PATH_MAX], *word = NULL;
	struct words w = {0};
	size_t cap = 0;
	struct stat st;
	ssize_t n;
	FILE *f;
	bool is;

	snprintf(path, sizeof path, "/proc/%ld/cmdline", pid);
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	while (fstat(fileno(f), &st) == 0 && st.st_uid == geteuid() &&
	       getdelim(&word, &cap, 0, f) > 0)
		words_add(&w, word);
	fclose(f);
	free(word);
	snprintf(path, sizeof path, "/proc/%ld/cwd", pid);
	n = readlink(path, dir, sizeof dir - 1);
	dir[n > 0 ? n : 0] = 0;
	is = w.n > 0 &&
	     qemu_read(
		 g, &(struct qemu_line){w.v, n > 0 ? dir : NULL, texts}, elf);
	words_done(&w);
	return is;
}

size_t
qemu_find(struct qemu_guest **guests, const char *elf, struct words *texts)
{
	DIR *d = opendir("/proc");
	size_t n = 0, cap = 0;
	struct qemu_guest g;
	struct dirent *e;

	*guests = NULL;
	while (d != NULL && (e = readdir(d)) != NULL) {
		long pid = atol(e->d_name);

		if (pid == 0 || !look_at(pid, &g, elf, texts))
			continue;
		g.pid = pid;
		*xpush(*guests, n, cap) = g;
	}
	if (d != NULL)
		closedir(d);
	return n;
}

/* The parent of a process; 0: not known. */
static long
parent_of(long pid)
{
	char path[64], line[512], *end;
	long parent = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/stat", pid);
	f = fopen(path, "re");
	if (f == NULL)
		return 0;
	/* PID (NAME) STATE PARENT; a name may have parentheses */
	if (fgets(line, sizeof line, f) && (end = strrchr(line, ')')) != NULL &&
	    end[1] == ' ' && end[2] != 0)
		parent = atol(end + 3);
	fclose(f);
	return parent;
}

bool
qemu_deaf(const char *socket, long *pid)
{
	const long before = *pid;
	struct words texts = {0};
	struct qemu_guest *guests;
	const size_t n = qemu_find(&guests, NULL, &texts);

	*pid = 0;
	for (size_t i = 0; i < n && *pid == 0; i++) {
		long up = guests[i].pid;

		while (up > 1 && up != getpid())
			up = parent_of(up);
		if (up == getpid() &&
		    (guests[i].remote == NULL ||
			strcmp(guests[i].remote, socket) != 0))
			*pid = guests[i].pid;
	}
	free(guests);
	words_done(&texts);
	if (*pid == 0 || *pid != before)
		return false;
	msg("QEMU (process %ld) was started without kst's options: let the "
	    "command find it in $PATH, end its line in the script with \"$@\", "
	    "or see --qemu-args",
	    *pid);
	return true;
}
