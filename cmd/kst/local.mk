# SPDX-License-Identifier: ISC
# What `kst` draws is the drawing of kst(7).
$(B)/gen/drawing.h: docs/kst.7 cmd/kst/local.mk
	@mkdir -p $(@D)
	sed -e '/^\.Bd -literal$$/,/^\.Ed/!d' -e '/^\.[BE]d/d' \
		-e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $< >$@

$(B)/cmd/kst/main.o: $(B)/gen/drawing.h
