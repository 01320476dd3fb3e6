/* SPDX-License-Identifier: ISC */
#include "opt/qemupath.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/port.h"
#include "base/xalloc.h"
#include "opt/script.h"

static const char QEMU[] = "qemu-system-";

enum { MAKING_S = 60 }; /* seconds in which a folder certainly has its owner */

/* The folders after $PATH's beginning may be others when it is called. */
static const char script[] =
    "#!/bin/sh\n"
    "set -f\n"
    "name=${0##*/} here=${0%/*} rest=$PATH: is=\n"
    "while [ -n \"$rest\" ]; do\n"
    "	dir=${rest%%:*} rest=${rest#*:}\n"
    "	file=${dir:-.}/$name\n"
    "	[ \"$dir\" != \"$here\" ] || continue\n"
    "	[ -f \"$file\" ] && [ -x \"$file\" ] || continue\n"
    "	own=$KST_QEMU_KERNEL n=$# last=\n"
    "	while [ -n \"$own\" ] && [ $n -gt 0 ]; do\n"
    "		word=$1\n"
    "		case $own$last in\n"
    "		-kernel-kernel | -kernel--kernel)\n"
    "			is=1 seen=$word\n"
    "			[ \"${word#/}\" != \"$word\" ] || seen=$PWD/$word\n"
    "			[ -z \"$KST_QEMU_SEEN\" ] ||\n"
    "				printf '%s\\n' \"$seen\" >>\"$KST_QEMU_SEEN\"\n"
    "			word=${KST_KERNEL:-$word} ;;\n"
    "		-kernel*) ;;\n"
    "		*)\n"
    "			[ ! \"$word\" -ef \"$own\" ] || word=$KST_KERNEL\n"
    "			[ \"$word\" != \"$KST_KERNEL\" ] || is=1 ;;\n"
    "		esac\n"
    "		last=$1\n"
    "		shift\n"
    "		set -- \"$@\" \"$word\"\n"
    "		n=$((n - 1))\n"
    "	done\n"
    "	if [ -n \"$own\" ] && [ -z \"$is\" ] && [ $# -gt 2 ]; then\n"
    "		if [ -n \"$KST_QEMU_SEEN\" ]; then\n"
    "			echo '!' >>\"$KST_QEMU_SEEN\"\n"
    "		else\n"
    "			echo \"kst: no word of $name's is the kernel $own\" >&2\n"
    "		fi\n"
    "		exit 2\n"
    "	fi\n"
    "	case \" $* \" in\n"
    "	*\" $KST_QEMU_ARGS \"*) exec \"$file\" \"$@\" ;;\n"
    "	esac\n"
    "	exec \"$file\" \"$@\" $KST_QEMU_ARGS\n"
    "done\n"
    "echo \"$name: not found\" >&2\n"
    "exit 127\n";

void
qemupath_args(const struct words *options)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < options->n; i++)
		buf_printf(&b, "%s%s", i ? " " : "", options->v[i]);
	setenv("KST_QEMU_ARGS", buf_str(&b), 1);
	buf_done(&b);
}

/* Whether the script is there, and may be executed: not where noexec holds. */
static bool
write_script(const char *path)
{
	const ssize_t n = sizeof script - 1;
	const int fd =
	    open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	bool ok = fd >= 0 && write(fd, script, (size_t)n) == n;

	if (fd >= 0)
		ok = close(fd) == 0 && ok;
	return ok && access(path, X_OK) == 0;
}

/* The names of the QEMUs of a folder of $PATH. */
static void
link_names(const char *to, const char *from)
{
	DIR *d = opendir(*from ? from : ".");
	struct words texts = {0};

	for (struct dirent *e; d && (e = readdir(d)) != NULL;)
		if (strncmp(e->d_name, QEMU, sizeof QEMU - 1) == 0 &&
		    symlink(
			"start", words_addf(&texts, "%s/%s", to, e->d_name)))
			continue; /* it is there from another folder */
	if (d)
		closedir(d);
	words_done(&texts);
}

bool
qemupath_refused(void)
{
	const char *path = getenv("KST_QEMU_SEEN");
	FILE *f = path ? fopen(path, "re") : NULL;
	char line[8];
	bool refused = false;

	while (f && !refused && fgets(line, sizeof line, f))
		refused = strcmp(line, "!\n") == 0;
	if (f)
		fclose(f);
	return refused;
}

void
qemupath_end(const char *dir)
{
	DIR *d = opendir(dir);

	for (struct dirent *e; d && (e = readdir(d)) != NULL;)
		if (strcmp(e->d_name, "start") == 0 ||
		    strncmp(e->d_name, QEMU, sizeof QEMU - 1) == 0)
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(dir);
}

/* Removes a folder as ours that has no owner, unless it is just being made. */
static void
remove_left(const char *path)
{
	const int fd =
	    open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    st.st_mtime < time(NULL) - MAKING_S &&
	    flock(fd, LOCK_EX | LOCK_NB) == 0)
		qemupath_end(path);
	close(fd);
}

/*
 * Removes folders beside ours, as port_run_name() names them, whose commands
 * were killed with all their processes.
 */
static void
sweep(const char *dir)
{
	const char *name = port_basename(dir), *dot = strchr(name, '.');
	const size_t n = dot ? (size_t)(dot + 1 - name) : 0;
	struct words texts = {0};
	const char *in = words_addf(&texts, "%.*s.", (int)(name - dir), dir);
	DIR *d = n > 0 ? opendir(in) : NULL;

	for (struct dirent *e; d && (e = readdir(d)) != NULL;)
		if (strncmp(e->d_name, name, n) == 0 &&
		    strchr(e->d_name + n, '-') != NULL &&
		    strcmp(e->d_name, name) != 0)
			remove_left(words_addf(&texts, "%.*s%s",
			    (int)(name - dir), dir, e->d_name));
	if (d)
		closedir(d);
	words_done(&texts);
}

/* The folder has an owner as long as this process is there. */
static void
own(const char *dir)
{
	const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		flock(fd, LOCK_SH | LOCK_NB);
}

static bool
begin(const char *dir, const struct words *options)
{
	const char *path = getenv("PATH");
	struct words texts = {0};
	bool ok = path && strchr(dir, ':') == NULL;

	errno = 0;
	for (size_t i = 0; i < options->n; i++)
		ok = ok && strpbrk(options->v[i], " \t\n") == NULL;
	sweep(dir);
	ok = ok && mkdir(dir, 0700) == 0;
	if (ok)
		own(dir);
	ok = ok && write_script(words_addf(&texts, "%s/start", dir));
	if (ok) {
		for (char *rest = words_addf(&texts, "%s", path), *one;
		     (one = strsep(&rest, ":")) != NULL;)
			link_names(dir, one);
		setenv("PATH", words_addf(&texts, "%s:%s", dir, path), 1);
		qemupath_args(options);
	} else {
		if (errno != 0)
			msg_errno("%s", msg_str(dir));
		qemupath_end(dir);
	}
	words_done(&texts);
	return ok;
}

void
qemupath_words(struct words *w, char *const *argv, const struct words *options,
    const char *dir, const char *other)
{
	words_addv(w, (const char *const *)argv);
	if (script_keeps(argv, other) || getenv("KST_QEMU_KERNEL")) {
		if (begin(dir, options))
			return;
		script_warn(argv, other);
	}
	if (!script_is_builder(argv[0]))
		words_addv(w, (const char *const *)options->v);
}
