kst-export -f speedscope --by cpu | kst-import --; kst-fold --by cpu <by-cpu.in
