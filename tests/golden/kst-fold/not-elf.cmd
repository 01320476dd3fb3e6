printf '\177ELF\2\1\1\n\0\0' | kst-fold
