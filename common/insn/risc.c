/* SPDX-License-Identifier: ISC */
/* Encodings: Arm's, RISC-V's and Loongson's manuals of their instructions. */
#include "insn/risc.h"

#include "base/num.h"

enum {
	A64_SP = 31,
	A64_FP = 29,
	RV_RA = 1,
	RV_SP = 2,
	RV_TP = 4,
	RV_FP = 8,
	LA_SP = 3
};

/* The lowest bits as a signed number. */
static int32_t
sign(uint32_t v, int bits)
{
	uint32_t top = 1u << (bits - 1);

	v &= 2 * top - 1;
	return (int32_t)((v ^ top) - top);
}

static void
set(struct risc *r, enum risc_kind kind, uint32_t d, int32_t off)
{
	r->kind = kind;
	r->d = (uint8_t)d;
	r->off = off;
}

static void
special(struct risc *r, enum risc_kind kind, uint32_t d, enum risc_special s)
{
	set(r, kind, d, 0);
	r->special = s;
}

/* mrs, msr of spsr_el1, elr_el1, sp_el0; tpidrro_el0, far_el1 */
static void
aarch64_system(struct risc *r, uint32_t w)
{
	const uint32_t reg = w >> 5 & 0xffff;
	const bool get = w >> 21 & 1;
	const enum risc_special s = reg == 0xc200   ? RISC_STATUS
				    : reg == 0xc201 ? RISC_PC
				    : reg == 0xc208 ? RISC_SP
						    : RISC_NOTHING;

	if (s != RISC_NOTHING)
		special(r, get ? RISC_GET : RISC_PUT, w & 31, s);
	else if (reg == 0xde83 || reg == 0xc300)
		set(r, get ? RISC_UNPARK : RISC_PARK, w & 31,
		    reg == 0xde83 ? UNWIND_SPARE_THREAD : UNWIND_SPARE_FAULT);
}

static void
aarch64(struct risc *r, uint32_t w)
{
	const uint32_t d = w & 31, n = w >> 5 & 31, e = w >> 10 & 31;
	const int32_t pair = sign(w >> 15, 7) * 8;
	const int32_t word = 8 * (int32_t)(w >> 10 & 0xfff);
	const int32_t imm = (int32_t)(w >> 10 & 0xfff)
			    << (w >> 22 & 1 ? 12 : 0);

	set(r, RISC_SET, d, 0);
	if ((w & 0xfec003e0) == 0xa88003e0) { /* stp d, e, [sp, #pair]! */
		set(r, RISC_STORE, d, 0);
		r->e = (uint8_t)e;
		r->down = -pair;
	} else if ((w & 0xff8003e0) == 0xa90003e0) { /* stp, ldp [sp, #pair] */
		set(r, w >> 22 & 1 ? RISC_LOAD : RISC_STORE, d, pair);
		r->e = (uint8_t)e;
	} else if ((w & 0xff8003e0) == 0xf90003e0) { /* str, ldr [sp, #word] */
		set(r, w >> 22 & 1 ? RISC_LOAD : RISC_STORE, d, word);
	} else if ((w & 0xff8003ff) == 0xd10003ff) { /* sub sp, sp, #imm */
		set(r, RISC_MOVE, RISC_NONE, 0);
		r->down = imm;
	} else if ((w & 0xff8003ff) == 0x910003ff) { /* add sp, sp, #imm */
		set(r, RISC_MOVE, RISC_NONE, 0);
		r->down = -imm;
	} else if ((w & 0xbfe0001f) == 0x8b20001f) { /* add, sub sp, n, m */
		set(r, RISC_SWITCH, RISC_NONE, 0);
		r->vector = w == 0x8b2063ff;
	} else if ((w & 0xff80001f) == 0x9100001f) { /* add sp, n, #imm */
		set(r, n != A64_FP ? RISC_SWITCH : RISC_SET, RISC_NONE, 0);
	} else if ((w & 0xff8003e0) == 0x910003e0) { /* add d, sp, #imm */
		set(r, RISC_ADDRESS, d, imm);
	} else if ((w & 0xffd00000) == 0xd5100000) { /* mrs, msr */
		aarch64_system(r, w);
	} else if (w == 0xd69f03e0) { /* eret */
		set(r, RISC_RETURN, RISC_NONE, 0);
	}
}

