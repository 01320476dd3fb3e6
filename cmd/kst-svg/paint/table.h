/* SPDX-License-Identifier: ISC */
/*
 * The data that the script draws from, as elements of the namespace urn:kst
 * inside <metadata>. Long texts are split over several elements, so that no
 * XML parser's limit on one text is met; the script joins them.
 *
 *   <k:options .../>  what the user asked for, and how the data is to be
 *                     read, as attributes
 *   <k:names>         each name and a line feed; the first is number 0
 *   <k:classes>       the colour class of each name: numbers
 *   <k:nodes>         for each node, parents first: numbers
 *                       up    how many levels above the last node's child
 *                       name
 *                       self and rest, for each of the counts: of stacks
 *                             that end here, and of frames left out here
 *                       step  in a chart: its start after the last node's
 *                       place if the input was not in order: which of its
 *                             siblings it was first seen as
 *
 * A number is written in digits of 5 bits, the highest first; a digit is the
 * character 63 + digit, and 32 more if others follow. None of these is
 * special in XML. Weights are in units of 10^-decimals.
 */
#ifndef TABLE_H
#define TABLE_H

#include "opts/opts.h"

struct layout;
struct read_result;

/*
 * To the output (out.h). name_class: of each name, if not differential.
 * piece: the length of pieces of time, or 0; <k:options> then has it in ns, and
 * the samples that failed as `ns:count ...`.
 */
void table_put(const struct svg_opts *o, const struct read_result *in,
    const struct layout *l, const unsigned *name_class, uint64_t piece);

#endif
