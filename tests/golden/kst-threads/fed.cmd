kst-threads --brief -e none.elf <no-header.in && cat no-header.in |
	kst-threads --brief -e none.elf && : | kst-threads -e none.elf
