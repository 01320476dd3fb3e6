/* SPDX-License-Identifier: ISC */
/*
 * Finds where C structures have their members, from BTF, the types that Linux
 * keeps in its image (Documentation/bpf/btf.rst). Little-endian.
 */
#ifndef KST_BTF_H
#define KST_BTF_H

#include <stddef.h>
#include <stdint.h>

struct btf {
	const unsigned char *types, *strings;
	size_t types_len, strings_len;
	uint32_t *at; /* of each type, by its number, in types */
	size_t n, cap;
};

/* Reads a section, which must not change. -1: it is not BTF. */
int btf_open(struct btf *b, const unsigned char *p, size_t len);
void btf_close(struct btf *b);

/*
 * The offset in bytes of a member, such as `file.f_path`, even in structures
 * without a name; or of a member in a member, `file.f_path+path.dentry`. -1: it
 * does not exist.
 */
int64_t btf_member(const struct btf *b, const char *name);

/* The bytes of a structure; -1: it does not exist. */
int64_t btf_size(const struct btf *b, const char *name);

#endif
