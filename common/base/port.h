/* SPDX-License-Identifier: ISC */
/*
 * What only Linux has, and its replacement on other systems, which needs only
 * POSIX.1-2024. The replacement is the #else of each #if here; -DKST_PORTABLE
 * compiles it on Linux, too.
 */
#ifndef KST_PORT_H
#define KST_PORT_H

#include <fcntl.h>
#include <stddef.h>
#include <sys/types.h>

#if !defined __linux__ && !defined KST_PORTABLE
#define KST_PORTABLE
#endif

/*
 * Flags of open() for a folder that is only gone through, and need not be
 * readable.
 */
#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

/*
 * The folder of this command's own file, or NULL if it is unknown. Valid until
 * the next call.
 */
const char *port_own_folder(void);

/*
 * As execvp(), but a command in this command's folder comes before those on
 * PATH.
 */
void port_exec(char *const *argv);

/* What comes after the last slash: basename() of the GNU system. */
const char *port_basename(const char *path);

/*
 * A new file without a name, closed on exec. Returns its descriptor, or -1 with
 * errno.
 */
int port_temp_file(void);

/*
 * A name for a folder that no other run makes: /tmp/COMMAND.PID-MILLISECONDS,
 * in $TMPDIR if that is absolute and has at most 60 characters, none of which a
 * shell or a QEMU's option would read in another way. The caller frees it.
 */
char *port_run_name(const char *command);

/* A path by which an open file can be opened once more. */
enum { PORT_FD_PATH = 32 };
void port_fd_path(int fd, char path[PORT_FD_PATH]);

/*
 * Lets the process keep up to 64 MB of memory after free(). A command that
 * reads many files needs it again, and new pages cost more time than a short
 * file.
 */
void port_keep_memory(void);

void port_close_fds(unsigned first, unsigned last);

/* Called in a child: it gets the signal when its parent ends. */
void port_end_with_parent(int sig);

/* What ps shows as this process's name, of up to 15 bytes, where that can be.
 */
void port_set_name(const char *name);

/*
 * From now on, processes whose parents end become children of this process.
 * Other systems than Linux do not have that: there, the process groups that are
 * started from now on are remembered, also by the parent of the process that
 * starts them.
 */
void port_adopt(void);
void port_started(pid_t group);

/*
 * Calls f with -group for each process group that is remembered and not empty.
 */
void port_groups(void (*group)(void *arg, pid_t pid), void *arg);

/* Calls f for each child of a process. */
void port_children(
    pid_t parent, void (*child)(void *arg, pid_t pid), void *arg);

/* How many processors this process may use. */
unsigned port_processors(void);

/* As qsort_r() of POSIX.1-2024, except that v may be NULL if n is 0. */
void port_sort(void *v, size_t n, size_t size,
    int (*compare)(const void *, const void *, void *), void *arg);

/*
 * A limit. Builds for fuzzing use the smaller one, because input that takes
 * long finds nothing more there.
 */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define PORT_LIMIT(usual, fuzzed) (fuzzed)
#else
#define PORT_LIMIT(usual, fuzzed) (usual)
#endif

#endif
