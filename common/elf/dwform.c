/* SPDX-License-Identifier: ISC */
/* The only file that knows the forms by number (DWARF 5, section 7.5.6). */
#include "elf/dwform.h"

#include <stddef.h>

enum {
	FORM_ADDR = 0x01,
	FORM_BLOCK2 = 0x03,
	FORM_BLOCK4,
	FORM_DATA2,
	FORM_DATA4,
	FORM_DATA8,
	FORM_STRING,
	FORM_BLOCK,
	FORM_BLOCK1,
	FORM_DATA1,
	FORM_FLAG,
	FORM_SDATA,
	FORM_STRP,
	FORM_UDATA,
	FORM_REF_ADDR,
	FORM_REF1,
	FORM_REF2,
	FORM_REF4,
	FORM_REF8,
	FORM_REF_UDATA,
	FORM_INDIRECT,
	FORM_SEC_OFFSET,
	FORM_EXPRLOC,
	FORM_FLAG_PRESENT,
	FORM_STRX,
	FORM_ADDRX,
	FORM_REF_SUP4,
	FORM_STRP_SUP,
	FORM_DATA16,
	FORM_LINE_STRP,
	FORM_REF_SIG8,
	FORM_IMPLICIT_CONST,
	FORM_LOCLISTX,
	FORM_RNGLISTX,
	FORM_REF_SUP8,
	FORM_STRX1,
	FORM_STRX2,
	FORM_STRX3,
	FORM_STRX4,
	FORM_ADDRX1,
	FORM_ADDRX2,
	FORM_ADDRX3,
	FORM_ADDRX4,
	FORM_GNU_ADDR_INDEX = 0x1f01,
	FORM_GNU_STR_INDEX = 0x1f02,
	FORM_GNU_REF_ALT = 0x1f20,
	FORM_GNU_STRP_ALT = 0x1f21
};

/* How the bytes of a form are read. */
enum how {
	UNKNOWN,
	SIZE,	 /* a number of `size` bytes */
	ADDRESS, /* of the unit's address size */
	OFFSET,	 /* of the unit's offset size */
	ULEB,
	SLEB,
	STRING,
	BLOCK, /* behind a length of `size` bytes, or ULEB if 0 */
	INDIRECT,
	IMPLICIT,
	REF_ADDR /* an address in DWARF 2, an offset later */
};

static const struct form {
	unsigned char how, size, class;
} forms[] = {
    [FORM_ADDR] = {ADDRESS, 0, DW_ADDRESS},
    [FORM_BLOCK2] = {BLOCK, 2, DW_NONE},
    [FORM_BLOCK4] = {BLOCK, 4, DW_NONE},
    [FORM_DATA2] = {SIZE, 2, DW_NUMBER},
    [FORM_DATA4] = {SIZE, 4, DW_NUMBER},
    [FORM_DATA8] = {SIZE, 8, DW_NUMBER},
    [FORM_STRING] = {STRING, 0, DW_TEXT},
    [FORM_BLOCK] = {BLOCK, 0, DW_NONE},
    [FORM_BLOCK1] = {BLOCK, 1, DW_NONE},
    [FORM_DATA1] = {SIZE, 1, DW_NUMBER},
    [FORM_FLAG] = {SIZE, 1, DW_NUMBER},
    [FORM_SDATA] = {SLEB, 0, DW_NUMBER},
    [FORM_STRP] = {OFFSET, 0, DW_STR},
    [FORM_UDATA] = {ULEB, 0, DW_NUMBER},
    [FORM_REF_ADDR] = {REF_ADDR, 0, DW_INFO_REF},
    [FORM_REF1] = {SIZE, 1, DW_UNIT_REF},
    [FORM_REF2] = {SIZE, 2, DW_UNIT_REF},
    [FORM_REF4] = {SIZE, 4, DW_UNIT_REF},
    [FORM_REF8] = {SIZE, 8, DW_UNIT_REF},
    [FORM_REF_UDATA] = {ULEB, 0, DW_UNIT_REF},
    [FORM_INDIRECT] = {INDIRECT, 0, DW_NONE},
    [FORM_SEC_OFFSET] = {OFFSET, 0, DW_NUMBER},
    [FORM_EXPRLOC] = {BLOCK, 0, DW_NONE},
    [FORM_FLAG_PRESENT] = {IMPLICIT, 0, DW_NUMBER},
    [FORM_STRX] = {ULEB, 0, DW_STR_INDEX},
    [FORM_ADDRX] = {ULEB, 0, DW_ADDR_INDEX},
    [FORM_REF_SUP4] = {SIZE, 4, DW_NONE},
    [FORM_STRP_SUP] = {OFFSET, 0, DW_NONE},
    [FORM_DATA16] = {SIZE, 16, DW_NONE},
    [FORM_LINE_STRP] = {OFFSET, 0, DW_LINE_STR},
    [FORM_REF_SIG8] = {SIZE, 8, DW_NONE},
    [FORM_IMPLICIT_CONST] = {IMPLICIT, 0, DW_NUMBER},
    [FORM_LOCLISTX] = {ULEB, 0, DW_NONE},
    [FORM_RNGLISTX] = {ULEB, 0, DW_LIST_INDEX},
    [FORM_REF_SUP8] = {SIZE, 8, DW_NONE},
    [FORM_STRX1] = {SIZE, 1, DW_STR_INDEX},
    [FORM_STRX2] = {SIZE, 2, DW_STR_INDEX},
    [FORM_STRX3] = {SIZE, 3, DW_STR_INDEX},
    [FORM_STRX4] = {SIZE, 4, DW_STR_INDEX},
    [FORM_ADDRX1] = {SIZE, 1, DW_ADDR_INDEX},
    [FORM_ADDRX2] = {SIZE, 2, DW_ADDR_INDEX},
    [FORM_ADDRX3] = {SIZE, 3, DW_ADDR_INDEX},
    [FORM_ADDRX4] = {SIZE, 4, DW_ADDR_INDEX},
};

