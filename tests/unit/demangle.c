/* SPDX-License-Identifier: ISC */
#include "names/demangle.h"

#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "unit.h"

/* Whether the name becomes `want`, or, with NULL, is left alone. */
static void
test_name(const char *name, const char *want)
{
	struct buf b = BUF_INIT;
	int ret;

	buf_adds(&b, "keep:");
	ret = demangle_name(name, strlen(name), &b);
	CHECK(ret == (want != NULL));
	CHECK(memcmp(b.p, "keep:", 5) == 0);
	CHECK_TEXT(b.p + 5, b.len - 5, want == NULL ? "" : want);
	buf_done(&b);
}

static void
test_names(void)
{
	test_name("_ZN4ostd2mm4HEAP17h85a5340e6564f69dE.llvm.153053",
	    "ostd::mm::HEAP");
	test_name("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
	test_name("_ZN60_$LT$r..W$u20$as$u20$core..ops..arith..Add$GT$3add"
		  "17h0123456789abcdefE",
	    NULL);
	test_name("_ZN39_$LT$r..W$u20$as$u20$core..ops..Add$GT$3add"
		  "17h0123456789abcdefE",
	    "<r::W as core::ops::Add>::add");
	test_name("_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>");
	test_name("_RNvC6_123foo3bar.llvm.77", "123foo::bar");
	test_name("_RNvC1au8gdel_5qa", "a::gödel");
	test_name("_Z3foov", "foo()");
	test_name("_Z3foov.llvm.12", "foo()");
	test_name("_ZN12_GLOBAL__N_16Hidden2goEi",
	    "(anonymous namespace)::Hidden::go(int)");
	test_name(
	    "_ZL3barii.constprop.0", "bar(int, int) [clone .constprop.0]");
	test_name("_GLOBAL__I__Z3foov", "global constructors keyed to foo()");
	test_name("__ZN3foo3barEv", "foo::bar()");
	test_name("_Z3foov@plt", NULL);
	test_name("main", NULL);
	test_name("", NULL);
	test_name("_Z", NULL);
	test_name("_ReadSomething", NULL);
	test_name("_Zwrong", NULL);
	test_name("_Z3a\nbv", NULL);
	test_name("foo.llvm.12", NULL);
}

static void
test_plain(const char *name, const char *want)
{
	struct buf b = BUF_INIT;

	CHECK(demangle_plain(name, strlen(name), &b) == (want != NULL));
	CHECK_TEXT(b.p, b.len, want == NULL ? "" : want);
	buf_done(&b);
}

/* As kst-clean's, by tests/golden/kst-clean. */
static void
test_plains(void)
{
	test_plain("_ZN3dev5probeEi", "dev::probe");
	test_plain("_ZN2fs5mountIiEEvT_", "fs::mount");
	test_plain("_ZN2fs5mountIiEEvT_ at fs/mount.cc:12",
	    "fs::mount at fs/mount.cc:12");
	test_plain("_ZL3barii.constprop.0", "bar");
	test_plain("_Znwm_[k]", "operator new_[k]");
	test_plain("_Znwm@plt", "operator new@plt");
	test_plain("_ZNK1AIiEptEv", "A::operator->");
	test_plain("_ZN12_GLOBAL__N_16Hidden2goEi",
	    "(anonymous namespace)::Hidden::go");
	test_plain(
	    "_ZNSt7__cxx119to_stringB5cxx11Ei", "std::__cxx11::to_string");
	test_plain("_ZN39_$LT$r..W$u20$as$u20$core..ops..Add$GT$3add"
		   "17h0123456789abcdefE",
	    "r::W::add");
	test_plain("_RINvNtC3std3mem8align_ofdE", "std::mem::align_of");
	test_plain("_RNCNvC1a3foo0B3_", "a::foo");
	test_plain("__ZN3foo3barEv", "foo::bar");
	test_plain("main", NULL);
	test_plain("_ReadSomething", NULL);
	test_plain("", NULL);
}

static void
test_escapes(void)
{
	struct buf b = BUF_INIT;
	static const char name[] = "_$LT$a..V$LT$T$C$U$GT$$u20$as$u20$b$GT$::f";

	CHECK(demangle_escapes(name, strlen(name), &b) == 1);
	CHECK_TEXT(b.p, b.len, "<a::V<T,U> as b>::f");
	b.len = 0;
	CHECK(demangle_escapes("f::_$u7b$$u7b$g$u7d$$u7d$", 25, &b) == 1);
	CHECK_TEXT(b.p, b.len, "f::{{g}}");
	b.len = 0;
	CHECK(demangle_escapes("a$b..c::$_0$LT", 14, &b) == 0 && b.len == 0);
	buf_done(&b);
}

/* A base-36 reference to an earlier part of a C++ name. */
static void
add_ref(struct buf *b, unsigned n)
{
	static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	buf_addc(b, 'S');
	if (n > 36)
		buf_addc(b, digit[(n - 1) / 36]);
	if (n > 0)
		buf_addc(b, digit[(n - 1) % 36]);
	buf_addc(b, '_');
}

/* A<A<..>, A<..>> of this depth, twice as long with each step. */
static void
add_doubling(struct buf *b, unsigned depth)
{
	buf_adds(b, "1AIiiE");
	for (unsigned i = 0; i < depth; i++) {
		add_ref(b, 1);
		buf_addc(b, 'I');
		add_ref(b, i + 2);
		add_ref(b, i + 2);
		buf_addc(b, 'E');
	}
}

static void
test_hostile(void)
{
	struct buf b = BUF_INIT;
	clock_t start = clock();

	/* Text that would grow to 2^60 bytes. */
	buf_adds(&b, "_Z1fI");
	add_doubling(&b, 60);
	buf_adds(&b, "Ev");
	test_name(buf_str(&b), NULL);
	/* A search of 2^60 steps that prints nothing. */
	b.len = 0;
	buf_adds(&b, "_Z1fI");
	add_doubling(&b, 60);
	buf_adds(&b, "EDp");
	add_ref(&b, 62);
	buf_addc(&b, 'v');
	for (int i = 0; i < 8; i++)
		test_name(buf_str(&b), NULL);
	/* A loop of 62^9 turns, printed and not printed. */
	test_name("_RINvC1a1fFGzzzzzzzzz_EuE", NULL);
	test_name("_RC1aINvC1a1fFGzzzzzzzzz_EuE", NULL);
	test_name("_RC1au8gdel_5qaINvC1a1fFGzzzzzzzzz_EuE", NULL);
	/* not one: a hash that has a G, and a u before digits */
	test_name("_RNvCsGnQ3lu39_4core3foo", "core::foo");
	/* Nesting, and length. */
	for (int kind = 0; kind < 3; kind++) {
		b.len = 0;
		buf_adds(&b, kind == 2 ? "_RIC1a" : "_Z1f");
		for (int i = 0; i < (kind == 1 ? 5000 : 400); i++)
			buf_addc(&b, kind == 2 ? 'R' : 'P');
		buf_adds(&b, kind == 2 ? "uE" : "i");
		demangle_name(b.p, b.len, &b);
	}
	b.len = 0;
	buf_adds(&b, "_Z20000");
	for (int i = 0; i < 20000; i++)
		buf_addc(&b, 'x');
	buf_addc(&b, 'v');
	CHECK(demangle_name(b.p, b.len, &b) == 0);
	buf_done(&b);
	CHECK((clock() - start) / CLOCKS_PER_SEC < 5);
}

int
main(void)
{
	test_names();
	test_escapes();
	test_plains();
	test_hostile();
	test_names();
	test_escapes();
	return unit_end();
}
