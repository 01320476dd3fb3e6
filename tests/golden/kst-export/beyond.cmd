kst-export -f pprof >/dev/null
