# SPDX-License-Identifier: ISC
"""How often kst-diff is wrong, by profiles whose truth is known.

sim.py [-n RUNS] [SHAPE ...] simulates each shape RUNS times (200), from fixed
seeds, and prints how often kst-diff said that something changed. A shape whose
true rate is 5 % or less, or has the power asked for, passes this test in 999
of 1,000 cases: the bounds are exact binomial ones. Status 1: a shape failed.

Profiles have 200 functions below 12 callers, with shares as 1/i^1.1; where a
shape says so, one of them has 20 %. Runs (files) differ by themselves by a
`spread`, the standard deviation of a share of 20 %.
"""
import json
import math
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile

FUNCTIONS, CALLERS, HOT = 200, 12, 0.20


def shares(hot=None):
    w = [1 / i ** 1.1 for i in range(1, FUNCTIONS + 1)]
    if hot is None:
        return [x / sum(w) for x in w]
    return [hot] + [x * (1 - hot) / sum(w[1:]) for x in w[1:]]


def run_of(r, p, spread):
    """The shares of one run: a larger one varies more."""
    q = [max(x + r.gauss(0, spread * math.sqrt(x / HOT)), x / 10) for x in p]
    return [x / sum(q) for x in q] if spread else p


def folded(r, path, p, n):
    count = [0] * FUNCTIONS
    for i in r.choices(range(FUNCTIONS), p, k=n):
        count[i] += 1
    with open(path, "w") as f:
        f.writelines("main;c%d;f%d %d\n" % (i % CALLERS, i, c)
                     for i, c in enumerate(count) if c)


