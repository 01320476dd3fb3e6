/* SPDX-License-Identifier: ISC */
/*
 * peak FILE COMMAND...: runs COMMAND and writes its peak memory in KiB (VmHWM)
 * to FILE. What would make it differ from run to run is off: random addresses
 * and huge pages. The status is that of COMMAND, or 127.
 */
#include <stdio.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	struct rusage used;
	FILE *to;
	int status;
	pid_t pid;

	if (argc < 3)
		return 127;
	/* a sandbox may forbid it; then the figures repeat less well */
	personality(ADDR_NO_RANDOMIZE);
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	pid = fork();
	if (pid == 0) {
		execv(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &used) < 0)
		return 127;
	to = fopen(argv[1], "w");
	if (to == NULL || fprintf(to, "%ld\n", used.ru_maxrss) < 0 ||
	    fclose(to) != 0)
		return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}
