kst-import inlined.in raw.in
