# SPDX-License-Identifier: ISC
# The default rules are built in, so that the command works uninstalled.
$(B)/gen/default_rules.h: share/rules/default.rules
	@mkdir -p $(@D)
	sed -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $< >$@

$(B)/cmd/kst-clean/names.o: $(B)/gen/default_rules.h
