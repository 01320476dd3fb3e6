/* SPDX-License-Identifier: ISC */
/* The operations of DWARF expressions (DWARF 5, table 7.9) that are used. */
#ifndef DWOP_H
#define DWOP_H

enum dwop {
	DW_OP_addr = 0x03,
	DW_OP_deref = 0x06,
	DW_OP_const1u = 0x08, /* … 0x11: all kinds of constants */
	DW_OP_consts = 0x11,
	DW_OP_dup,
	DW_OP_drop,
	DW_OP_over,
	DW_OP_pick,
	DW_OP_swap,
	DW_OP_abs = 0x19,
	DW_OP_and,
	DW_OP_div,
	DW_OP_minus,
	DW_OP_mod,
	DW_OP_mul,
	DW_OP_neg,
	DW_OP_not,
	DW_OP_or,
	DW_OP_plus,
	DW_OP_plus_uconst,
	DW_OP_shl,
	DW_OP_shr,
	DW_OP_shra,
	DW_OP_xor,
	DW_OP_bra,
	DW_OP_eq,
	DW_OP_ge,
	DW_OP_gt,
	DW_OP_le,
	DW_OP_lt,
	DW_OP_ne,
	DW_OP_skip,
	DW_OP_lit0 = 0x30,
	DW_OP_lit31 = 0x4f,
	DW_OP_reg0 = 0x50,
	DW_OP_reg31 = 0x6f,
	DW_OP_breg0 = 0x70,
	DW_OP_breg31 = 0x8f,
	DW_OP_bregx = 0x92,
	DW_OP_deref_size = 0x94,
	DW_OP_nop = 0x96,
	DW_OP_call_frame_cfa = 0x9c,
	DW_OP_stack_value = 0x9f
};

#endif
