# SPDX-License-Identifier: ISC
"""Captures of four CPUs with a known truth, from a seed.

simulate.py FIRST-SEED FILES CAPTURES SHARE WITHIN STAY writes N.txt for each
seed: SHARE of all samples is in `hot`, the rest in 30 others, each less
often than the one before. With probability WITHIN a CPU does what the
capture's first choice is, so that CPUs are alike, and with STAY that choice
is the last capture's.

simulate.py FIRST-SEED FILES resample ARCHIVE draws captures of the archive
anew, as many as it has.
"""
import random
import re
import sys


def choose(r, share):
    if r.random() < share:
        return "hot"
    i = 0
    while i < 29 and r.random() < 0.75:
        i += 1
    return "f%d" % i


def simulate(r, captures, share, within, stay):
    now = choose(r, share)
    for k in range(captures):
        if r.random() >= stay:
            now = choose(r, share)
        yield "[kst-capture seq=%d]\n" % k + "".join(
            "Thread %d (Thread 1.%d (CPU#%d [running])):\n"
            "#0  0x%016x in %s (...)\n#1  0x%016x in main (...)\n"
            % (c + 1, c + 1, c, 1,
               now if r.random() < within else choose(r, share), 2)
            for c in range(4))


def resample(r, archive):
    with open(archive) as f:
        captures = re.split(r"(?m)^(?=\[kst-capture)", f.read())[1:]
    return (r.choice(captures) for _ in captures)


seed, files = int(sys.argv[1]), int(sys.argv[2])
for n in range(seed, seed + files):
    random_of = random.Random(n)
    if sys.argv[3] == "resample":
        text = resample(random_of, sys.argv[4])
    else:
        text = simulate(random_of, int(sys.argv[3]),
                        *(float(a) for a in sys.argv[4:7]))
    with open("%d.txt" % n, "w") as f:
        f.writelines(text)
