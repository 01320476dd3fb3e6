/* SPDX-License-Identifier: ISC */
/*
 * The hash of all tables: XXH3-64 (xxHash) with seed 0. A build without that
 * library uses FNV-1a.
 */
#ifndef KST_HASH_H
#define KST_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *p, size_t len);

/*
 * FNV-1a with its low bits mixed, for what is drawn: pictures are equal on
 * every system.
 */
uint64_t hash_fixed(const void *p, size_t len);

/* The same of a text that goes on: its first part, the next one, the end. */
#define HASH_FIXED_FIRST UINT64_C(0xcbf29ce484222325)
uint64_t hash_fixed_more(uint64_t h, const void *p, size_t len);
uint64_t hash_fixed_end(uint64_t h);

#endif
