kst-uftrace kernel-lost.data | kst-span --calls --by track
