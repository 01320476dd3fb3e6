/* SPDX-License-Identifier: ISC */
/*
 * Packets, `$data#ck`, acknowledged by `+`, where ck is the sum of the bytes of
 * data modulo 256. In data, `}` escapes the next byte (xor 0x20) and `*`
 * repeats the byte before it.
 */
#ifndef RSPPKT_H
#define RSPPKT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum rsp_kind {
	RSP_MORE,   /* nothing whole yet: read more */
	RSP_ACK,    /* + */
	RSP_NAK,    /* - */
	RSP_PACKET, /* data and len are set */
	RSP_BAD	    /* wrong sum, no such repetition, or far too long */
};

/* Bytes received and not yet taken; zero it to begin. */
struct rspin {
	struct buf raw;
	size_t pos;
	struct buf plain; /* the last packet that had escapes */
	const char *data; /* the last packet, valid until more is added */
	size_t len;
};

void rspin_done(struct rspin *in);

/* Takes the next item. Meaningless bytes between packets are skipped. */
enum rsp_kind rspin_next(struct rspin *in);

/*
 * Appends a packet with its sum. The data must not contain a byte that needs an
 * escape: $#}*
 */
void rsp_put(struct buf *b, const char *data);

/* Reads n bytes from 2n hexadecimal digits. -1 if one is not a digit. */
int rsp_unhex(uint8_t *to, const char *hex, size_t n);

#endif
