# SPDX-License-Identifier: ISC
#
# NuttX: where tasks and threads begin. See kst-os(5).

known-by nx_start nxtask_start

root	nxtask_start
root	pthread_start

# Where a thread handles a signal; what it was in the midst of did not call that.
root	*_sigdeliver

# What it does is the board's: on some it does not wait for an interrupt.
idle	up_idle
