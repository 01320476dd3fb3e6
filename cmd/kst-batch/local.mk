# SPDX-License-Identifier: ISC
# The worker's script as a C string.

$(B)/gen/batch-work.h: cmd/kst-batch/work.sh cmd/kst-batch/local.mk
	@mkdir -p $(@D)
	(echo 'static const char work_sh[] ='; sed -e 's/\\/\\\\/g' \
		-e 's/"/\\"/g' -e 's/^/"/' -e 's/$$/\\n"/' $<; echo ';') >$@

$(B)/cmd/kst-batch/script.o: $(B)/gen/batch-work.h
