# SPDX-License-Identifier: ISC
"""The share of work_a in a capture, and the true one of the captured time.

window.py CYCLE-MS CAPTURE prints `SAMPLES-OF-WORK_A SAMPLES TRUTH`. The guest is
in work_a for the first 60 % of each cycle of its own clock, which stands still
while it is stopped; on a loaded host for longer than is seen from outside, so
that a cycle takes up to a third longer. A capture does not hold whole cycles: of
3.6 of them, 54 to 66 % are work_a. Where in a cycle it began, and how long cycles
are, is where most samples fit.
"""
import re
import sys

cycle = int(sys.argv[1]) / 1000
with open(sys.argv[2], errors="replace") as f:
    captures = re.split(r"(?m)^(?=\[kst-capture seq)", f.read())[1:]
at, in_a, stopped = [], [], 0.0
for text in captures:
    if "#0 " not in text:
        continue
    at.append(float(re.search(r" time=([0-9.]+)", text)[1]) - stopped)
    in_a.append("work_a" in text)
    stop = re.search(r" stop-ns=(\d+)", text)
    stopped += int(stop[1]) / 1e9 if stop else 0
length = at[-1] - at[0]


def fits(begin):
    phase, period = begin
    return sum(((t - at[0] + phase) % period < 0.6 * period) == a
               for t, a in zip(at, in_a))


truth = 0.6
if cycle >= 1:  # of shorter ones, a part does not matter
    phase, cycle = max(((period * i / 100, period) for period in
                        (cycle * (1 + j / 100) for j in range(34))
                        for i in range(100)), key=fits)
    whole, rest = divmod(phase + length, cycle)
    spent = whole * 0.6 * cycle + min(rest, 0.6 * cycle)
    truth = (spent - min(phase, 0.6 * cycle)) / length
print(sum(in_a), len(in_a), "%.4f" % truth)
