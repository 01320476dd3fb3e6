/* SPDX-License-Identifier: ISC */
/*
 * Unwinds the stacks of tests/stacks/NAME.snap and compares with NAME.out;
 * tests/README.md describes both. With operands it prints what it unwinds from
 * those files instead.
 */
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "stacks_lines.h"
#include "unit.h"

static bool
read_byte(uint64_t addr, uint8_t *to)
{
	if (addr - f.freed < f.freed_size)
		return false;
	for (size_t i = 0; i < f.n_code; i++)
		if (addr - f.code[i].addr < f.code[i].bytes.len) {
			*to = (uint8_t)f.code[i].bytes.p[addr - f.code[i].addr];
			return true;
		}
	*to = 0;
	for (size_t i = 0; i < f.n_range; i++)
		if (addr - f.range[i].addr < f.range[i].size)
			return true;
	return false;
}

static size_t
read_code(void *arg, uint64_t addr, uint8_t *to, size_t n)
{
	size_t done = 0;

	(void)arg;
	while (done < n && read_byte(addr + done, to + done))
		done++;
	return done;
}

static int
read_word(void *arg, uint64_t addr, uint64_t *word)
{
	(void)arg;
	for (size_t i = 0; i < f.n_word; i++)
		if (f.word[i].addr == addr) {
			*word = f.word[i].value;
			return 0;
		}
	return -1;
}

/* Modules ---------------------------------------------------------------- */

static void
end_module(struct buf *out)
{
	int fd = memfd_create("module", MFD_CLOEXEC);
	struct unwind_module *m;
	const char *why;
	char path[40];

	if (!f.in_module) {
		close(fd);
		return;
	}
	f.module.abi = f.abi;
	f.module.code = f.code + f.first_code;
	f.module.n_code = f.n_code - f.first_code;
	CHECK(module_write(&f.module, fd));
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	m = unwinder_add(f.u, path, 0, f.program, &why);
	if (m == NULL)
		bad(why);
	if (why != NULL)
		buf_printf(out, "module: %s\n", why);
	for (size_t i = 0; i < f.n_rule; i++)
		unwind_module_rule(m, f.rule[i].start, f.rule[i].end,
		    f.rule[i].root ? NULL : &f.rule[i].entry);
	if (f.n_code > 0)
		f.set.code = read_code;
	unwinder_set(f.u, &f.set);
	if (f.n_range == MODULES)
		bad("too many modules");
	f.range[f.n_range].addr = f.module.text;
	f.range[f.n_range++].size = f.module.size;
	f.in_module = false;
	f.module.start = f.module.tracer = 0;
	f.n_rule = 0;
	f.first_code = f.n_code;
	f.module.ip.bytes.len = f.module.orc.bytes.len = 0;
	f.module.go.bytes.len = 0;
	f.module.eh_frame.bytes.len = f.module.function.bytes.len = 0;
	close(fd);
}

/* Stacks ----------------------------------------------------------------- */

static const char *const ends[] = {"root", "zero", "user", "handler",
    "unproven", "loop", "inner", "memory", "window", "unsaved", "firmware",
    "differs", "rule", "program", "limit"};

static void
end_stack(struct buf *out)
{
	static struct unwind_stack st;

	if (!f.in_stack)
		return;
	unwinder_run(f.u, &f.regs, read_word, NULL, &st);
	for (size_t i = 0; i < st.n; i++)
		buf_printf(out, "%" PRIx64 "%s%s\n", st.frame[i].pc,
		    st.frame[i].exact ? " exact" : "",
		    st.frame[i].signal ? " signal" : "");
	buf_printf(out, "end %s", ends[st.end]);
	if (st.end == UNWIND_MEMORY)
		buf_printf(
		    out, " %" PRIx64 "%s", st.bad, st.code ? " code" : "");
	buf_adds(out, "\n");
	memset(&f.regs, 0, sizeof f.regs);
	f.n_word = 0;
	f.in_stack = false;
}

static void
take_line(char *line, struct buf *out)
{
	const char *key, *text;

	if (line[0] == '#' || (key = strtok(line, " \n")) == NULL)
		return;
	if (strcmp(key, "arch") == 0) {
		arch_line();
		return;
	}
	if (f.u == NULL)
		bad("an arch line comes first");
	if (strcmp(key, "module") == 0) {
		end_module(out);
		end_stack(out);
		f.in_module = true;
		f.first_code = f.n_code;
		text = strtok(NULL, " \n");
		f.program = text != NULL && strcmp(text, "program") == 0;
		text = strtok(NULL, " \n");
		f.module.exported =
		    text != NULL && strcmp(text, "exported") == 0;
	} else if (strcmp(key, "stack") == 0) {
		end_module(out);
		end_stack(out);
		f.in_stack = true;
		text = strtok(NULL, "\n");
		buf_printf(
		    out, "stack%s%s\n", text ? " " : "", text ? text : "");
	} else if (f.in_stack) {
		stack_line(key);
	} else {
		module_line(key);
	}
}

static void
read_snap(const char *path, struct buf *out)
{
	static char line[LINE];
	FILE *in = fopen(path, "r");

	f.path = path;
	f.line = 0;
	f.u = NULL;
	f.n_code = f.first_code = f.n_range = 0;
	f.freed_size = 0;
	if (in == NULL)
		bad("cannot be opened");
	while (fgets(line, sizeof line, in) != NULL) {
		f.line++;
		take_line(line, out);
	}
	end_module(out);
	end_stack(out);
	fclose(in);
	unwinder_free(f.u);
}

/* Prints the first line that differs. */
static bool
is_same(const char *path, const struct buf *out)
{
	struct buf want = BUF_INIT;
	char name[512];
	FILE *in;
	bool same;
	int c;

	snprintf(name, sizeof name, "%.*s.out", (int)strlen(path) - 5, path);
	in = fopen(name, "r");
	while (in != NULL && (c = getc(in)) != EOF)
		buf_addc(&want, (char)c);
	if (in != NULL)
		fclose(in);
	same = in != NULL && want.len == out->len &&
	       memcmp(want.p, out->p, want.len) == 0;
	if (!same)
		printf("%s: build/unit/stacks %s prints something else\n", name,
		    path);
	buf_done(&want);
	return same;
}

int
main(int argc, char **argv)
{
	struct buf out = BUF_INIT;
	glob_t g;

	if (argc > 1) {
		for (int i = 1; i < argc; i++)
			read_snap(argv[i], &out);
		fwrite(out.p, 1, out.len, stdout);
		buf_done(&out);
		return 0;
	}
	CHECK(glob("tests/stacks/*.snap", 0, NULL, &g) == 0 && g.gl_pathc > 0);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		out.len = 0;
		read_snap(g.gl_pathv[i], &out);
		CHECK(is_same(g.gl_pathv[i], &out));
	}
	globfree(&g);
	buf_done(&out);
	return unit_end();
}