/* csrrw d, csr, a and its kind */
static void
riscv_csr(struct risc *r, uint32_t w)
{
	const uint32_t d = w >> 7 & 31, csr = w >> 20;
	const bool write = (w >> 12 & 7) == 1 && d == 0; /* csrw csr, a */
	/* sepc, mepc; sstatus, mstatus */
	const enum risc_special s = (csr & 0xdff) == 0x141   ? RISC_PC
				    : (csr & 0xdff) == 0x100 ? RISC_STATUS
							     : RISC_NOTHING;

	r->machine = s != RISC_NOTHING && (csr & 0x200) != 0;
	if (write && s != RISC_NOTHING)
		special(r, RISC_PUT, w >> 15 & 31, s);
	else if (s != RISC_NOTHING)
		special(r, RISC_GET, d, s);
	else
		set(r, d == RV_SP ? RISC_SWITCH : RISC_SET, d, 0);
}

static void
riscv_long(struct risc *r, uint32_t w, bool is_64)
{
	const unsigned size = is_64 ? 3 : 2; /* sd and ld; sw and lw */
	const uint32_t d = w >> 7 & 31, a = w >> 15 & 31, b = w >> 20 & 31;
	const int32_t imm = sign(w >> 20, 12);
	const int32_t to = sign(w >> 25 << 5 | d, 12);

	set(r, RISC_SET, RISC_NONE, 0);
	switch (w & 0x7f) {
	case 0x23: /* sd b, to(a) */
		if ((w >> 12 & 7) == size && (a == RV_SP || a == RV_TP))
			set(r, a == RV_SP ? RISC_STORE : RISC_SAVE, b, to);
		break;
	case 0x03: /* ld d, imm(a) */
		if ((w >> 12 & 7) == size && (a == RV_SP || a == RV_TP))
			set(r, a == RV_SP ? RISC_LOAD : RISC_FETCH, d, imm);
		break;
	case 0x63: /* branches */
	case 0x07: /* flw, fld */
	case 0x43: /* fmadd and its kind */
	case 0x47:
	case 0x4b:
	case 0x4f:
		break;
	case 0x53: /* of floating point: comparisons, fcvt.w, fmv.x */
		set(r, RISC_SET, (w >> 28 & 9) == 8 ? d : RISC_NONE, 0);
		break;
	case 0x73:
		r->machine = w == 0x30200073;	   /* mret */
		if (r->machine || w == 0x10200073) /* sret */
			r->kind = RISC_RETURN;
		else if ((w >> 12 & 3) != 0)
			riscv_csr(r, w);
		break;
	case 0x13:
		if ((w >> 12 & 7) == 0 && a == RV_SP) { /* addi d, sp, imm */
			set(r, d == RV_SP ? RISC_MOVE : RISC_ADDRESS, d, imm);
			r->down = d == RV_SP ? -imm : 0;
			break;
		}
		/* fallthrough */
	default:
		set(r, RISC_SET, d, 0);
		if ((w & 0xfff0707f) == 0x13) /* mv d, a */
			r->from = (uint8_t)a;
		if (d == RV_SP &&
		    ((w & 0x7f) == 0x33 || (w & 0x707f) == 0x13) &&
		    a != RV_SP && a != RV_FP)
			r->kind = RISC_SWITCH;
	}
}

static void
riscv_move(struct risc *r, int32_t by)
{
	set(r, RISC_MOVE, RV_SP, 0);
	r->down = -by;
}

