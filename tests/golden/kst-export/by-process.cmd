kst-export -f speedscope --by process | kst-import --; kst-fold --by process <by-process.in
