kst-uftrace qemu.data | kst-span
