# SPDX-License-Identifier: ISC
# One Makefile, no lists: a folder cmd/kst-NAME with a main.c (or a script
# kst-NAME.sh) is a command, common/*/*.c is the library, tests/unit/*.c are
# unit tests. A file is included by its room, "io/in.h", or by its room in the
# command's folder, "rsp/rsp.h". Objects go to $(B); `make asan` uses another
# B, so that plain and sanitizer builds stand side by side.

include config.mk

V_ASAN = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
B = build
# `make V=1` shows the commands.
Q = $(if $(V),,@echo "  $(@:$(B)/%=%)"; )
MAKEFLAGS += --no-builtin-rules

WARN = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wvla -Wformat=2 $(WERROR)
# Without commands that read ELF files their libraries need not be there. What is
# found by __has_include() may be missing in any case: xxHash, libiberty.
ELF_ROOMS = elf elffile cfi insn code kimage linux unwind
USES_ELF = $(eval USES_ELF := $$(shell grep -l -E '"($(subst $() $(),|,$(ELF_ROOMS)))/' \
	$$(foreach c,$$(CMDS),$$(call sources_of,$$(c)))))$(USES_ELF)
LIBS_PC = libpcre2-8 $(if $(USES_ELF),libelf libdw zlib liblzma libzstd liblz4) \
	$(if $(filter kst-export kst-import,$(CMDS)),zlib)
LIBERTY = $(eval LIBERTY := $$(shell echo '\#include <libiberty/demangle.h>' | \
	$$(CC) $$(CPPFLAGS) -E - >/dev/null 2>&1 && echo -liberty))$(LIBERTY)
# The libraries' headers are looked up once, when something is compiled.
PC_CFLAGS = $(eval PC_CFLAGS := $$(shell $(PKG_CONFIG) --cflags $(LIBS_PC)))$(PC_CFLAGS)
PC_LIBS = $(eval PC_LIBS := $$(shell $(PKG_CONFIG) --libs $(LIBS_PC)))$(PC_LIBS)
# A command's own folder; for tests those of all commands.
ROOM_INC = $(if $(filter cmd/%,$<),-Icmd/$(word 2,$(subst /, ,$<)), \
	-Itests/unit $(CMDS:%=-Icmd/%))
ALL_CPPFLAGS = -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DKST_VERSION='"$(VERSION)"' \
	-DKST_DATADIR='"$(DATADIR)"' -Icommon $(ROOM_INC) -I$(B)/gen $(CPPFLAGS)
# The flags of HARDEN that this compiler takes, found out once. FORTIFY needs
# optimisation, and is not for sanitizer builds.
HARDENED = $(eval HARDENED := $$(shell for f in $$(HARDEN); do \
	echo 'int main(void){return 0;}' | $$(CC) -Werror $$$$f -x c -o /dev/null - \
	2>/dev/null && echo $$$$f; done) $(if $(and $(HARDEN),$(findstring \
	-O2,$(CFLAGS))),$(if $(EXTRA_CFLAGS),,-U_FORTIFY_SOURCE \
	-D_FORTIFY_SOURCE=3)))$(HARDENED)
# Two builds of the same source in two folders are the same bytes.
ALL_CFLAGS = -std=c11 $(WARN) $(HARDENED) -ffile-prefix-map=$(CURDIR)=. \
	$(CFLAGS) $(PC_CFLAGS)
ALL_LIBS = $(HARDEN_LINK) -Wl,--as-needed $(PC_LIBS) $(LIBERTY) -lm

# make CMDS='kst-clean kst-fold kst-svg' builds and installs these alone.
CMDS = $(sort $(notdir $(patsubst %/,%,$(dir $(wildcard cmd/*/main.c)))))
SCRIPTS = $(sort $(basename $(notdir $(wildcard cmd/*/kst-*.sh))))
BINS = $(CMDS:%=$(B)/%) $(SCRIPTS:%=$(B)/%)
LIB_OBJ = $(patsubst %.c,$(B)/%.o,$(wildcard $(if $(USES_ELF),common/*/*.c, \
	$(addsuffix /*.c,$(filter-out $(ELF_ROOMS:%=common/%),$(wildcard common/*))))))
# A command's sources; what is in a folder plugin or qemu, its local.mk builds.
sources_of = $(wildcard cmd/$(1)/*.c $(addsuffix *.c,$(filter-out \
	cmd/$(1)/plugin/ cmd/$(1)/qemu/,$(wildcard cmd/$(1)/*/))))
