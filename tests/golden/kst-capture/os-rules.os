root
root a b
entry f
entry f pc 8
entry f pc 8 sp
entry f pc 8 sp 6
entry f pc 8 sp 8000
entry f pc 8 xx 16
root start # these are good
entry f* pc 8 sp 16 fp 0x18 ra 32 status 40
idle
idle a b c
idle a b # these are good, too
idle a