static void
riscv_short(struct risc *r, uint32_t w, bool is_64)
{
	const uint32_t d = w >> 7 & 31, b = w >> 2 & 31;

	set(r, RISC_SET, RISC_NONE, 0);
	if ((w & 0xe003) == (is_64 ? 0xe002 : 0xc002)) {
		/* c.sdsp, c.swsp b, imm */
		set(r, RISC_STORE, b,
		    (int32_t)(is_64 ? (w >> 10 & 7) << 3 | (w >> 7 & 7) << 6
				    : (w >> 9 & 15) << 2 | (w >> 7 & 3) << 6));
	} else if ((w & 0xe003) == (is_64 ? 0x6002 : 0x4002)) {
		/* c.ldsp, c.lwsp d, imm */
		set(r, RISC_LOAD, d,
		    (int32_t)((w >> 12 & 1) << 5 |
			      (is_64 ? (w >> 5 & 3) << 3 | (w >> 2 & 7) << 6
				     : (w >> 4 & 7) << 2 | (w >> 2 & 3) << 6)));
	} else if (!is_64 && (w & 0xe003) == 0x2001) { /* c.jal */
		set(r, RISC_SET, RV_RA, 0);
	} else if ((w & 0xe003) == 0 && w != 0) { /* c.addi4spn d, imm */
		set(r, RISC_ADDRESS, 8 + (w >> 2 & 7),
		    (int32_t)((w >> 11 & 3) << 4 | (w >> 7 & 15) << 6 |
			      (w >> 6 & 1) << 2 | (w >> 5 & 1) << 3));
	} else if ((w & 0xef83) == 0x6101) { /* c.addi16sp */
		riscv_move(r, sign((w >> 12 & 1) << 9 | (w >> 3 & 3) << 7 |
				       (w >> 5 & 1) << 6 | (w >> 2 & 1) << 5 |
				       (w >> 6 & 1) << 4,
				  10));
	} else if ((w & 0xef83) == 0x0101) { /* c.addi sp */
		riscv_move(r, sign((w >> 12 & 1) << 5 | b, 6));
	} else if ((w & 0xf003) == 0x8002 && b != 0) { /* c.mv d, b */
		set(r,
		    d == RV_SP && b != RV_SP && b != RV_FP ? RISC_SWITCH
							   : RISC_SET,
		    d, 0);
		r->from = (uint8_t)b;
	} else if ((w & 0xf07f) == 0x9002) { /* c.jalr */
		set(r, RISC_SET, RV_RA, 0);
	} else if (((w & 3) == 1 && w >> 13 <= 3) || (w & 0xa003) == 2) {
		/* c.addi, c.li, c.lui, c.slli, c.lwsp; not c.fldsp */
		set(r, RISC_SET, d, 0);
	}
}

static void
loongarch64(struct risc *r, uint32_t w)
{
	const uint32_t d = w & 31, n = w >> 5 & 31;
	const int32_t imm = sign(w >> 10, 12);

	set(r, RISC_SET, RISC_NONE, 0);
	if ((w & 0xffc00000) == 0x02c00000 && n == LA_SP) /* addi.d */
		set(r, d == LA_SP ? RISC_MOVE : RISC_ADDRESS, d, imm);
	else if ((w & 0xffc00000) == 0x29c00000 && n == LA_SP) /* st.d */
		set(r, RISC_STORE, d, imm);
	else if ((w & 0xff000000) == 0x27000000 && n == LA_SP) /* stptr.d */
		set(r, RISC_STORE, d, 4 * sign(w >> 10, 14));
}

static uint32_t
word(const uint8_t *p)
{
	return (uint32_t)uint_load(p, 4, false);
}

size_t
risc_read(enum unwind_arch arch, const uint8_t *p, size_t left, struct risc *r)
{
	const bool is_64 = unwind_abis[arch].word == 8;
	const bool is_short =
	    unwind_abis[arch].riscv && left > 0 && (p[0] & 3) != 3;
	const size_t n = is_short ? 2 : 4;

	if (left < n)
		return 0;
	*r = (struct risc){
	    .e = RISC_NONE, .from = RISC_NONE, .special = RISC_NOTHING};
	if (is_short)
		riscv_short(r, (uint32_t)uint_load(p, 2, false), is_64);
	else if (arch == UNWIND_AARCH64)
		aarch64(r, word(p));
	else if (unwind_abis[arch].riscv)
		riscv_long(r, word(p), is_64);
	else
		loongarch64(r, word(p));
	return n;
}

