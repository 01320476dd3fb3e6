# SPDX-License-Identifier: ISC
"""How often kst-diff is wrong, by profiles whose truth is known.

sim.py [-n RUNS] [-m] [SHAPE ...] simulates each shape RUNS times (200), from
fixed seeds, and prints how often kst-diff said that something changed. A shape
whose true rate is at most the one given, or has the power asked for, passes
this test in 999 of 1,000 cases: the bounds are exact binomial ones. Status 1: a
shape failed. With -m it also prints how often a Mann-Whitney test of each row,
as benchstat has it, said so at 5 %. docs/ci.md has the formulas.
"""
import functools
import itertools
import json
import lzma
import math
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile

FUNCTIONS, CALLERS, HOT = 200, 12, 0.20
HERE = os.path.dirname(os.path.abspath(__file__))


def shares(hot=None):
    w = [1 / i ** 1.1 for i in range(1, FUNCTIONS + 1)]
    if hot is None:
        return [x / sum(w) for x in w]
    return [hot] + [x * (1 - hot) / sum(w[1:]) for x in w[1:]]


def run_of(r, p, spread):
    """The shares of one run: a larger one varies more."""
    q = [max(x + r.gauss(0, spread * math.sqrt(x / HOT)), x / 10) for x in p]
    return [x / sum(q) for x in q] if spread else p


def folded(r, path, p, n, more=0):
    """n samples, and `more` of a function that no other file has."""
    count = [0] * FUNCTIONS
    for i in r.choices(range(FUNCTIONS), p, k=n - more):
        count[i] += 1
    with open(path, "w") as f:
        f.writelines("main;c%d;f%d %d\n" % (i % CALLERS, i, c)
                     for i, c in enumerate(count) if c)
        if more:
            f.write("main;new %d\n" % more)


