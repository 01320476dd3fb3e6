sh ./draw.sh --reverse
