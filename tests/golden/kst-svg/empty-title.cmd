sh ./draw.sh --title '' --subtitle ''
