for o in raw stack-bytes=64 os=none user-dir=. sysroot=. kernel-base=0 kernel-only \
	user-only show-addresses show-skid; do
	kst-capture -b gdb -r /nowhere --$o 2>&1
	echo $?
done | grep -v try
