/* SPDX-License-Identifier: ISC */
/*
 * What every command does with its options: help, version, numbers. Each of
 * these ends the command with EXIT_USAGE and a message when a value is wrong.
 */
#ifndef KST_OPT_H
#define KST_OPT_H

#include <stddef.h>
#include <stdint.h>

/* `-h`: the help text on stdout; exits, with EXIT_OK if it could be written. */
_Noreturn void opt_help(const char *text);

/* `-V`: `kst-NAME VERSION` on stdout; exits. */
_Noreturn void opt_version(void);

/* After getopt_long() has said what is wrong: points to --help; exits. */
_Noreturn void opt_usage(void);

/* A decimal number min..max; `name` is the option's, for the message. */
uint64_t opt_u64(const char *name, const char *s, uint64_t min, uint64_t max);

/* A decimal or, with 0x, hexadecimal number of 64 bits. */
uint64_t opt_addr(const char *name, const char *s);

/* Decimal seconds such as 0.1, not negative, in nanoseconds; at most 1e9 s. */
uint64_t opt_seconds(const char *name, const char *s);

/*
 * Parses all of s as decimal digits. Returns 0, or -1 when it is no number or
 * does not fit 64 bits.
 */
int num_u64(const char *s, size_t len, uint64_t *val);

/* The same for hexadecimal digits without 0x. */
int num_hex(const char *s, size_t len, uint64_t *val);

#endif
