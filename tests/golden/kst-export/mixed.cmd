kst-export -f callgrind - speedscope-events.in
