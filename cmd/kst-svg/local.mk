# SPDX-License-Identifier: ISC
# Style and script of the picture as C strings, so that the program needs no
# file at run time.

SVG_GEN = $(B)/gen/svg-style.h $(B)/gen/svg-script.h
SVG_PALETTES = $(sort $(wildcard share/svg/*.palette))
SVG_SCRIPTS = $(sort $(wildcard share/svg/*.js))

SVG_STRING = sed -e '/^ *\/[*].*SPDX.*[*]\/$$/d' -e 's/\\/\\\\/g' \
	-e 's/"/\\"/g' -e 's/^/"/' -e 's/$$/\\n"/'

# Each picture carries the script: without comments and indentation it is a
# third smaller.
SVG_BARE = sed -e '/^[[:space:]]*\/[*].*[*]\/$$/d' \
	-e '/^[[:space:]]*\/[*]/,/[*]\/$$/d' -e 's/^[[:space:]]*//'

$(B)/gen/svg-style.h: share/svg/style.css cmd/kst-svg/local.mk
	@mkdir -p $(@D)
	(echo 'static const char svg_style[] ='; $(SVG_STRING) $<; echo ';') >$@

$(B)/gen/svg-script.h: $(SVG_SCRIPTS) cmd/kst-svg/local.mk
	@mkdir -p $(@D)
	(echo 'static const char svg_script[] ='; \
		cat $(SVG_SCRIPTS) | $(SVG_BARE) | $(SVG_STRING); \
		echo '"";') >$@

$(B)/gen/svg-palettes.h: $(SVG_PALETTES) cmd/kst-svg/local.mk
	@mkdir -p $(@D)
	(echo 'static const struct { const char *name, *text; }'; \
		echo 'built_in_palettes[] = {'; \
		for f in $(SVG_PALETTES); do \
			echo "{\"$$(basename $$f .palette)\","; \
			! grep -q '^.*] by module' $$f || \
				$(SVG_STRING) share/svg/idle.palette; \
			grep -q '^.lock]' $$f || [ $$(basename $$f) = \
				changes.palette ] || \
				$(SVG_STRING) share/svg/lock.palette; \
			$(SVG_STRING) $$f; echo '},'; done; echo '};') >$@

$(B)/cmd/kst-svg/paint/draw.o: $(SVG_GEN)
$(B)/cmd/kst-svg/colour/colour.o: $(B)/gen/svg-palettes.h