static struct form
form_of(unsigned form)
{
	if (form < sizeof forms / sizeof *forms)
		return forms[form];
	switch (form) {
	case FORM_GNU_ADDR_INDEX:
		return (struct form){ULEB, 0, DW_ADDR_INDEX};
	case FORM_GNU_STR_INDEX:
		return (struct form){ULEB, 0, DW_STR_INDEX};
	case FORM_GNU_REF_ALT:
	case FORM_GNU_STRP_ALT:
		return (struct form){OFFSET, 0, DW_NONE};
	default:
		return (struct form){UNKNOWN, 0, DW_NONE};
	}
}

static void
skip_block(struct dwread *r, unsigned size)
{
	dw_skip(r, size == 0 ? dw_uleb(r) : dw_uint(r, size));
}

bool
dwform_read(struct dwread *r, unsigned form, int64_t implicit,
    const struct dwsizes *sizes, struct dwvalue *val)
{
	struct form f = form_of(form);

	if (f.how == INDIRECT) { /* the form stands before the value */
		f = form_of((unsigned)dw_uleb(r));
		if (f.how == INDIRECT || f.how == IMPLICIT)
			f.how = UNKNOWN;
	}
	val->class = f.class;
	val->n = 0;
	switch (f.how) {
	case SIZE:
		if (f.size > 8)
			dw_skip(r, f.size);
		else
			val->n = dw_uint(r, f.size);
		break;
	case ADDRESS:
		val->n = dw_uint(r, sizes->address);
		break;
	case OFFSET:
		val->n = dw_uint(r, sizes->offset);
		break;
	case REF_ADDR:
		val->n = dw_uint(
		    r, sizes->version == 2 ? sizes->address : sizes->offset);
		break;
	case ULEB:
		val->n = dw_uleb(r);
		break;
	case SLEB:
		val->n = (uint64_t)dw_sleb(r);
		break;
	case STRING:
		val->str = dw_str(r);
		break;
	case BLOCK:
		skip_block(r, f.size);
		break;
	case IMPLICIT:
		val->n = form == FORM_FLAG_PRESENT ? 1 : (uint64_t)implicit;
		break;
	default:
		dw_fail(r);
		break;
	}
	return !r->bad;
}

bool
dwform_fixed(unsigned form, struct dwfixed *fixed)
{
	const struct form f = form_of(form);

	switch (f.how) {
	case SIZE:
		fixed->bytes += f.size;
		return true;
	case ADDRESS:
		fixed->addresses++;
		return true;
	case OFFSET:
		fixed->offsets++;
		return true;
	case IMPLICIT:
		return true;
	default:
		return false;
	}
}
