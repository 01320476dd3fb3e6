sh ./draw.sh --normalize
