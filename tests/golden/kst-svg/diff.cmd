sh ./draw.sh --no-normalize
