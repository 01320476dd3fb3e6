# SPDX-License-Identifier: ISC
# Which functions wait, and which are the user's, as kernel.palette tells it.

$(B)/gen/palette-rows.h: share/svg/kernel.palette cmd/kst-top/local.mk
	@mkdir -p $(@D)
	awk '/^\[/ { c = $$1 } sub(/^match /, "") { \
		gsub(/[\\"]/, "\\\\&"); v[c] = v[c] "|(?:" $$0 ")" } \
		END { print "#define IDLE \"" substr(v["[idle]"], 2) "\""; \
		print "#define USER \"" substr(v["[user]"], 2) "\"" }' $< >$@

$(B)/cmd/kst-top/run.o: $(B)/gen/palette-rows.h
