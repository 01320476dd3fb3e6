#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Writes an initramfs with a program in it, /init, a console, and files.

usage: initrd.py PROGRAM [FILE...] >INITRD"""
import os
import sys


def entry(name, mode, data=b"", rdev=(0, 0)):
    name = name.encode() + b"\0"
    words = [0, mode, 0, 0, 1, 0, len(data), 0, 0, *rdev, len(name), 0]
    head = b"070701" + b"".join(b"%08x" % w for w in words) + name
    head += b"\0" * (-len(head) % 4)
    return head + data + b"\0" * (-len(data) % 4)


files = b""
for i, path in enumerate(sys.argv[1:]):
    with open(path, "rb") as f:
        files += entry("init" if i == 0 else os.path.basename(path), 0o100755,
                       f.read())
sys.stdout.buffer.write(
    files + entry("dev", 0o40755)
    + entry("dev/console", 0o20600, rdev=(5, 1)) + entry("TRAILER!!!", 0))
