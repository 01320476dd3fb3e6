# SPDX-License-Identifier: ISC
"""A proxy between a gdb client and QEMU's stub that holds the client's
`vCont;c` back, so that others can look at the guest at the same moment."""
import bisect
import os
import re
import select
import socket
import subprocess
import tempfile
import threading
import time

GO = b"$vCont;c#a8"


def checksum(data):
    return b"$" + data + b"#%02x" % (sum(data) & 255)


class Stub:
    """Our side of the connection to QEMU, while the guest stands still."""

    def __init__(self, sock):
        self.sock = sock
        self.buf = b""
        self.pages = {}

    def ask(self, text):
        self.sock.sendall(checksum(text.encode()))
        while True:
            start = self.buf.find(b"$")
            end = self.buf.find(b"#", start)
            if start >= 0 and end >= 0 and len(self.buf) >= end + 3:
                reply = self.buf[start + 1:end]
                self.buf = self.buf[end + 3:]
                return reply.decode("latin-1")
            self.buf += self.sock.recv(65536)

    def settle(self):
        """Forgets acknowledgements and memory of the last moment."""
        while select.select([self.sock], [], [], 0.01)[0]:
            self.sock.recv(65536)
        self.buf = b""
        self.pages = {}

    def threads(self):
        ids, reply = [], self.ask("qfThreadInfo")
        while reply.startswith("m"):
            ids += reply[1:].split(",")
            reply = self.ask("qsThreadInfo")
        return ids

    def registers(self, thread):
        self.ask("Hg" + thread)
        return bytes.fromhex(self.ask("g"))

    def word(self, thread, addr):
        """A word of the thread's memory, None if there is none."""
        key = thread, addr & ~7
        if key not in self.pages:
            self.ask("Hg" + thread)
            reply = self.ask(f"m{addr & ~7:x},200")
            if len(reply) != 0x400:
                reply = self.ask(f"m{addr & ~7:x},8")
            data = b"" if reply.startswith("E") else bytes.fromhex(reply)
            for i in range(0, len(data), 8):
                self.pages[thread, (addr & ~7) + i] = int.from_bytes(
                    data[i:i + 8], "little")
            self.pages.setdefault(key, None)
        if addr & 7:
            return None
        return self.pages[key]


def listen(path):
    if os.path.exists(path):
        os.unlink(path)
    s = socket.socket(socket.AF_UNIX)
    s.bind(path)
    s.listen(1)
    return s


def serve(stub_path, own_path, moment, started=None):
    """Serves one client; moment(Stub) is called at each hold. Returns when
    the client has gone."""
    server = listen(own_path)
    if started:
        started()
    client = server.accept()[0]
    qemu = socket.socket(socket.AF_UNIX)
    qemu.connect(stub_path)
    stub, running = Stub(qemu), False
    while True:
        for s in select.select([client, qemu], [], [])[0]:
            data = s.recv(65536)
            if not data:
                server.close()
                if s is client:
                    # Whatever comes to a running guest stops it.
                    if not running:
                        qemu.sendall(GO)
                    qemu.close()
                return
            if s is qemu:
                client.sendall(data)
                continue
            before, go, after = data.partition(GO)
            running = go or b"$D" in data or (running and b"\3" not in data)
            qemu.sendall(before)
            if not go:
                continue
            while select.select([qemu], [], [], 0.02)[0]:
                client.sendall(qemu.recv(65536))
            moment(stub)
            stub.settle()
            qemu.sendall(GO + after)


def pair(text, seen):
    """Samples of trace text with what was seen at the last moment of each, a
    list of (ns, what): a stack that is deeper than at any time before makes
    kst-capture take the sample twice."""
    parts = text.split("\n[kst-capture seq=")[1:]
    begin = [int(s) * 10**9 + int(ns) for s, ns in (
        re.search(r" time=(\d+)\.(\d+)", p).groups() for p in parts)]
    times = [t for t, _ in seen]
    at = [bisect.bisect_left(times, t) - 1
          for t in begin[1:] + [times[-1] + 1]]
    assert all(times[i] >= t for i, t in zip(at, begin)), "a moment is missing"
    return [(p, seen[i][1]) for p, i in zip(parts, at)]


def capture(command, stub_path, look):
    """Runs kst-capture, told to connect by -r, and look(Stub) at each moment
    at which it has the guest stand still. Returns [(trace text, look's)]."""
    seen, ready = [], threading.Event()
    path = tempfile.mktemp(prefix="kst-hold.")
    t = threading.Thread(
        target=serve, args=(
            stub_path, path,
            lambda stub: seen.append((time.time_ns(), look(stub))), ready.set))
    t.start()
    ready.wait()
    out = subprocess.run([*command, "-q", "-b", "rsp", "-r", path],
                         stdout=subprocess.PIPE, check=True).stdout.decode()
    t.join()
    return pair(out, seen)


def moments(command, stub_path, look, samples, one_shots):
    """Those of one capture of many samples, and of many of one."""
    found = capture([*command, "-i", "0.05", "-n", str(samples)], stub_path,
                    look) if samples else []
    for _ in range(one_shots):
        found += capture([*command, "--one-shot"], stub_path, look)
    return found
