# SPDX-License-Identifier: ISC
# Which functions wait, and which are the user's, as kernel.palette tells it.

$(B)/gen/palette-rows.h: share/svg/kernel.palette cmd/kst-top/local.mk
	@mkdir -p $(@D)
	awk '/^\[/ { c = $$1 } /^match/ && (c == "[idle]" || c == "[user]") { \
		sub(/^match /, ""); gsub(/[\\"]/, "\\\\&"); \
		print "{\"" c "\", \"" $$0 "\"}," }' $< >$@

$(B)/cmd/kst-top/colours.o: $(B)/gen/palette-rows.h
