/* SPDX-License-Identifier: ISC */
/* Begins and ends, paired. */
#ifndef PAIRING_H
#define PAIRING_H

struct osv_record;
struct osv_threads;

/* Pairs the record and writes it. */
void pairing_put(struct osv_threads *t, const struct osv_record *r);

/* A CPU's load, which ends the one before on the CPU's track. */
void pairing_put_load(struct osv_threads *t, const struct osv_record *r);

/* At the log's end: counts open spans and forgets them. */
void pairing_end(struct osv_threads *t);

#endif