def trace(r, path, p, captures, stay, period=0, spread=0):
    """Four CPUs; each goes on for `stay` captures before it changes, and all
    shares vary by the spread from one period to the next."""
    text = [["Thread %d (Thread 1.%d (CPU#%d [running])):\n"
             "#0  0x01 in f%d (...)\n#1  0x02 in c%d (...)\n#2  0x03 in main ()\n"
             % (c + 1, c + 1, c, i, i % CALLERS) for i in range(FUNCTIONS)]
            for c in range(4)]
    now, q = [0] * 4, p
    with open(path, "w") as f:
        for k in range(captures):
            if period and k % period == 0:
                q = list(itertools.accumulate(run_of(r, p, spread)))
            if k % stay == 0:
                now = r.choices(range(FUNCTIONS), cum_weights=q, k=4) \
                    if period else r.choices(range(FUNCTIONS), p, k=4)
            f.write("[kst-capture seq=%d time=%d.%02d]\n"
                    % (k, 1700000000 + k // 100, k % 100))
            f.writelines(text[c][now[c]] for c in range(4))


@functools.cache
def same_boot():
    """Twelve captures of one boot: the stacks of each stop's two CPUs."""
    with lzma.open(os.path.join(HERE, "data", "same-boot.xz"), "rt") as f:
        stacks = list(iter(lambda: f.readline().rstrip("\n"), ""))
        return [[[stacks[int(i)] for i in stop.split(",")]
                 for stop in line.split()] for line in f]


def real_trace(path, stops):
    with open(path, "w") as f:
        for k, stop in enumerate(stops):
            f.write("[kst-capture seq=%d]\n" % k)
            for c, stack in enumerate(stop):
                f.write("Thread %d (Thread 1.%d (CPU#%d [running])):\n"
                        % (c + 1, c + 1, c))
                f.writelines("#%d  %s\n" % (i, name) for i, name in
                             enumerate(reversed(stack.split(";"))))


def real_run(r, path, stops, more=0):
    """Folded; each stack is that of a new function with probability more."""
    with open(path, "w") as f:
        for stack in itertools.chain(*stops):
            f.write("%s 1\n" % ("main;new" if r.random() < more else stack))


def diff(folder, *args):
    p = subprocess.run(["kst-diff", *args, "a", "b"], cwd=folder, text=True,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if p.returncode not in (0, 3, 5):
        raise RuntimeError("status %d: %s" % (p.returncode, p.stderr))
    return p


def significant(folder, *args):
    rows = json.loads(diff(folder, "--json", "-a", *args).stdout)["rows"]
    return {r["name"] for r in rows if r["significant"]}


def alarm(folder, *args):
    """Whether a row changed or a gate fires: by turns with the smallest gate,
    which has all rows tested, and without."""
    gate = ["--gate", "+0.01%"] if alarm.with_gate else []
    p = diff(folder, "--json", "-a", *gate, *args)
    rows = json.loads(p.stdout)["rows"]
    return p.returncode == 3 or any(r["significant"] for r in rows)


def fires(folder, *args):
    return diff(folder, "--gate", "+2%", *args).returncode == 3


def mann_whitney(a, b):
    """The probability; exact for few values, else by the normal distribution."""
    m, n = len(a), len(b)
    u = sum((x > y) + (x == y) / 2 for x in a for y in b)
    u = min(u, m * n - u)
    ties = [a.count(x) + b.count(x) for x in set(a + b)]
    if math.comb(m + n, m) < 1000:
        order = sorted(a + b)
        rank = [order.index(x) + (order.count(x) - 1) / 2 for x in order]
        sums = [sum(c) - m * (m - 1) / 2
                for c in itertools.combinations(rank, m)]
        return min(1, 2 * sum(s <= u for s in sums) / len(sums))
    var = m * n / 12 * (m + n + 1 - sum(t ** 3 - t for t in ties) /
                        ((m + n) * (m + n - 1)))
    z = max(m * n / 2 - u - .5, 0) / math.sqrt(var) if var > 0 else 0
    return math.erfc(z / math.sqrt(2))


def peer(folder, row=None):
    """Whether Mann and Whitney's test finds a row of 1 % or more, or `row`."""
    side = {}
    for s in "ab":
        if not os.path.isdir(os.path.join(folder, s)):
            return None
        side[s] = []
        for name in sorted(os.listdir(os.path.join(folder, s))):
            count, total = {}, 0
            with open(os.path.join(folder, s, name)) as f:
                for line in f:
                    stack, n = line.rsplit(" ", 1)
                    total += int(n)
                    for frame in set(stack.split(";")):
                        count[frame] = count.get(frame, 0) + int(n)
            side[s].append({k: v / total for k, v in count.items()})
    for k in [row] if row else set().union(*side["a"], *side["b"]):
        v = [[x.get(k, 0) for x in side[s]] for s in "ab"]
        if max(sum(x) / len(x) for x in v) >= .01 and mann_whitney(*v) <= .05:
            return True
    return False


def files(r, folder, before, after, n, spread, hot=None, add=0, more=0):
    for side, k, h in (("a", before, hot), ("b", after, hot and hot + add)):
        os.mkdir(os.path.join(folder, side))
        for i in range(k):
            s = spread if isinstance(spread, float) else spread[side == "b"]
            folded(r, os.path.join(folder, side, "%d" % i),
                   run_of(r, shares(h), s), n, more if side == "b" else 0)


def one_file(before, after, add=None):
    def run(r, folder):
        for side, n, d in (("a", before, 0), ("b", after, add)):
            folded(r, os.path.join(folder, side),
                   shares() if add is None else shares(HOT + d), n)
        if add is None:
            return bool(significant(folder)) or fires(folder)
        return "f0" in significant(folder)
    return run


def one_trace(before, after, stay, add=None, period=0, spread=0, test=alarm):
    def run(r, folder):
        for side, n, d in (("a", before, 0), ("b", after, add)):
            trace(r, os.path.join(folder, side),
                  shares(HOT if period else None) if add is None
                  else shares(HOT + d), n, stay, period, spread)
        return test(folder) if add is None else fires(folder)
    return run


def same_files(before, after, n, spread, test=alarm):
    def run(r, folder):
        files(r, folder, before, after, n, spread, HOT)
        return test(folder)
    return run


def changed(runs, n, spread, add=0, more=0):
    """Whether the row that changed is found."""
    def run(r, folder):
        files(r, folder, runs, runs, n, spread, HOT, add, more)
        return ("new" if more else "f0") in significant(folder)
    run.row = "new" if more else "f0"
    return run


def burst(runs, more, *args):
    """In one run after, a function that no other run has."""
    def run(r, folder):
        files(r, folder, runs, runs, 2000, .009, HOT)
        folded(r, os.path.join(folder, "b", "0"),
               run_of(r, shares(HOT), .009), 2000, more)
        return alarm(folder, *args)
    return run


def cost(runs, spread, grown, *args):
    """As much work in each run, which takes so many times the samples."""
    def run(r, folder):
        files(r, folder, runs, runs, 2000, spread, HOT)
        for i in range(runs):
            folded(r, os.path.join(folder, "b", "%d" % i),
                   run_of(r, shares(HOT), spread), int(2000 * grown))
        if grown == 1:
            return alarm(folder, "--work", "1000,1000", "--gate", ".=x1.1")
        return diff(folder, "--work", "1000,1000", "--gate",
                    ".=x1.1").returncode == 3
    return run


def real_pair(r, folder):
    a, b = r.pair
    real_trace(os.path.join(folder, "a"), same_boot()[a])
    real_trace(os.path.join(folder, "b"), same_boot()[b])
    return alarm(folder)


def real_files(runs, more=0, test=alarm):
    """The twelve captures in a random order as runs."""
    def run(r, folder):
        order = r.sample(same_boot(), 2 * runs)
        for side in "ab":
            os.mkdir(os.path.join(folder, side))
            for i in range(runs):
                real_run(r, os.path.join(folder, side, "%d" % i), order.pop(),
                         more if side == "b" else 0)
        return "new" in significant(folder) if more else test(folder)
    run.row = "new" if more else None
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


def real_rounds(add):
    """The same with halves of the twelve captures, ten runs before."""
    def run(r, folder):
        halves = [h for c in same_boot()
                  for h in (c[:len(c) // 2], c[len(c) // 2:])]
        r.shuffle(halves)
        for side in "ab":
            os.mkdir(os.path.join(folder, side))
        for i in range(10):
            real_run(r, os.path.join(folder, "a", "%d" % i), halves.pop())
        for k in range(1, 11):
            real_run(r, os.path.join(folder, "b", "%d" % k), halves.pop(), add)
            if k < 3:
                continue
            status = diff(folder, "--gate", "+2%", "--rounds",
                          "3-10").returncode
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
    "folded, 10,000 : 10,000, +5": (one_file(10000, 10000, .05), -.8),
    "3 : 3 files of 2,000": (same_files(3, 3, 2000, .0), .05),
    "3 : 3 files of 10,000, spread 0.9": (same_files(3, 3, 10000, .009), .05),
    "3 : 9 files of 2,000, spread 0.9": (same_files(3, 9, 2000, .009), .05),
    "2 : 2 files of 2,000, spread 0.9": (same_files(2, 2, 2000, .009), .05),
    "2 : 2 files of 10,000, spread 0.9": (same_files(2, 2, 10000, .009), .05),
    "1 : 3 files of 10,000, spread 0.9": (same_files(1, 3, 10000, .009), .05),
    "3 : 3 files of 2,000, spread 0.9, gate +2, +0":
        (same_files(3, 3, 2000, .009, fires), .02),
    "trace, 500 captures": (one_trace(500, 500, 1), .05),
    "trace, 500 captures, change each 20": (one_trace(500, 500, 20), .05),
    "trace, 500 captures, change each 100": (one_trace(500, 500, 100), .05),
    "trace, 1,500 captures, change each 100": (one_trace(1500, 1500, 100), .05),
    "trace, 6,000 captures, change each 100": (one_trace(6000, 6000, 100), .05),
    "trace, 60 captures, change each 5": (one_trace(60, 60, 5), .05),
    "trace, 500 : 4,000 captures, change each 5":
        (one_trace(500, 4000, 5), .05),
    "trace, 6,000 captures, change each 5, +8":
        (one_trace(6000, 6000, 5, .08), -.8),
    "gate in rounds, +0": (rounds(0, .0), .05),
    "gate in rounds, +2, the limit itself": (rounds(.02, .003), .05),
    "gate in rounds, +4": (rounds(.04, .0), -.8),
    "gate in rounds, +4, spread 0.3": (rounds(.04, .003), -.8),
    "gate in rounds, +8, spread 0.3": (rounds(.08, .003), -.99),
    "3 : 3 files of 2,000, spread 0.9, +10": (changed(3, 2000, .009, .1), -.8),
    "3 : 3 files of 2,000, spread 0.9, +4": (changed(3, 2000, .009, .04), -.4),
    "5 : 5 files of 2,000, spread 0.9, +4": (changed(5, 2000, .009, .04), -.9),
    "3 : 3 files of 2,000, spread 0.9, new 1.5":
        (changed(3, 2000, .009, 0, 30), -.9),
    "3 : 3 files, 60 samples of one run": (burst(3, 60), .05),
    "6 : 6 files, 60 samples of one run": (burst(6, 60), .05),
    "6 : 6 files, 60 samples of one run, costs":
        (burst(6, 60, "--work", "1000,1000", "--gate", "new=x1.1"), .05),
    "3 : 3 files, 60 samples of one run, costs":
        (burst(3, 60, "--work", "1000,1000", "--gate", "new=x1.1"), .05),
    "3 : 3 files, costs": (cost(3, .009, 1), .05),
    "3 : 3 files, costs, x1.3": (cost(3, .009, 1.3), -.8),
    "same boot, pairs of one trace a side": (real_pair, .0455),
    "same boot, 3 : 3": (real_files(3), .05),
    "same boot, 6 : 6": (real_files(6), .05),
    "same boot, 3 : 3, gate +2, +0": (real_files(3, 0, fires), .02),
    "same boot, 3 : 3, new 3": (real_files(3, .03), -.8),
    "same boot, gate in rounds, new 10": (real_rounds(.1), -.8),
}
for k, j in (3, 9), (2, 9), (3, 3):
    for s, t in (1, .5), (2, .2):
        SHAPES["%d : %d files of 10,000, spread %g : %g" % (k, j, s, t)] = (
            same_files(k, j, 10000, (s / 100, t / 100)), .05)
for k in 100, 400, 1000, 3000:
    for s in .9, 3, 9:
        SHAPES["trace, 6,000 captures, drift of %g each %d" % (s, k)] = (
            one_trace(6000, 6000, 1, None, k, s / 100), .05)
SHAPES["trace, 6,000 captures, drift of 3 each 400, gate +2"] = (
    one_trace(6000, 6000, 1, None, 400, .03, fires), .02)
PAIRS = list(itertools.combinations(range(12), 2))


def tail(k, n, p):
    """The probability of k or more of n."""
    return sum(math.comb(n, i) * p ** i * (1 - p) ** (n - i)
               for i in range(k, n + 1))


def one(job):
    name, seed, compare = job
    r = random.Random("%s %d" % (name, seed))
    r.pair = PAIRS[seed % len(PAIRS)]
    alarm.with_gate = seed % 2
    with tempfile.TemporaryDirectory() as folder:
        run = SHAPES[name][0]
        return run(r, folder), \
            peer(folder, getattr(run, "row", None)) if compare else None


def main():
    args, n, compare = sys.argv[1:], 200, False
    while args[:1] in (["-n"], ["-m"]):
        if args[0] == "-n":
            n = int(args.pop(1))
        compare |= args.pop(0) == "-m"
    bad = 0
    jobs = int(os.environ.get("JOBS", os.cpu_count()))
    with multiprocessing.Pool(jobs) as pool:
        for name in args or SHAPES:
            run, rate = SHAPES[name]
            times = len(PAIRS) if run is real_pair else n
            got = list(pool.imap_unordered(
                one, ((name, i, compare) for i in range(times))))
            found = sum(g[0] for g in got)
            other = [g[1] for g in got if g[1] is not None]
            low = tail(found, times, rate) if rate > 0 else \
                tail(times - found, times, 1 + rate)
            wrong = low < .001 or run is real_pair and found > 3
            bad += wrong
            print("%-51s %4d of %d%s%s" % (
                name, found, times,
                ", Mann-Whitney %d" % sum(other) if other else "",
                ", WRONG: %s %g %%" % ("at most" if rate > 0 else "at least",
                                       100 * abs(rate)) if wrong else ""),
                  flush=True)
    sys.exit(bad > 0)


main()
