# SPDX-License-Identifier: ISC
"""Linux' ORC tables, walked as arch/x86/kernel/unwind_orc.c does: the judge
of kst-capture's stacks on x86_64. Shares nothing with kst's own reader."""
import bisect
import re
import struct
import subprocess

PT_REGS = ("r15 r14 r13 r12 bp bx r11 r10 r9 r8 ax cx dx si di orig_ax "
           "ip cs flags sp ss").split()
MASK = (1 << 64) - 1
# The registers of an entry by their numbers; *: the word there.
OLD = "- prev dx di bp sp r10 r13 *bp *sp - - - - - -"
NEW = "- ax dx sp bp di r10 r13 prev *sp *bp - - - - -"


def sections(path):
    """Name -> (address, bytes) of an ELF file's sections named .orc*."""
    with open(path, "rb") as f:
        head = f.read(64)
        shoff, = struct.unpack_from("<Q", head, 40)
        entsize, count, names = struct.unpack_from("<HHH", head, 58)
        f.seek(shoff)
        table = f.read(entsize * count)
        rows = [struct.unpack_from("<IIQQQQ", table, entsize * i)
                for i in range(count)]
        f.seek(rows[names][4])
        text = f.read(rows[names][5])
        found = {}
        for name, _, _, addr, offset, size in rows:
            s = text[name:text.index(b"\0", name)].decode()
            if s.startswith(".orc"):
                f.seek(offset)
                found[s] = (addr, f.read(size))
        return found


def thunks(path):
    """Retpolines, which ORC leaves out: at their first instruction the return
    address is at the stack pointer, as in any function."""
    names = subprocess.run(["nm", path], stdout=subprocess.PIPE,
                           check=True).stdout.decode()
    return {int(a, 16) for a in re.findall(
        r"^(\w+) \w __x86_indirect_thunk_", names, re.M)}


class Unknown(Exception):
    """The walk cannot go on; the message says why."""


class Orc:
    """The tables of a vmlinux, and of modules at their places."""

    def __init__(self, *paths):
        rows, self.thunks = [], thunks(paths[0])
        for path in reversed(paths):
            s = sections(path)
            base, ips = s[".orc_unwind_ip"]
            entries = s[".orc_unwind"][1]
            self.newest = ".orc_header" in s
            rows += [(base + 4 * i + struct.unpack_from("<i", ips, 4 * i)[0],
                      struct.unpack_from("<hhH", entries, 6 * i))
                     for i in range(len(ips) // 4)]
        rows.sort()
        self.addrs = [r[0] for r in rows]
        self.rows = [r[1] for r in rows]
        # The stack pointer, 8 above which is most functions' CFA, was number
        # 5 up to Linux 7.1, and is 3 since then.
        first = [bits & 15 for _, (sp_off, _, bits) in rows if sp_off == 8]
        self.sp = max(set(first), key=first.count)
        self.names = (OLD if self.sp == 5 else NEW).split()

    def find(self, ip):
        i = bisect.bisect_right(self.addrs, ip) - 1
        if i < 0:
            raise Unknown(f"no entry for {ip:#x}")
        sp_off, bp_off, bits = self.rows[i]
        sp, bp = bits & 15, bits >> 4 & 15
        if self.newest:
            kind = ["undefined", "end", "call", "regs", "iret"][bits >> 8 & 7]
            signal = bool(bits & 0x800)
        else:
            kind = ["call", "regs", "iret"][bits >> 8 & 3]
            signal = kind != "call"
            if sp == 0:
                kind = "end" if bits & 0x400 else "undefined"
        return sp, bp, sp_off, bp_off, kind, signal

    def walk(self, regs, read):
        """regs: a dict by PT_REGS' names; read(addr) -> word or Unknown.
        Returns ([(pc, exact)], end)."""
        regs = dict(regs)
        frames, exact = [(regs["ip"], True)], True
        if not regs["ip"] >> 63:
            return frames, "user"
        try:
            while len(frames) < 1000:
                exact = self.step(regs, read, exact)
                if exact is None:
                    return frames, "end"
                if regs["cs"] & 3:
                    return frames, "user"
                frames.append((regs["ip"], exact))
        except Unknown as e:
            return frames, f"lost: {e}"
        return frames, "lost: too deep"

    def step(self, regs, read, exact):
        """The caller's registers; whether it was interrupted, None: none."""
        ip = regs["ip"] - (not exact)
        sp_reg, bp_reg, sp_off, bp_off, kind, signal = self.find(ip)
        if kind == "end":
            return None
        if kind == "undefined" and exact and ip in self.thunks:
            regs["ip"] = read(regs["sp"])
            regs["sp"] += 8
            return False
        if kind == "undefined":
            raise Unknown(f"undefined at {ip:#x}")
        name, bp_name = self.names[sp_reg], self.names[bp_reg]
        sp = regs.get(name.lstrip("*"))
        if sp is None:
            raise Unknown(f"no {name} at {ip:#x}")
        if name in ("bp", "sp"):
            sp += sp_off
        elif name == "*bp":
            sp = read((sp + sp_off) & MASK)
        elif name == "*sp":
            sp = read(sp) + sp_off
        sp &= MASK
        old_bp = regs["bp"]
        if kind == "call":
            regs["ip"] = read(sp - 8)
            regs["sp"] = sp
            for r in ("ax", "dx", "di", "r10", "r13"):
                regs[r] = None
        elif kind == "regs":
            for i, r in enumerate(PT_REGS):
                regs[r] = read(sp + 8 * i)
        else:
            for i, r in enumerate(PT_REGS[16:]):
                regs[r] = read(sp + 8 * i)
            for r in ("ax", "dx", "di", "r10", "r13"):
                regs[r] = None
        if bp_name == "prev":
            regs["bp"] = read((sp + bp_off) & MASK)
        elif bp_name == "bp":
            regs["bp"] = read((old_bp + bp_off) & MASK)
        return signal
