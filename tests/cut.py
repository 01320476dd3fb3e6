#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Something between kst-capture and QEMU that breaks: passes connections on, and
cuts one of them when so many bytes have come from QEMU, which it prints: "cut". On the
next one a text comes first, as if the cut one were still to get it; or it is slow, if
the text is a number of seconds.

usage: cut.py LISTEN TARGET CONNECTION BYTES [TEXT|SECONDS]"""
import os
import select
import socket
import sys
import time

listen, target, number, left = *sys.argv[1:3], *map(int, sys.argv[3:5])
late = ''.join(sys.argv[5:])
server = socket.socket(socket.AF_UNIX)
server.bind(listen + '~')
server.listen(5)
os.rename(listen + '~', listen)  # who sees it can connect
peer, cut = {}, None


def close(s):
    for one in s, peer.pop(s):
        peer.pop(one, None)
        one.close()


while True:
    for s in select.select([server, *peer], [], [])[0]:
        if s is server:
            client, qemu = server.accept()[0], socket.socket(socket.AF_UNIX)
            qemu.connect(target)
            peer.update({client: qemu, qemu: client})
            number -= 1
            cut = cut if number else qemu
            if number == -1 and late.isdigit():
                time.sleep(int(late))
            elif number == -1:
                client.sendall(late.encode())
        elif s in peer:
            try:
                data = s.recv(4096)
                if s is cut:
                    data, left = data[:left], left - len(data)
                if data:
                    peer[s].sendall(data)
            except ConnectionError:  # it has gone meanwhile
                data = None
            if s is cut and left <= 0:
                print('cut', flush=True)
            if not data or s is cut and left <= 0:
                close(s)
