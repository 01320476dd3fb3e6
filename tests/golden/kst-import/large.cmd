# 64 MiB are held, and no byte more
head -c 67108864 /dev/zero | kst-import
head -c 67108865 /dev/zero | kst-import
