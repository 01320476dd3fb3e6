/* SPDX-License-Identifier: ISC */
/*
 * Private to the room: finds the addresses of an image that has no ELF headers,
 * an Image of arm64, riscv64 or loongarch64.
 */
#ifndef KST_FLAT_H
#define KST_FLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ksyms;
struct view;

/* The machine of an image without ELF headers (EM_AARCH64 ...), or EM_NONE. */
unsigned flat_machine(const uint8_t *p, size_t len);

/*
 * Adds the image's segment and sections to v, and gives the symbols their
 * addresses. Returns false if the image has no symbols, or if its address
 * cannot be found.
 */
bool flat_read(struct view *v, struct ksyms *k);

#endif
