kst-perf half.in half.in
