# SPDX-License-Identifier: ISC
# Which functions are locks, and the scheduler's, as kernel.palette tells it.

$(B)/gen/classes-row.h: share/svg/kernel.palette cmd/kst-flame/local.mk
	@mkdir -p $(@D)
	awk '/^\[/ { c = $$1 } sub(/^match /, "") { \
		gsub(/[\\"]/, "\\\\&"); v[c] = v[c] "|(?:" $$0 ")" } \
		END { print "#define LOCK \"" substr(v["[lock]"], 2) "\""; \
		print "#define SCHEDULER \"" substr(v["[scheduler]"], 2) "\"" }' \
		$< >$@

$(B)/cmd/kst-flame/lead/lead.o $(B)/cmd/kst-flame/lead/waits.o: $(B)/gen/classes-row.h
