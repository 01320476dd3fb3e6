kernel-base 0xffffffff80000000
metadata
pid zero

# nothing
name 8 # unknown
text 8 9
text-size 5000
