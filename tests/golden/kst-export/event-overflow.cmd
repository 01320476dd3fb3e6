kst-export -f callgrind
