#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""A tracefile of OSv's with threads that wait, lock, open files and are woken
on CPUs that become idle, random but the same for a seed:

	osv-tracefile.py SEED RECORDS [moving] [late] >tracefile

Each CPU and each pair of tracepoints shows first without a backtrace, from
which trace.py learns which tracepoints have ends. With `moving`, threads come
back on other CPUs than they waited on; with `late`, no pair is shown first and
a CPU's first record comes late.
"""
import random
import struct
import sys

POINTS = [("sched_wait", "", ""), ("sched_wait_ret", "", ""),
	  ("mutex_lock_wait", "P", "%p"), ("mutex_lock_wake", "P", "%p"),
	  ("vfs_open", "50pIi", '"%s" 0x%x 0%0o'), ("vfs_open_ret", "i", "%d"),
	  ("vfs_open_err", "i", "%d"), ("sched_idle", "", ""),
	  ("sched_idle_ret", "", ""), ("sched_wake", "P", "wake %p"),
	  ("sched_load", "Q", "load=%d"), ("memory_malloc", "PI", "buf=%p, len=%d")]
KEY = {p[0]: 0x1000 + i for i, p in enumerate(POINTS)}
CPUS = 3


class Thread:
	def __init__(self, n):
		self.name = "worker" if n % 3 == 0 else "thread%d" % n
		self.ptr = 0xffff800000100000 + n * 0x1040
		self.cpu = n % CPUS
		self.open = []


class File:
	def __init__(self, out, seed, flags):
		self.out, self.flags, self.now = out, flags, 1000000
		self.random = random.Random(seed).random  # alike in all Pythons
		self.threads = [Thread(i) for i in range(11)]
		self.idle_threads = [Thread(100 + i) for i in range(CPUS)]
		for i, t in enumerate(self.idle_threads):
			t.name, t.cpu = "idle%d" % i, i
		self.idle = [False] * CPUS

	def below(self, n):
		return int(self.random() * n)

	def choice(self, of):
		return of[self.below(len(of))]

	def head(self):
		self.out.write(struct.pack("<iQ", 3, len(POINTS)))
		for name, sig, form in POINTS:
			self.out.write(struct.pack("<Q", KEY[name]))
			for s in (name, sig, form):
				self.out.write(struct.pack("<H", len(s)) + s.encode())

	def record(self, t, name, args=b"", frames=None):
		self.now += 1 + self.below(5000)
		if frames is None:
			n = 2 + self.below(4)
			frames = [0x40100000 + self.below(3) * 0x1000 +
				  (n - i) * 16 for i in range(n)] + [0x40000100]
		self.out.write(struct.pack("<QQ16sQI", KEY[name], t.ptr,
			t.name.encode(), self.now, t.cpu))
		for f in frames + [0]:
			self.out.write(struct.pack("<Q", f))
		self.out.write(args)

	def begin(self, t, name):
		args = b""
		if name == "mutex_lock_wait":
			args = struct.pack("<Q", 0xffff800000aa1230)
		elif name == "vfs_open":
			args = struct.pack("<50p2xIi", b"/etc/fstab", 0x8000, 0o644)
		t.open.append(name)
		self.record(t, name, args)

	def end(self, t, frames=None):
		name = t.open.pop()
		if name == "sched_wait":
			if "moving" in self.flags and self.random() < .2:
				t.cpu = self.below(CPUS)
			self.record(t, "sched_wait_ret", b"", frames)
		elif name == "mutex_lock_wait":
			self.record(t, "mutex_lock_wake",
				    struct.pack("<Q", 0xffff800000aa1230), frames)
		else:
			self.record(t, "vfs_open" + self.choice(["_ret", "_err"]),
				    struct.pack("<i", 2), frames)

	def learn(self):
		for t in self.threads[:CPUS]:
			self.record(t, "memory_malloc",
				    struct.pack("<QI", 0x2000, 64), [])
		t = self.threads[0]
		for name in ("sched_wait_ret", "vfs_open_ret"):
			self.record(t, name, struct.pack("<i", 0)
				    if name == "vfs_open_ret" else b"", [])

	def cpu_step(self, cpu):
		"""The CPU becomes idle, or busy again."""
		t = self.idle_threads[cpu]
		self.record(t, "sched_idle_ret" if self.idle[cpu] else "sched_idle")
		self.idle[cpu] = not self.idle[cpu]

	def step(self):
		t = self.choice(self.threads)
		choice = self.random()
		if choice < .25:
			self.cpu_step(self.below(CPUS))
			return
		if choice < .35:
			self.record(t, "sched_load",
				    struct.pack("<Q", self.below(5)))
			return
		if t.open and t.open[-1] == "sched_wait":
			waker = self.choice(self.threads)
			if choice < .6:
				self.record(waker, "sched_wake",
					    struct.pack("<Q", t.ptr))
			elif not self.idle[t.cpu]:
				self.end(t)
			return
		if t.open and choice < .6:
			self.end(t)
			return
		free = [n for n in ("sched_wait", "mutex_lock_wait", "vfs_open")
			if n not in t.open]
		self.begin(t, self.choice(free))


def main():
	f = File(sys.stdout.buffer, int(sys.argv[1]), sys.argv[3:])
	f.head()
	if "late" in f.flags:
		for t in f.threads:
			t.cpu = min(t.cpu, CPUS - 2)
	else:
		f.learn()
	for i in range(int(sys.argv[2])):
		if "late" in f.flags and i == int(sys.argv[2]) // 2:
			for n, t in enumerate(f.threads):
				t.cpu = n % CPUS
		f.step()


main()
