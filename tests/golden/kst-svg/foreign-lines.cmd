printf '#0  f ()\n#1  g ()\n#2  h ()\n' | kst-svg >/dev/null
printf 'title\nno count\na;b 1\nlast\n' | kst-svg >/dev/null
