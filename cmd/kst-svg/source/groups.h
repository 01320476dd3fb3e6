/* SPDX-License-Identifier: ISC */
/*
 * Source files in a few groups: folders, or the files of a folder where most of
 * the weight is in it.
 */
#ifndef GROUPS_H
#define GROUPS_H

#include <stddef.h>
#include <stdint.h>

struct colours;
struct groups;
struct intern;

/* The files are paths, which outlive the groups. */
struct groups *groups_new(const struct intern *files);
void groups_free(struct groups *g);

/* Adds to the weight of a file. */
void groups_add(struct groups *g, uint32_t file, double weight);

/* When all is added: chooses the groups and gives them classes of c. */
void groups_end(struct groups *g, struct colours *c);

/* Gives a name that is from a file the class of the file's group, if any. */
void groups_name(const struct groups *g, uint32_t file, struct colours *c,
    const char *name, size_t len);

#endif
