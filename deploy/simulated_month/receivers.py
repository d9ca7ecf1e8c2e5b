"""The receivers of the month's scans: two webhooks, a till on a serial line, a belt on TCP and a desk at a keyboard. Each writes down
what arrives, whether it took it, and whether the station could know; each misbehaves while its `mode` says so."""
import asyncio
import json
import os
import pty
import random
import socket
import struct
import tty

STX, ETX, ACK = 2, 3, 6
# An answer that takes longer, in seconds, may come too late: the station waits for 5 s.
TIMELY = 4.5


class WebReceiver:
    """A server of HTTP that takes scans. Modes: away, slow, refusing (503), rejecting (500 for some scans), lying."""

    def __init__(self, name, port, record, seed):
        self.name, self.port, self.record = name, port, record
        self.draw = random.Random(f"{name} {seed}")
        self.mode, self.server, self.writers = "", None, set()

    async def open(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", self.port)

    def close(self):
        self.server.close()
        for writer in list(self.writers):
            writer.transport.abort()

    async def become(self, mode):
        if "away" in (mode, self.mode) and mode != self.mode:
            if mode == "away":
                self.close()
            else:
                await self.open()
        self.mode = mode

    async def serve(self, reader, writer):
        self.writers.add(writer)
        try:
            while await self.answer(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self.writers.discard(writer)
            writer.close()

    async def answer(self, reader, writer):
        """Takes a request; whether the connection goes on."""
        header = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(header.split("content-length:")[1].split("\r\n")[0])
        scan = json.loads(await reader.readexactly(length))
        status, took, wait, tells = 200, True, 0, True
        if self.mode == "slow":
            wait = self.draw.uniform(0.5, 10)
        elif self.mode == "refusing":
            status, took = 503, False
        elif self.mode == "rejecting" and int(scan["id"][-1], 16) % 2:
            status, took = 500, False
        elif self.mode == "lying":
            tells = self.draw.random() < 0.5
        told = tells and wait < TIMELY and not writer.transport.is_closing()
        self.record.write("arrival", sink=self.name, took=took, told=told and status == 200, status=status, **brief(scan))
        await asyncio.sleep(wait)
        if not tells:
            return False
        writer.write(b"HTTP/1.1 %d Answer\r\nContent-Length: 0\r\n\r\n" % status)
        await writer.drain()
        return True


def brief(scan):
    """What the judge needs of a scan's record."""
    return {
        "id": scan["id"], "text": scan["text"], "sequence": scan["sequence"], "bootId": scan["bootId"],
        "captured": scan["capturedBootNanoseconds"] / 1e9,
    }


class FrameHost:
    """A host that takes frames of STX, a digit, the scan's id, a space, its text and ETX, and answers with ACK and the digit. Modes:
    away, silent, lying (takes, and may not answer), late (answers after the station's time-out)."""

    def __init__(self, name, record, seed):
        self.name, self.record, self.mode = name, record, ""
        self.draw = random.Random(f"{name} {seed}")
        self.received = b""

    def hear(self, data, answer):
        """Bytes of the line; `answer` sends bytes to the station, and says whether it could."""
        self.received += data
        while ETX in self.received:
            frame, self.received = self.received.split(bytes([ETX]), 1)
            if STX in frame:
                self.take(frame[frame.rindex(STX) + 1:], answer)

    def take(self, frame, answer):
        digit, id, text = frame[:1], frame[1:37].decode(), frame[38:].decode()
        took = self.mode != "silent"
        tells = took and not (self.mode == "lying" and self.draw.random() < 0.5)
        reply = bytes([ACK]) + digit
        if self.mode == "late" and tells:
            tells = False
            asyncio.get_running_loop().call_later(self.draw.uniform(0.5, 4), answer, reply)
        elif tells:
            tells = answer(reply)
        self.record.write("arrival", sink=self.name, took=took, told=tells, id=id, text=text)


class Till(FrameHost):
    """A host on a serial line, which is a pseudo-terminal at the path of an adapter. In mode unplugged, there is no line."""

    PATH = "/run/till"

    def __init__(self, record, seed):
        super().__init__("till", record, seed)
        self.master = self.line = None

    async def become(self, mode):
        if mode == "unplugged" and self.master is not None:
            self.unplug()
        if mode != "unplugged" and self.master is None:
            self.plug()
        self.mode = mode

    def plug(self):
        self.received = b""
        self.master, self.line = pty.openpty()
        tty.setraw(self.line)
        os.set_blocking(self.master, False)
        os.symlink(os.ttyname(self.line), self.PATH)
        asyncio.get_running_loop().add_reader(self.master, self.read)

    def unplug(self):
        asyncio.get_running_loop().remove_reader(self.master)
        os.unlink(self.PATH)
        os.close(self.master)
        os.close(self.line)
        self.master = self.line = None

    def read(self):
        master = self.master
        self.hear(os.read(master, 65536), lambda reply: self.send(master, reply))

    def send(self, master, reply):
        if master != self.master:
            return False
        os.write(master, reply)
        return True


class Belt(FrameHost):
    """A host that listens on TCP."""

    def __init__(self, port, record, seed):
        super().__init__("belt", record, seed)
        self.port, self.server, self.writers = port, None, set()

    async def become(self, mode):
        if mode == "away" and self.server is not None:
            self.server.close()
            self.server = None
            for writer in list(self.writers):
                writer.transport.abort()
        if mode != "away" and self.server is None:
            self.server = await asyncio.start_server(self.serve, "127.0.0.1", self.port)
        self.mode = mode

    async def serve(self, reader, writer):
        self.writers.add(writer)
        self.received = b""

        def answer(reply):
            if writer.transport.is_closing():
                return False
            writer.write(reply)
            return True

        try:
            while data := await reader.read(65536):
                self.hear(data, answer)
        except OSError:
            pass
        finally:
            self.writers.discard(writer)
            writer.close()


NETLINK_KOBJECT_UEVENT = 15
# Input events of Linux, by their numbers in linux/input-event-codes.h.
KEYS, LIGHTS, CAPS_LOCK, CAPS_LOCK_LIGHT, ENTER = 1, 17, 58, 1, 28
SHIFTS = {42, 54}
CHARACTERS = dict(zip(
    [*range(2, 12), 12, *range(16, 26), *range(30, 39), *range(44, 51), 57], "1234567890-qwertyuiopasdfghjklzxcvbnm "))


class Desk:
    """A desktop with a US keyboard layout: writes down each line that the station types. Caps Lock is what its user makes it."""

    def __init__(self, record):
        self.record, self.device = record, None
        self.caps_lock, self.shifts, self.line = False, set(), ""

    def watch(self):
        """Opens the station's keyboard as soon as the kernel announces one."""
        self.events = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT)
        self.events.bind((0, 1))
        asyncio.get_running_loop().add_reader(self.events, self.hear_of_device)

    def hear_of_device(self):
        message = self.events.recv(65536)
        if message.startswith(b"add@") and b"/input/" in message and self.device is None:
            self.open()

    def open(self):
        for name in os.listdir("/sys/class/input"):
            path = f"/sys/class/input/{name}/device/name"
            if name.startswith("event") and os.path.exists(path) and open(path).read().startswith("Reticle"):
                self.device = os.open(f"/dev/input/{name}", os.O_RDWR | os.O_NONBLOCK)
                asyncio.get_running_loop().add_reader(self.device, self.read)
                self.show()
                return

    def show(self):
        """Shows Caps Lock on the keyboard."""
        if self.device is not None:
            event = struct.pack("<qqHHi", 0, 0, LIGHTS, CAPS_LOCK_LIGHT, self.caps_lock)
            os.write(self.device, event + struct.pack("<qqHHi", 0, 0, 0, 0, 0))

    def press_caps_lock(self):
        self.caps_lock = not self.caps_lock
        self.show()

    def read(self):
        try:
            data = os.read(self.device, 24 * 64)
        except OSError:
            asyncio.get_running_loop().remove_reader(self.device)
            os.close(self.device)
            self.device, self.shifts = None, set()
            return
        for _, _, kind, code, value in struct.iter_unpack("<qqHHi", data):
            if (kind, code) == (0, 3):
                self.record.write("keys dropped")
            if kind == KEYS:
                self.key(code, value)

    def key(self, code, value):
        if code in SHIFTS:
            (self.shifts.add if value else self.shifts.discard)(code)
        elif value == 1 and code == CAPS_LOCK:
            self.press_caps_lock()
        elif value == 1 and code == ENTER:
            self.record.write("typed", text=self.line)
            self.line = ""
        elif value == 1:
            character = CHARACTERS.get(code, "?")
            is_upper = bool(self.shifts) != (self.caps_lock and character.isalpha())
            self.line += character.upper() if is_upper else character
