kst-export -f speedscope --by state | kst-import --; kst-fold --by state <by-state.in
