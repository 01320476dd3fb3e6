# SPDX-License-Identifier: ISC
#
# Emerald (x86_64): a page that the kernel maps into every process, at the top
# of its own half, says what program the process runs. See kst-capture(1), OS
# FILES.

# Addresses from here on are the kernel's.
kernel-base	0xffffffff80000000

# Where the page is, as the process itself sees it.
metadata	0xffffff7fffffe000

# Offsets in it, of little-endian words of 64 bits.
pid		0
image-base	8
image-size	16
eh-frame	32
eh-frame-size	40
text		48
text-size	56
