# SPDX-License-Identifier: ISC
#
# Linux: where the stack of a kernel thread begins. See
# kst-capture-backends(7), OS files.

root	ret_from_fork*
