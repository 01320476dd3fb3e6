sh ./draw.sh --minwidth 0.1%
