#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""A gdb stub for tests: stub.py KIND SOCKET ELF PC...

One CPU for each program counter, with the memory of the ELF file and a stack
of zeros; with 0 its registers cannot be read. Listens on the Unix socket, ends after
600 seconds. Prints "running" or "halted" when that changes, and "violation: ..." for what a stub of its kind
cannot be told.

gdbstub   like Rust's gdbstub crate: a target description without registers,
          acknowledgements until QStartNoAckMode, deaf while it runs
openocd   one core, no threads, no vCont, acknowledgements for ever
vctrlc    like gdbstub, but stopped by the packet vCtrlC alone
qemu      like QEMU 7.2's. A program counter in the lower half is user mode,
          from which the kernel's memory cannot be read. With SLIDE=HEX in
          the environment the ELF file is so much higher in memory; with
          MAPPED="FILE@HEX ..." these files are there, too, and the kernel's
          memory can be read from user mode; with LATE=N the N-th answer to
          `m` comes with the one after it; with ENDLESS set its list of CPUs
          goes on for ever; with DIES=N it is killed at the N-th `g`, and
          takes one more connection while it ends; with ENDS=N the guest is
          shut down at the N-th stop; with HOSTILE=N it answers
          the N-th `g` with what tests/faults/hook.c waits for, with 0 it
          begins so
