metadata 0x1000
pid 0
text 8