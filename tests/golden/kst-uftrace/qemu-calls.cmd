kst-uftrace qemu.data | kst-span --by track --calls