def trace(r, path, p, captures, stay):
    """Four CPUs; each goes on for `stay` captures before it changes."""
    text = [["Thread %d (Thread 1.%d (CPU#%d [running])):\n"
             "#0  0x01 in f%d (...)\n#1  0x02 in c%d (...)\n#2  0x03 in main ()\n"
             % (c + 1, c + 1, c, i, i % CALLERS) for i in range(FUNCTIONS)]
            for c in range(4)]
    now = [0] * 4
    with open(path, "w") as f:
        for k in range(captures):
            if k % stay == 0:
                now = r.choices(range(FUNCTIONS), p, k=4)
            f.write("[kst-capture seq=%d time=%d.%02d]\n"
                    % (k, 1700000000 + k // 100, k % 100))
            f.writelines(text[c][now[c]] for c in range(4))


def diff(folder, *args):
    p = subprocess.run(["kst-diff", *args, "a", "b"], cwd=folder, text=True,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if p.returncode not in (0, 3, 5):
        raise RuntimeError("status %d: %s" % (p.returncode, p.stderr))
    return p


def alarm(folder):
    """Whether a row changed, or the smallest gate fires."""
    p = diff(folder, "--json", "-a", "--gate", "+0.01%")
    rows = json.loads(p.stdout)["rows"]
    return p.returncode == 3 or any(r["significant"] for r in rows)


def fires(folder, *args):
    return diff(folder, "--gate", "+2%", *args).returncode == 3


def files(r, folder, before, after, n, spread, hot=None, add=0):
    for side, k, h in (("a", before, hot), ("b", after, hot and hot + add)):
        os.mkdir(os.path.join(folder, side))
        for i in range(k):
            folded(r, os.path.join(folder, side, "%d" % i),
                   run_of(r, shares(h), spread), n)


def one_file(before, after, add=None):
    def run(r, folder):
        for side, n, d in (("a", before, 0), ("b", after, add)):
            folded(r, os.path.join(folder, side),
                   shares() if add is None else shares(HOT + d), n)
        return alarm(folder) if add is None else fires(folder)
    return run


def one_trace(before, after, stay, add=None):
    def run(r, folder):
        for side, n, d in (("a", before, 0), ("b", after, add)):
            trace(r, os.path.join(folder, side),
                  shares() if add is None else shares(HOT + d), n, stay)
        return alarm(folder) if add is None else fires(folder)
    return run


def same_files(before, after, n, spread):
    def run(r, folder):
        files(r, folder, before, after, n, spread)
        return alarm(folder)
    return run


def rounds(add, spread, n=2000, first=3, last=9):
    """share/ci/gate.sh: a run more until the gate is decided."""
    def run(r, folder):
        files(r, folder, last, first, n, spread, HOT)
        for k in range(first, last + 1):
            for i in range(0 if k == first else k - 1, k):
                folded(r, os.path.join(folder, "b", "%d" % i),
                       run_of(r, shares(HOT + add), spread), n)
            status = diff(folder, "--gate", "+2%", "--rounds",
                          "%d-%d" % (first, last)).returncode
            if status != 5:
                return status == 3
        return False
    return run


# Name: how to run it, at most this rate (or, if negative, at least).
SHAPES = {
    "folded, 10,000 : 10,000": (one_file(10000, 10000), .05),
    "folded, 2,000 : 10,000": (one_file(2000, 10000), .05),
    "folded, 500 : 20,000": (one_file(500, 20000), .05),
    "folded, 600 : 60,000": (one_file(600, 60000), .05),
    "3 : 3 files of 2,000": (same_files(3, 3, 2000, 0), .05),
    "3 : 3 files of 10,000, spread 0.9": (same_files(3, 3, 10000, .009), .05),
    "3 : 9 files of 2,000, spread 0.9": (same_files(3, 9, 2000, .009), .05),
    "2 : 2 files of 2,000, spread 0.9": (same_files(2, 2, 2000, .009), .05),
    "2 : 2 files of 10,000, spread 0.9": (same_files(2, 2, 10000, .009), .05),
    "1 : 3 files of 10,000, spread 0.9": (same_files(1, 3, 10000, .009), .05),
    "trace, 500 captures": (one_trace(500, 500, 1), .05),
    "trace, 500 captures, change each 20": (one_trace(500, 500, 20), .05),
    "trace, 500 captures, change each 100": (one_trace(500, 500, 100), .05),
    "trace, 1,500 captures, change each 100": (one_trace(1500, 1500, 100), .05),
    "trace, 6,000 captures, change each 100": (one_trace(6000, 6000, 100), .05),
    "trace, 60 captures, change each 5": (one_trace(60, 60, 5), .05),
    "trace, 500 : 4,000 captures, change each 5":
        (one_trace(500, 4000, 5), .05),
    "gate in rounds, +0": (rounds(0, 0), .05),
    "gate in rounds, +2, the limit itself": (rounds(.02, .003), .05),
    "gate in rounds, +4": (rounds(.04, 0), -.8),
    "gate in rounds, +4, spread 0.3": (rounds(.04, .003), -.8),
    "gate in rounds, +8, spread 0.3": (rounds(.08, .003), -.99),
    "folded, 10,000 : 10,000, +5": (one_file(10000, 10000, .05), -.8),
    "trace, 6,000 captures, change each 5, +8":
        (one_trace(6000, 6000, 5, .08), -.8),
}


def tail(k, n, p):
    """The probability of k or more of n."""
    return sum(math.comb(n, i) * p ** i * (1 - p) ** (n - i)
               for i in range(k, n + 1))


def one(job):
    name, seed = job
    with tempfile.TemporaryDirectory() as folder:
        return SHAPES[name][0](random.Random("%s %d" % (name, seed)), folder)


def main():
    args = sys.argv[1:]
    n = int(args[1]) if args[:1] == ["-n"] else 200
    names = args[2:] if args[:1] == ["-n"] else args
    bad = 0
    jobs = int(os.environ.get("JOBS", os.cpu_count()))
    with multiprocessing.Pool(jobs) as pool:
        for name in names or SHAPES:
            rate = SHAPES[name][1]
            found = sum(pool.imap_unordered(one, ((name, i) for i in range(n))))
            low = tail(found, n, rate) if rate > 0 else \
                tail(n - found, n, 1 + rate)
            wrong = low < .001
            bad += wrong
            print("%-45s %4d of %d%s" % (name, found, n, ", WRONG: %s %g %%" % (
                "at most" if rate > 0 else "at least", 100 * abs(rate))
                if wrong else ""), flush=True)
    sys.exit(bad > 0)


main()
