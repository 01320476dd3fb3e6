/* SPDX-License-Identifier: ISC */
#ifndef RUN_H
#define RUN_H

#include "opt/opt.h"
#include "plugin/request.h"

struct options {
	struct opt_list elf;
	struct opt_list only;
	const char *base,
	    *with; /* another kernel's file, its command; or NULL */
	const char *what, *in, *from, *until, *serial, *by, *coverage, *output;
	struct also {
		const char *arg, *path; /* WHAT=FILE, and its FILE; or NULL */
		int file;		/* which the plugin fills */
	} also[COUNT_WHATS];
	bool any_also;
	uint64_t duration;	/* ns of the host; 0: no limit */
	bool over;		/* set: they are */
	struct request request; /* what of it is options is set */
	int modules;   /* a file of functions of Linux' modules; 0: none */
	uint64_t told; /* programs known by their code, as programs_fit() */
	bool moved;    /* the kernel runs elsewhere than it is linked */
	bool found; /* the kernel's file is not of -e, but of QEMU's -kernel */
	char kernel[PATH_MAX]; /* which is this one then */
	bool later;   /* QEMU's -kernel will tell where functions are */
	bool mangled; /* names are those of the linker */
	bool icount, force, lines, addresses, selftest;
	char **command;
};

/* Runs QEMU, and writes folded text. Returns an exit status. */
int run(struct options *o);

#endif
