/* SPDX-License-Identifier: ISC */
/* Pairs begins and ends. */
#ifndef PAIRING_H
#define PAIRING_H

struct osv_record;
struct osv_threads;

/* Pairs the record and writes it. */
void pairing_put(struct osv_threads *t, const struct osv_record *r);

/* Begins a CPU's load, which ends the load before it on the CPU's track. */
void pairing_put_load(struct osv_threads *t, const struct osv_record *r);

/* To be called at the log's end: counts open spans and forgets them. */
void pairing_end(struct osv_threads *t);

#endif