CMD_OBJ = $(patsubst %.c,$(B)/%.o,$(foreach c,$(CMDS),$(call sources_of,$(c))))
UNITS = $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/*.c))
TOOLS = $(patsubst tests/tools/%.c,$(B)/tools/%,$(wildcard tests/tools/*.c))
FUZZERS = $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/*.c))
# The fuzzer has its own main(); without it the entries are only linked.
FUZZ_MAIN = -Wl,--defsym=main=LLVMFuzzerTestOneInput
MAN1 = $(wildcard $(CMDS:%=cmd/%/*.1))
MAN57 = $(wildcard docs/*.5 docs/*.7)
SOURCES = $(wildcard cmd/*/*.[ch] cmd/*/*/*.[ch] common/*/*.[ch] \
	tests/*/*.[ch])
SHELLS = $(wildcard share/install-deps .ci/run cmd/*/*.sh tests/*.sh \
	tests/*/*.sh share/*/*.sh)

all: $(BINS)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(EXTRA_CFLAGS) -MMD -MP -c -o $@ $<

# A table as C.
$(B)/gen/signs-rows.h: common/trace/signs.tsv Makefile
	@mkdir -p $(@D)
	sed -e '/^#/d' -e 's/[\\"]/\\&/g' -e 's/	/", "/g' \
		-e 's/.*/{.pattern = "&"},/' $< >$@

$(B)/common/trace/signs.o: $(B)/gen/signs-rows.h

# What is in the library follows from CMDS and from the files that there are: it is
# made anew when that changes.
$(B)/libkst.list: always
	@mkdir -p $(@D)
	@echo '$(LIB_OBJ)' | cmp -s - $@ || echo '$(LIB_OBJ)' >$@

$(B)/libkst.a: $(LIB_OBJ) $(B)/libkst.list
	@rm -f $@
	$(Q)$(AR) rcs $@ $(LIB_OBJ)

.SECONDEXPANSION:
$(CMDS:%=$(B)/%): $(B)/%: \
		$$(addprefix $(B)/,$$(addsuffix .o,$$(basename \
		$$(call sources_of,$$*)))) $(B)/libkst.a
	$(Q)$(CC) $(ALL_CFLAGS) $(EXTRA_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

$(SCRIPTS:%=$(B)/%): $(B)/%: cmd/%/%.sh config.mk
	@mkdir -p $(@D)
	sed -e 's|@VERSION@|$(VERSION)|g' -e 's|@DATADIR@|$(DATADIR)|g' \
		$< >$@.tmp && chmod 755 $@.tmp && mv $@.tmp $@

# A test that is called after a command, capture_pace, may use all its files but
# main.c.
PARTS = $(CMDS:%=$(B)/cmd/%.a)
$(PARTS): $(B)/cmd/%.a: $$(addprefix $(B)/,$$(addsuffix .o,$$(basename \
		$$(filter-out cmd/%/main.c,$$(call sources_of,$$*)))))
	@rm -f $@
	$(Q)$(AR) rcs $@ $^
# One that is called hostile_elfsym uses the fuzz entry elfsym.
entry_of = $(patsubst hostile_%,$(B)/tests/fuzz/%.o,$(filter hostile_%,$(1)))
part_of = $(filter $(B)/cmd/kst-$(firstword $(subst _, ,$(1))).a,$(PARTS))

$(UNITS): $(B)/unit/%: $(B)/tests/unit/%.o $$(call entry_of,$$*) \
		$$(call part_of,$$*) $(B)/libkst.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(EXTRA_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

$(TOOLS): $(B)/tools/%: $(B)/tests/tools/%.o $(B)/libkst.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(EXTRA_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

# Further rules: of one command, and of the test guest.
-include $(wildcard cmd/*/local.mk tests/guest/guest.mk tests/*.mk)
-include $(wildcard $(B)/common/*/*.d $(B)/cmd/*/*.d $(B)/cmd/*/*/*.d \
	$(B)/tests/*/*.d)

$(LIB_OBJ) $(CMD_OBJ): Makefile config.mk

# What users call -----------------------------------------------------------

# All processors, unless a -j says otherwise.
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell getconf _NPROCESSORS_ONLN))

deps:
	sh share/install-deps

demo: deps
	$(MAKE) $(PARALLEL) all
	sh share/demo/demo.sh $(B) demo.svg

# The pictures of README.md and docs/reading.md, which the tests compare.
pictures: all
	B=$(B) sh tests/pictures.sh

demo-live:
	sh share/install-deps --tests
	$(MAKE) all guest
	sh share/demo/live.sh $(B) demo-live.svg

test:
	sh share/install-deps --tests
	$(MAKE) $(PARALLEL) all units tools guest tiny
	$(MAKE) check-run

# The tests themselves, when all they need is there; with T='kst-fold every' those
# of these names. A bats file that needs more than the commands says so in a
# line "# needs: guest tools tiny".
NEEDS = $(if $(T),$(shell sed -n 's/^# needs: //p' \
	$(wildcard $(T:%=tests/%.bats))),units tools guest tiny)
check-run: all $(NEEDS)
	B=$(B) sh tests/run $(T)

# The fuzz entries are built so that they keep up with the code.
units: $(UNITS) $(FUZZERS)
objects: $(LIB_OBJ) $(CMD_OBJ)
tools: $(TOOLS)
guest tiny:

# Without browsers, guests and all that takes long.
check:
	sh share/install-deps --check
	$(MAKE) $(PARALLEL) all units
	B=$(B) sh tests/run --quick

asan:
	$(MAKE) B=build/asan EXTRA_CFLAGS='$(V_ASAN)' T='$(T)' asan-run

asan-run: all units
	B=$(B) SANITIZED=1 KST_NO_SANDBOX=1 sh tests/run --quick $(T)

fuzz:
	$(MAKE) B=build/fuzz CC=clang EXTRA_CFLAGS='-O1 -g \
		-DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION \
		-fsanitize=address,undefined,fuzzer-no-link \
		-fno-sanitize-recover=all' FUZZ_MAIN=-fsanitize=fuzzer fuzzers
	B=build/fuzz sh tests/fuzz/run $(SECONDS_EACH)

fuzzers: $(FUZZERS)

$(FUZZERS): $(B)/fuzz/%: $(B)/tests/fuzz/%.o $$(call part_of,$$*) $(B)/libkst.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(EXTRA_CFLAGS) $(LDFLAGS) $(FUZZ_MAIN) -o $@ \
		$^ $(ALL_LIBS)

# Every allocation, system call, process and disk that may fail, and every moment
# at which kst-capture or a process of a command that starts others may be killed:
# make faults T='clean capture'.
faults: all guest tools hosts
	B=$(B) tests/faults/run $(T)

# What the tests do not see in what changed: make mutants SINCE=HEAD~3 N=60 SEED=1,
# or FILES='common/kimage/*.c'.
mutants:
	B=$(B) SINCE='$(SINCE)' FILES='$(FILES)' N='$(N)' SEED='$(SEED)' tests/mutants

bench: all
	B=$(B) sh tests/bench/run

# What each command executes and holds in memory, beside the saved table; with
# T='kst-fold' those of one command. counts-save: see tests/README.md.
counts counts-save: all
	B=$(B) CC='$(CC)' CFLAGS='$(CFLAGS)' T='$(T)' \
		tests/bench/counts $(if $(filter counts-save,$@),--save)

# How often kst-diff is wrong on simulated profiles: some ten minutes.
sim: $(B)/kst-diff
	PATH="$(abspath $(B)):$$PATH" python3 tests/sim.py -n 200

bench-capture: all guest tools
	B=$(B) sh tests/bench/capture

# Debian's kernels against judges: downloads some GB, takes half an hour.
test-kernels: all $(B)/unit/capture_outside
	tests/kernels/run $(KERNELS)

# Another byte order, and another libc: Debian's compilers, and QEMU's user mode.
test-cross:
	tests/cross s390x musl

# What other systems get in the place of what only Linux has.
test-portable:
	$(MAKE) B=build/portable EXTRA_CFLAGS=-DKST_PORTABLE all
	B=build/portable sh tests/portable.sh

cover:
	KST_NO_SANDBOX=1 $(MAKE) B=build/cover CFLAGS='-O0 -g --coverage' check-run
	gcov -n -o build/cover $$(find build/cover -name '*.gcda') | \
		grep -A1 "^File '[^/]" || true

# Another version formats in another way.
CLANG_FORMAT = 14

lint: all
	@bad=; \
	if clang-format --version | grep -q 'version $(CLANG_FORMAT)\.'; then \
		clang-format --dry-run -Werror $(SOURCES) || bad=1; else \
		echo 'lint: formatting is not checked: this needs' \
		'clang-format $(CLANG_FORMAT)'; fi; \
	mandoc -T lint -W warning $(MAN1) $(MAN57) || bad=1; \
	shellcheck -x -S warning $(SHELLS) || bad=1; \
	B=$(B) sh tests/lint.sh || bad=1; \
	[ -z "$$bad" ]

# Prints the names of the files that it changes.
fmt:
	@clang-format --dry-run $(SOURCES) 2>&1 | \
		sed -n 's/:[0-9:]* .*-Wclang-format-violations.$$//p' | sort -u | \
		while read -r f; do echo "$$f" && clang-format -i "$$f"; done

bless: all
	B=$(B) BLESS='$(CASE)' sh tests/golden.sh

# What is installed, by folder; uninstall takes these files away again and
# then the folders that are empty.
DATA = $(filter-out completions/%,$(patsubst share/%,%,$(wildcard share/*/*)))
DOCS = README.md NEWS.md LICENSE $(wildcard docs/*.md)
MAN5 = $(wildcard docs/*.5)
MAN7 = $(wildcard docs/*.7)

install: all
	install -d "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(MANDIR)/man1" \
		"$(DESTDIR)$(MANDIR)/man5" "$(DESTDIR)$(MANDIR)/man7" \
		"$(DESTDIR)$(COMPDIR)" "$(DESTDIR)$(DOCDIR)" \
		"$(DESTDIR)$(PLUGINDIR)"
	install -m 755 $(BINS) "$(DESTDIR)$(BINDIR)"
	for f in $(PLUGINS); do \
		install -m 755 $$f "$(DESTDIR)$(PLUGINDIR)" || exit 1; done
	install -m 644 $(MAN1) "$(DESTDIR)$(MANDIR)/man1"
	install -m 644 $(MAN5) "$(DESTDIR)$(MANDIR)/man5"
	install -m 644 $(MAN7) "$(DESTDIR)$(MANDIR)/man7"
	install -m 644 $(DOCS) "$(DESTDIR)$(DOCDIR)"
	for f in $(DATA); do \
		case $$f in *.sh) mode=755 ;; *) mode=644 ;; esac; \
		install -D -m $$mode "share/$$f" \
			"$(DESTDIR)$(DATADIR)/$$f" || exit 1; done
	for c in $(notdir $(BINS)); do \
		install -m 644 share/completions/kst.bash \
			"$(DESTDIR)$(COMPDIR)/$$c" || exit 1; done
	install -D -m 644 share/completions/_kst "$(DESTDIR)$(ZSHDIR)/_kst"
	install -D -m 644 share/completions/kst.fish "$(DESTDIR)$(FISHDIR)/kst.fish"

remove = for f in $(2); do rm -f "$(DESTDIR)$(1)/$$f"; done

uninstall:
	$(call remove,$(BINDIR),$(notdir $(BINS)))
	$(call remove,$(PLUGINDIR),$(notdir $(PLUGINS)))
	$(call remove,$(COMPDIR),$(notdir $(BINS)))
	$(call remove,$(ZSHDIR),_kst)
	$(call remove,$(FISHDIR),kst.fish)
	$(call remove,$(MANDIR)/man1,$(notdir $(MAN1)))
	$(call remove,$(MANDIR)/man5,$(notdir $(MAN5)))
	$(call remove,$(MANDIR)/man7,$(notdir $(MAN7)))
	$(call remove,$(DOCDIR),$(notdir $(DOCS)))
	$(call remove,$(DATADIR),$(DATA))
	sh tests/rmdirs.sh "$(DESTDIR)" "$(PREFIX)" "$(BINDIR)" "$(PLUGINDIR)" \
		"$(MANDIR)/man1" "$(MANDIR)/man5" "$(MANDIR)/man7" "$(COMPDIR)" "$(ZSHDIR)" \
		"$(FISHDIR)" $(patsubst %,"$(DATADIR)/%",$(sort $(patsubst %/,%,$(dir $(DATA))))) \
		"$(DATADIR)" "$(DOCDIR)"

DIST = kst-$(VERSION)
dist:
	git archive --format=tar.gz --prefix=$(DIST)/ -o $(DIST).tar.gz HEAD

# The tarball builds, passes its tests, installs and uninstalls cleanly.
distcheck: dist
	B=$(B) sh tests/distcheck.sh $(DIST)

# The manual pages and the pictures, from $(B)/html/index.html on.
html:
	sh docs/html.sh $(B)/html

# What a release publishes, on Debian, as root.
release:
	sh packaging/release.sh release

clean:
	rm -rf build release demo.svg demo-live.svg

always:

.PHONY: all always deps demo pictures demo-live test check-run units objects tools guest tiny check asan \
	asan-run fuzz fuzzers faults mutants bench bench-capture counts counts-save sim test-kernels test-cross test-portable cover lint fmt bless \
	install uninstall dist distcheck html release clean
.SECONDARY:
.DELETE_ON_ERROR:
