kst-uftrace kernel.data | kst-span --calls --by track
