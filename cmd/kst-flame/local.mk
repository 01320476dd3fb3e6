# SPDX-License-Identifier: ISC
# Which functions are locks, as kernel.palette tells it.

$(B)/gen/lock-row.h: share/svg/kernel.palette cmd/kst-flame/local.mk
	@mkdir -p $(@D)
	awk '/^\[/ { c = $$1 } sub(/^match /, "") { \
		gsub(/[\\"]/, "\\\\&"); v[c] = v[c] "|(?:" $$0 ")" } \
		END { print "#define LOCK \"" substr(v["[lock]"], 2) "\"" }' \
		$< >$@

$(B)/cmd/kst-flame/lead.o: $(B)/gen/lock-row.h
