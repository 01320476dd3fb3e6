sh ./draw.sh -c kernel
