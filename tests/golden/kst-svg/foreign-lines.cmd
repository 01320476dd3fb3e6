printf 'title\nno count\na;b 1\nlast\n' | kst-svg >/dev/null
