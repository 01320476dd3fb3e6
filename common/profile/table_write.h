/* SPDX-License-Identifier: ISC */
/* A table's lines and stacks in bytewise order. */
#ifndef KST_TABLE_WRITE_H
#define KST_TABLE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table;

/*
 * Writes the table to the output, sorted bytewise by line. Afterwards the table
 * can only be freed.
 */
void table_write(struct table *t, bool leaf_first);

/*
 * Gives each stack to `take` as text, frames between `;`, in bytewise order.
 * The text is valid until `take` returns. Afterwards the table can only be
 * freed.
 */
typedef void table_taker(
    void *arg, uint32_t stack, const char *text, size_t len);
void table_texts(
    struct table *t, bool leaf_first, table_taker *take, void *arg);

#endif
