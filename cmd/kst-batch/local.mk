# SPDX-License-Identifier: ISC
# A script of runs as a C string.

$(B)/gen/batch-scripts.h: cmd/kst-batch/run.sh cmd/kst-batch/local.mk
	@mkdir -p $(@D)
	(echo "static const char run_sh[] ="; \
		sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' \
			-e 's/$$/\\n"/' cmd/kst-batch/run.sh; echo ';') >$@

$(B)/cmd/kst-batch/hosts.o: $(B)/gen/batch-scripts.h
