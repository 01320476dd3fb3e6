# SPDX-License-Identifier: ISC
#
# U-Boot: where its stack begins, once it has moved to the end of memory: it jumps there.
# See kst-capture-backends(7), OS files.

known-by board_init_r board_init_f relocate_code

root	board_init_r
root	board_init_f
