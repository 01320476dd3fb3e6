# SPDX-License-Identifier: ISC
"""What a capture took from a guest's clock, and what it says of it.

lost.py QMP COMMAND... runs the command while it watches the guest's real-time
clock through the monitor's socket; QEMU must have `-rtc clock=vm`. It prints the
seconds that the clock lost, beside those of attaching, the sum of stops that the
end of the output has, how many stops there were, how kst-capture knows, and the
seconds that it was on a processor, beside those of a capture of one sample:
`LOST SAID STOPS BY CPU MEDIAN`, the last of which is that of a stop as said. Of
another command only LOST and STOPS are known.
"""
import calendar
import json
import re
import resource
import socket
import subprocess
import sys
import time

monitor = socket.socket(socket.AF_UNIX)
monitor.connect(sys.argv[1])
lines = monitor.makefile("rw")
stops, stood = [], None


def take():
    global stood
    while True:
        answer = json.loads(lines.readline())
        if answer.get("event") not in ("STOP", "RESUME"):
            return answer
        at = answer["timestamp"]
        at = at["seconds"] + at["microseconds"] / 1e6
        if answer["event"] == "STOP":
            stood = at
        elif stood is not None:
            stops.append(at - stood)


def ask(command, **args):
    lines.write(json.dumps({"execute": command, "arguments": args}) + "\n")
    lines.flush()
    answer = take()
    while "return" not in answer:
        answer = take()
    return answer["return"]


def clock():
    t = ask("qom-get", path="/machine", property="rtc-time")
    return calendar.timegm((t["tm_year"] + 1900, t["tm_mon"] + 1, t["tm_mday"],
                            t["tm_hour"], t["tm_min"], t["tm_sec"]))


def tick():
    """Host and guest when the guest's clock goes on by a second, to 2 ms or as
    well as a busy machine lets it be seen in ten seconds."""
    best = None
    begin, before = time.time(), clock()
    for _ in range(10):
        now = before
        while now == before:
            last = begin
            time.sleep(0.0005)
            begin = time.time()
            now = clock()
        end, before = time.time(), now
        if best is None or end - last < best[0]:
            best = end - last, (end + last) / 2, now
        if best[0] < 0.004:
            break
    return best[1:]


def run(command):
    """Its last line, and the seconds that it was on a processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (out.decode(errors="replace").rstrip().rsplit("\n", 1)[-1],
            after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


command = sys.argv[2:]
own = command[0] == "kst-capture"
take()
ask("qmp_capabilities")
begin = run(command + ["-n", "1"])[1] if own else 0
host, guest = tick()
stops.clear()
last, cpu = run(command)
host2, guest2 = tick()
said = re.search(r" stop-sum-ns=(\d+) ", last)
by = re.search(r" stop-by=(\w+)", last)
median = re.search(r" stop-median-ns=(\d+)", last)
# It stops a guest to attach, and to look whether the kernel is there.
more = stops[:2] if own else []
lost = host2 - host - (guest2 - guest) - sum(more)
print("%.3f %.3f %d %s %.3f %.6f" % (
    lost, int(said[1]) / 1e9 if said else 0, len(stops) - len(more),
    by[1] if by else "-", cpu - begin, int(median[1]) / 1e9 if median else 0))
