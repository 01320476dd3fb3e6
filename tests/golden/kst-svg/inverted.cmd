sh ./draw.sh -i -w 600 -c blue --countname ns --frame-height 20 --font-size 13