"""
import os, signal, socket, struct, sys

kind, path, elf = sys.argv[1:4]
signal.alarm(600)
SLIDE = int(os.environ.get('SLIDE', '0'), 16)
MAPPED = os.environ.get('MAPPED', '')
late = int(os.environ.get('LATE', '0'))
ENDLESS = 'ENDLESS' in os.environ
dies = int(os.environ.get('DIES', '0'))
ends = int(os.environ.get('ENDS', '0'))
hostile = int(os.environ.get('HOSTILE', '-1'))
loads = []


def load(path, bias):
    image = open(path, 'rb').read()
    phoff, = struct.unpack_from('<Q', image, 32)
    phsize, phnum = struct.unpack_from('<HH', image, 54)
    for i in range(phnum):
        t, _, off, va, _, n = struct.unpack_from('<IIQQQQ', image,
                                                 phoff + i * phsize)
        if t == 1:
            loads.append((va + bias, image[off:off + n]))


load(elf, SLIDE)
for name, at in (m.split('@') for m in MAPPED.split()):
    load(name, int(at, 16))


class Cpu:
    def __init__(self, pc):
        # "PC,PC" changes at each stop.
        self.pcs = [int(p, 16) for p in pc.split(',')]

    def next(self):
        self.pc = self.pcs[0]
        if len(self.pcs) > 1:
            self.pcs.pop(0)


cpus = [Cpu(p) for p in sys.argv[4:]]
STACK = 0x7000


def state(text):
    print(text, flush=True)


def memory(cpu, addr, n):
    if STACK <= addr < STACK + 0x4000:
        return bytes(n)
    if kind == 'qemu' and cpu.pc < 1 << 63 and not MAPPED:
        return None
    for va, data in loads:
        if va <= addr and addr + n <= va + len(data):
            return data[addr - va:addr - va + n]
        if not MAPPED and va <= addr + SLIDE < va + len(data):
            state('violation: read where the kernel is not, perhaps a device')
    return None


def registers(cpu):
    r = [0] * 17
    r[7], r[16] = STACK, cpu.pc
    return (struct.pack('<17Q', *r) + bytes(28)).hex()


REGS = ('rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip'
        .split())
XML = '<target version="1.0"><architecture>i386:x86-64</architecture>'
if kind == 'qemu':
    XML += ''.join('<reg name="%s" bitsize="64"/>' % r for r in REGS)
XML += '</target>'
FEATURES = {
    'gdbstub': 'PacketSize=1000;vContSupported+;multiprocess+;'
               'QStartNoAckMode+;swbreak+;qXfer:features:read+',
    'openocd': 'PacketSize=4000;qXfer:memory-map:read-;'
               'qXfer:features:read+;qXfer:threads:read-',
    'qemu': 'PacketSize=1000;qXfer:features:read+;vContSupported+;'
            'multiprocess+',
}['gdbstub' if kind == 'vctrlc' else kind]


class Client:
    def __init__(self, conn):
        self.conn, self.cpu, self.acks, self.last = conn, cpus[0], True, b''
        self.queue, self.held = b'', b''

    def byte(self):
        if not self.queue:
            self.queue = self.conn.recv(65536)
            if not self.queue:
                raise EOFError
        b, self.queue = self.queue[:1], self.queue[1:]
        return b

    def send(self, data):
        try:
            self.conn.sendall(data)
        except ConnectionError:
            # QEMU loses what it cannot write, and reads what has come.
            if kind != 'qemu':
                raise

    def reply(self, text):
        data = text.encode()
        self.last = b'$' + data + b'#%02x' % (sum(data) % 256)
        self.send(self.held + self.last)
        self.held = b''

    def halt(self, report):
        global running, ends
        if running:
            ends -= 1
            if ends == 0:
                self.reply('W00')
                raise EOFError
            for c in cpus:
                c.next()
            running = False
            state('halted')
            if report:
                self.reply('T02thread:01;' if kind == 'qemu' else 'S02')

    def go(self):
        global running
        running = True
        self.last = b''
        state('running')

    def command(self, c):
        if c.startswith('qSupported'):
            self.reply(FEATURES)
        elif c == 'qqemu.sstepbits' and kind == 'qemu':
            self.reply('ENABLE=1,NOIRQ=2,NOTIMER=4')
        elif c == 'QStartNoAckMode' and kind in ('gdbstub', 'vctrlc'):
            self.reply('OK')
            self.acks = False
        elif c == '?':
            self.reply('S05')
        elif c == 'vCont?' and kind != 'openocd':
            self.reply('vCont;c;C;s;S')
        elif c[1:] in ('fThreadInfo', 'sThreadInfo') and ENDLESS:
            self.reply('m' + '1,' * 250000)
        elif c == 'qfThreadInfo':
            self.reply('l' if kind == 'openocd' else 'm' + ','.join(
                '%02x' % (i + 1) for i in range(len(cpus))))
        elif c == 'qsThreadInfo':
            self.reply('l')
        elif c.startswith('qThreadExtraInfo') and kind == 'qemu':
            self.reply(b'CPU#0 [running]'.hex())
        elif c.startswith('qRcmd'):
            if kind != 'qemu':
                state('violation: ' + c)
            self.reply('')
        elif c.startswith('qXfer:features:read:target.xml:'):
            off = int(c.split(':')[-1].split(',')[0], 16)
            self.reply('l' + XML[off:])
        elif c.startswith('Hg') and kind != 'openocd':
            n = int(c[2:], 16)
            if n > 0:
                self.cpu = cpus[n - 1]
            self.reply('OK')
        elif c == 'g':
            global dies, hostile
            dies -= 1
            hostile -= 1
            if dies == 0:
                raise EOFError
            if hostile == 0:
                self.send(b'hook;hostile')
            self.reply(registers(self.cpu) if self.cpu.pc else 'E01')
        elif c[0] == 'm':
            addr, n = (int(x, 16) for x in c[1:].split(','))
            data = memory(self.cpu, addr, n)
            global late
            late -= 1
            if late == 0:
                self.held = b'$E14#aa'
            else:
                self.reply('E14' if data is None else data.hex())
        elif c == 'vCont;c' and kind != 'openocd' or c == 'c':
            self.go()
        elif c == 'vCtrlC' and kind == 'vctrlc':
            self.reply('OK')
            self.halt(True)
        elif c[0] == 'D':
            self.go()  # said before the client, who waits for OK, can end
            self.reply('OK')
            self.last = b''
        else:
            self.reply('')

    def serve(self):
        if hostile == 0:
            self.send(b'hook;hostile')
        self.halt(kind == 'qemu')
        while True:
            b = self.byte()
            if running and kind == 'vctrlc':
                if b == b'\x03':
                    continue
            elif running:
                if b == b'\x03' or kind == 'qemu':
                    self.halt(True)
                else:
                    state('violation: %r while it runs' % b)
                continue
            if b == b'-' or (b == b'$' and self.acks and self.last and
                             kind != 'qemu'):
                state('violation: no acknowledgement')
                self.send(self.last)
            if b == b'+':
                self.last = b''
            if b != b'$':
                continue
            text = b''
            while (b := self.byte()) != b'#':
                text += b
            if (self.byte() + self.byte()) != b'%02x' % (sum(text) % 256):
                self.send(b'-')
                continue
            if self.acks:
                self.send(b'+')
            self.last = b''
            if running and text != b'vCtrlC':
                state('violation: %r while it runs' % text)
                continue
            self.command(text.decode())


running = True
listener = socket.socket(socket.AF_UNIX)
listener.bind(path + '~')
listener.listen()
os.rename(path + '~', path)  # who sees it can connect
state('running')
while True:
    conn, _ = listener.accept()
    try:
        Client(conn).serve()
    except (EOFError, ConnectionError):
        conn.close()
    if dies == 0 and 'DIES' in os.environ:
        listener.accept()[0].close()
        sys.exit()
