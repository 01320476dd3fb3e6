/* SPDX-License-Identifier: ISC */
#include "lead/panic.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "flame.h"
#include "facts/again.h"
#include "facts/rows.h"

/* A panic's stack, and the exception that it began with. */
struct fault {
	const char *panic;
	struct piece outer;  /* `CPU#0;root;...;caller of panic` */
	const char *handler; /* called for faults only; NULL: none is known */
	bool exception;
	struct piece at; /* the function that was interrupted; may be empty */
};

/*
 * What kernels call for a fault that they do not survive, before they print
 * what they know: of LK, Linux, Zephyr, NuttX and Cortex-M.
 */
static const char *const handlers[] = {"arm64_sync_exception",
    "x86_unhandled_exception", "page_fault_oops", "die_kernel_fault", "die",
    "__die", "exc_double_fault", "z_fatal_error", "z_arm_fault", "up_hardfault",
    "arm_hardfault", "HardFault_Handler"};

/* Where exceptions of all kinds come in, also interrupts and system calls. */
static const char *const entries[] = {"<signal handler called>",
    "arm64_exception_table", "kerneltrap", "kernelvec", "trap", "alltraps",
    "exc_page_fault", "asm_exc_page_fault", "do_user_addr_fault",
    "do_kern_addr_fault", "bad_area_nosemaphore", "el1h_64_sync",
    "el1h_64_sync_handler", "el1_abort", "do_mem_abort", "do_translation_fault",
    "do_page_fault", "__do_kernel_fault", "handle_exception",
    "riscv_exception_handler", "x86_exception_handler"};

static bool
is_one_of(struct piece name, const char *const *names, size_t n)
{
	while (n > 0)
		if (bytes_is(name.p, name.len, names[--n]))
			return true;
	return false;
}

/* Which of a kernel's functions for a panic, or for an assertion that does not
 * hold, is a frame of these stacks. */
static bool
find_panic(const char *folded, struct fault *f)
{
	static const char *const names[] = {"panic", "_panic", "vpanic",
	    "kpanic", "kernel_panic", "do_panic", "core_panic", "k_panic",
	    "rust_begin_unwind", "rust_panic", "assertion_failed",
	    "assert_failed", "__assert_fail", "__assert_func", "_assert",
	    "__assert", "__stack_chk_fail"};

	for (size_t i = 0; folded && i < sizeof names / sizeof *names; i++)
		for (const char *p = folded; (p = strstr(p, names[i])); p++)
			if (p > folded && p[-1] == ';' &&
			    strchr("; ", p[strlen(names[i])])) {
				const char *line = p;

				while (line > folded && line[-1] != '\n')
					line--;
				f->panic = names[i];
				f->outer = (struct piece){
				    line, (size_t)(p - 1 - line)};
				return true;
			}
	return false;
}

/* Which function called for faults only this is; NULL: none. */
static const char *
find_handler(struct piece name)
{
	for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
		if (bytes_is(name.p, name.len, handlers[i]))
			return handlers[i];
	return NULL;
}

/*
 * From the root: an exception led to the panic if only its entries lie between,
 * or a handler of faults. Others may be a system call, which came in there,
 * too.
 */
static void
find_exception(struct fault *f)
{
	struct piece rest = f->outer, before = {0}, name = {0};
	bool was_signal = false;

	for (size_t i = 0; rest.len > 0 && f->handler == NULL; i++) {
		const char *end = memchr(rest.p, ';', rest.len);
		bool in;

		before = i > 1 ? name : (struct piece){0}; /* not the CPU */
		name.p = rest.p;
		name.len = end ? (size_t)(end - rest.p) : rest.len;
		rest.p += name.len + 1;
		rest.len -= name.len + (end != NULL);
		f->handler = find_handler(name);
		in = was_signal || f->handler != NULL ||
		     is_one_of(name, entries, sizeof entries / sizeof *entries);
		/* between entry and handler others may stand */
		if (in && !f->exception && !(f->handler && f->at.len > 0))
			f->at = before;
		f->exception = in;
		was_signal = bytes_is(name.p, name.len, entries[0]);
	}
}

static void
add_where(const struct plan *p, const struct fault *f, struct buf *b)
{
	struct buf more = BUF_INIT;

	buf_printf(b, "the guest is in %s", f->panic);
	if (f->exception)
		buf_adds(b, " after an exception");
	if (f->exception && f->at.len > 0)
		buf_printf(b, " in %s", msg_text(f->at.p, f->at.len));
	if (!again_counts(p))
		return;
	buf_adds(b, "; the calls before it: kst ");
	if (f->exception) {
		buf_adds(b, "count");
		buf_printf(&more, "--trace --last %s --until %s",
		    f->handler ? "1e4" : "1e5",
		    f->handler ? f->handler : f->panic);
		again_boot(p, buf_str(&more), b);
		buf_adds(b, " | kst span --list --order begin");
	} else {
		buf_printf(b, "flame --last 2e6 --until %s", f->panic);
		again_boot(p, "-o last.svg", b);
	}
	buf_done(&more);
}

bool
panic_find(const struct plan *p, struct buf *b)
{
	struct words w = {0};
	struct fault f = {0};
	size_t cpus;
	bool kvm = false;
	char *text;

	words_add(&w, "kst-fold");
	words_add(&w, "--by=cpu");
	text = steps_output(p, &w, true);
	if (find_panic(text, &f)) {
		find_exception(&f);
		cpus = rows_cpus(p);
		for (char *const *a = p->argv; a && *a; a++)
			kvm |= strstr(*a, "kvm") != NULL;
		add_where(p, &f, b);
		if (kvm && again_counts(p))
			buf_adds(b, " (without KVM)");
		if (cpus > 1 && again_counts(p))
			buf_printf(b,
			    " (with %zu CPUs; if it does not get "
			    "on, -smp 1, or --no-icount before --)",
			    cpus);
		buf_addc(b, '\n');
	}
	free(text);
	return f.panic != NULL;
}
