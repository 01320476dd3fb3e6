sh ./draw.sh
