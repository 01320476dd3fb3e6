# SPDX-License-Identifier: ISC
#
# $(B)/guest/big.elf: the test guest with 20,000 functions more, none of which
# runs, for `make bench-capture`.

BIG_FUNCTIONS := 20000

$(B)/guest/big/big.c: tests/big.mk
	@mkdir -p $(@D)
	$(Q)awk 'BEGIN { \
		print "struct node { struct node *next; long value[4]; };"; \
		print "static inline __attribute__((always_inline)) long"; \
		print "sum(const struct node *n, int i) {"; \
		print "return n->value[i & 3] + n->value[(i + 1) & 3]; }"; \
		for (i = 0; i < $(BIG_FUNCTIONS); i++) \
			printf "long big_subsystem_function_%d(struct node *n, int i);\n" \
			"long big_subsystem_function_%d(struct node *n, int i) {\n" \
			"long total = %d;\nfor (; n; n = n->next)\n" \
			"\ttotal += sum(n, i);\nreturn total; }\n", i, i, i }' >$@

$(B)/guest/big/big.c.o: $(B)/guest/big/big.c
	$(Q)$(GUEST_CC) $(GUEST_CFLAGS) $(GUEST_FLAGS_cfi) -O0 -c -o $@ $<

$(B)/guest/big.elf: $(GUEST_SRC:$(GUEST_DIR)/%=$(B)/guest/cfi/%.o) \
		$(B)/guest/big/big.c.o $(GUEST_DIR)/guest.ld
	$(Q)$(GUEST_CC) $(GUEST_FLAGS_cfi) $(GUEST_LDFLAGS) -o $@.tmp \
		$(filter %.o,$^)
	@mv $@.tmp $@

bench-capture: $(B)/guest/big.elf
