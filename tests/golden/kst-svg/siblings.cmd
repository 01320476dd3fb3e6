sh ./draw.sh --width 900
