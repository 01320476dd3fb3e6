sh ./draw.sh --total 10
