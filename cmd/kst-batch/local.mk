# SPDX-License-Identifier: ISC
# The scripts of a run as C strings.

$(B)/gen/batch-scripts.h: cmd/kst-batch/work.sh cmd/kst-batch/run.sh \
		cmd/kst-batch/local.mk
	@mkdir -p $(@D)
	(for s in work run; do \
		echo "static const char $${s}_sh[] ="; \
		sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' \
			-e 's/$$/\\n"/' cmd/kst-batch/$$s.sh; echo ';'; \
	done) >$@

$(B)/cmd/kst-batch/script.o: $(B)/gen/batch-scripts.h
