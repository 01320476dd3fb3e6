kst-export -f pprof | kst-import
