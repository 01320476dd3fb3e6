/* SPDX-License-Identifier: ISC */
#include "field.h"

#include "text/pprof.h"

/* Takes a number off a message; false: it has none. */
static bool
take_number(struct piece *m, uint64_t *v)
{
	*v = 0;
	for (unsigned i = 0; i < 10 && m->len > 0; i++) {
		unsigned char c = (unsigned char)*m->p++;

		m->len--;
		*v |= (uint64_t)(c & 0x7f) << 7 * i;
		if (c < 0x80)
			return true;
	}
	return false;
}

int
field_next(struct piece *m, struct field *f)
{
	uint64_t key, len = 0;

	if (m->len == 0)
		return 0;
	if (!take_number(m, &key) || key >> 3 == 0)
		return -1;
	*f = (struct field){.number = key >> 3};
	f->is_bytes = (key & 7) == WIRE_BYTES;
	switch (key & 7) {
	case WIRE_NUMBER:
		return take_number(m, &f->value) ? 1 : -1;
	case WIRE_BYTES:
		if (!take_number(m, &len))
			return -1;
		break;
	case WIRE_64:
	case WIRE_32:
		len = (key & 7) == WIRE_64 ? 8 : 4;
		break;
	default:
		return -1;
	}
	if (len > m->len)
		return -1;
	f->bytes = (struct piece){m->p, (size_t)len};
	m->p += len;
	m->len -= (size_t)len;
	return 1;
}

int
field_bytes(struct piece *m, uint64_t number, struct piece *bytes)
{
	struct field f;
	int got;

	while ((got = field_next(m, &f)) > 0)
		if (f.number == number) {
			*bytes = f.bytes;
			return f.is_bytes ? 1 : -1;
		}
	return got;
}

int
field_repeated(
    struct piece *m, uint64_t number, struct piece *some, uint64_t *v)
{
	struct field f;
	int got;

	while (some->len == 0) {
		if ((got = field_next(m, &f)) <= 0)
			return got;
		if (f.number == number && !f.is_bytes) {
			*v = f.value;
			return 1;
		}
		if (f.number == number)
			*some = f.bytes;
	}
	return take_number(some, v) ? 1 : -1;
}

bool
field_numbers(struct piece m, uint64_t *v, size_t n)
{
	struct field f;
	int got;

	memset(v, 0, n * sizeof *v);
	while ((got = field_next(&m, &f)) > 0)
		if (f.number <= n)
			v[f.number - 1] = f.value;
	return got == 0;
}
