sh ./draw.sh --flamechart
