kst-export -f speedscope from-zero.in; kst-export -f pprof from-zero.in | kst-import
