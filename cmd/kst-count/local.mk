# SPDX-License-Identifier: ISC
# The plugin, which QEMU loads.

PLUGINS += $(if $(filter kst-count,$(CMDS)),$(B)/kst-count.so)
COUNT_SO = $(patsubst %.c,$(B)/%.pic.o,$(wildcard cmd/kst-count/plugin/*.c \
	cmd/kst-count/qemu/*.c \
	cmd/kst-count/decode/*.c \
	cmd/kst-count/trace/*.c) \
	$(addprefix cmd/kst-count/live/,live.c log.c slide.c programs.c \
		card.c outside.c) $(addprefix cmd/kst-count/modules/,guest.c ask.c) \
	common/base/xalloc.c common/set/slots.c)

$(B)/%.pic.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(EXTRA_CFLAGS) -fPIC \
		-fvisibility=hidden -MMD -MP -c -o $@ $<

$(B)/kst-count.so: $(COUNT_SO)
	$(Q)$(CC) $(ALL_CFLAGS) $(EXTRA_CFLAGS) $(HARDEN_LINK) $(LDFLAGS) \
		-shared -o $@ $^

# It is not linked, but loaded by QEMU.
$(B)/kst-count: | $(B)/kst-count.so

# All of the plugin is tested by units that are its QEMU.
$(addprefix $(B)/unit/count_,plugin traps idle left stacks cover reset): $(COUNT_SO)

# There is another run.h.
$(B)/tests/unit/count_events.o: CPPFLAGS += -iquote cmd/kst-count