/* Whether it copies the return address, or calls what stores it. */
static bool
keeps_ra(enum unwind_arch arch, const uint8_t *p, size_t len)
{
	const uint32_t w = (uint32_t)uint_load(p, len, false);

	if (arch == UNWIND_AARCH64)
		return (w & 0xffffffe0) == 0xaa1e03e0;
	/* mv x, ra; jal t0 */
	return len == 2 ? (w & 0xf07f) == 0x8006
			: (w & 0xfffff07f) == 0x8013 || (w & 0xfff) == 0x2ef;
}

bool
risc_frame(enum unwind_arch arch, const uint8_t *code, size_t n,
    struct risc_frame *f, const bool *until)
{
	const struct unwind_abi *abi = &unwind_abis[arch];
	int64_t frame = -1, at = -1, moved = 0;
	/* On aarch64 one instruction stores both. */
	bool stored = arch == UNWIND_AARCH64, switched = false;
	uint64_t has = 1ULL << RV_RA; /* registers with the return address */
	struct risc r;

	*f = (struct risc_frame){0};
	for (size_t i = 0, len; i < n && !(until && *until); i += len) {
		len = risc_read(arch, code + i, n - i, &r);
		if (len == 0)
			break;
		moved += r.down;
		switched |= r.kind == RISC_SWITCH;
		if (r.kind == RISC_ADDRESS && r.d == abi->fp && frame < 0) {
			frame = r.off;
			f->record = frame >= 0;
			f->top = switched ? 0 : moved - r.off;
		}
		f->saves_ra |= keeps_ra(arch, code + i, len);
		if (r.kind == RISC_STORE) {
			f->saves_ra |= r.d == abi->ra || r.e == abi->ra;
			stored |= r.d == abi->ra;
			at = r.d == abi->fp ? r.off : at;
		} else if (r.kind != RISC_SAVE && r.kind != RISC_PUT &&
			   r.d != RISC_NONE) {
			const bool copy =
			    r.from != RISC_NONE && (has >> r.from & 1) != 0;

			has = (has & ~(1ULL << r.d)) | (uint64_t)copy << r.d;
		}
	}
	f->up = stored || frame < 0 ? 0
		: at < 0	    ? -(int64_t)abi->word
				    : at - frame;
	f->ra = has >> RV_RA & 1 ? RV_RA
		: has		 ? (unsigned)__builtin_ctzll(has)
				 : RISC_NONE;
	return f->record;
}

bool
risc_is_call(enum unwind_arch arch, const uint8_t *p)
{
	const uint32_t w = word(p);

	if (arch == UNWIND_AARCH64) /* bl, blr and its signed kinds */
		return w >> 26 == 0x25 || (w & 0xfefff000) == 0xd63f0000;
	if (arch == UNWIND_LOONGARCH64) /* bl; jirl ra */
		return w >> 26 == 0x15 || (w & 0xfc00001f) == 0x4c000001;
	/* c.jal; jal ra, jalr ra, c.jalr */
	return (arch == UNWIND_RISCV32 && (w >> 16 & 0xe003) == 0x2001) ||
	       (w & 0xfff) == 0x0ef || (w & 0x7fff) == 0x00e7 ||
	       (w >> 16 & 0xf07f) == 0x9002;
}

uint64_t
riscv_called(const uint8_t *p, uint64_t ra)
{
	const uint32_t far = word(p), w = word(p + 4);
	const int64_t to =
	    sign((w >> 31) << 20 | (w >> 12 & 0xff) << 12 |
		     (w >> 20 & 1) << 11 | (w >> 21 & 0x3ff) << 1,
		21);

	if ((w & 0xfff) == 0x0ef) /* jal ra, to */
		return ra - 4 + (uint64_t)to;
	/* auipc ra, far; jalr ra, imm(ra) */
	if ((far & 0xfff) == 0x097 && (w & 0xfffff) == 0x080e7)
		return ra - 8 + (uint64_t)(int64_t)(int32_t)(far & ~0xfffu) +
		       (uint64_t)(int64_t)sign(w >> 20, 12);
	return 0;
}
