/* SPDX-License-Identifier: ISC */
/*
 * What only Linux has, and what other systems get in its place: POSIX.1-2024
 * without this file's #else. With -DKST_PORTABLE that is compiled on Linux,
 * too.
 */
#ifndef KST_PORT_H
#define KST_PORT_H

#include <fcntl.h>
#include <stddef.h>
#include <sys/types.h>

#if !defined __linux__ && !defined KST_PORTABLE
#define KST_PORTABLE
#endif

/* To go through a folder without a right to list it. */
#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

/*
 * The folder of this command's own file, until the next call; NULL: not known.
 */
const char *port_own_folder(void);

/* As execvp(), but a command beside this one comes before those on PATH. */
void port_exec(char *const *argv);

/* What comes after the last slash: basename() of the GNU system. */
const char *port_basename(const char *path);

/* A file without a name, closed on exec. Returns -1 with errno. */
int port_temp_file(void);

/* What an open file can be opened by again. */
enum { PORT_FD_PATH = 32 };
void port_fd_path(int fd, char path[PORT_FD_PATH]);

/*
 * Memory that is freed stays with the process, up to 64 MB: one that reads many
 * files needs it again, and pages that are new cost more than short files.
 */
void port_keep_memory(void);

void port_close_fds(unsigned first, unsigned last);

/* In a child: it gets the signal when its parent ends. */
void port_end_with_parent(int sig);

/*
 * Processes whose parents end become children of this one. Elsewhere than on
 * Linux: the process groups that are started from here on are remembered, also
 * for the parent of the one that starts them.
 */
void port_adopt(void);
void port_started(pid_t group);

/* Calls it for each group that is remembered and not empty, as -group. */
void port_groups(void (*group)(void *arg, pid_t pid), void *arg);

/* Calls it for each child of a process. */
void port_children(
    pid_t parent, void (*child)(void *arg, pid_t pid), void *arg);

/* How many processors this process may use. */
unsigned port_processors(void);

/* As qsort_r() of POSIX.1-2024; no comparison sorts. v of none may be NULL. */
void port_sort(void *v, size_t n, size_t size,
    int (*compare)(const void *, const void *, void *), void *arg);

/*
 * A limit, and a smaller one of builds for fuzzing, where the compiler says so:
 * what takes long there finds nothing more.
 */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define PORT_LIMIT(usual, fuzzed) (fuzzed)
#else
#define PORT_LIMIT(usual, fuzzed) (usual)
#endif

#endif
