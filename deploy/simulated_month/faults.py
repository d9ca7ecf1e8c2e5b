"""The faults of the plan, as they begin and end on the board, at the station and at its receivers."""
import asyncio
import fcntl
import signal
import socket
import struct

from board import devices

# The receivers, whose faults are their modes.
RECEIVERS = ("till", "belt", "ledger", "shop")
# Faults of the storage, as faulty_storage.c knows them.
LETTERS = {"disk full": "f", "disk read-only": "r", "disk failing": "e"}


class Faults:
    def __init__(self, world):
        self.world = world
        # Faults in effect, by name; and when each was in effect last, in the month's seconds.
        self.active, self.last, self.tasks = {}, {}, set()
        world.faults = self

    def since(self, name):
        """For how long a fault has been in effect, in seconds; nil if it is not."""
        return self.world.record.now - self.active[name]["t"] if name in self.active else None

    def calm(self, *names):
        """For how long none of the faults has been in effect, in seconds."""
        if any(name in self.active for name in names):
            return 0
        return self.world.record.now - max([self.last.get(name, -1e9) for name in names])

    async def run(self):
        for fault in self.world.plan["faults"]:
            if fault["t"] < self.world.record.now:
                continue
            await self.world.until(fault["t"])
            task = asyncio.create_task(self.happen(fault))
            self.tasks.add(task)
            task.add_done_callback(self.done)
        await asyncio.Event().wait()

    def done(self, task):
        self.tasks.discard(task)
        if not task.cancelled():
            task.result()

    async def happen(self, fault):
        """A fault from its begin to its end. One that is in effect already, or whose device is busy, does not come."""
        name, world = fault["name"], self.world
        device = name.split()[0]
        if any(other.split()[0] == device and other not in ("clock jump",) for other in self.active):
            return
        if name == "screen taken" and not world.station.pid or device == "camera" and not world.board.has_camera:
            return
        self.active[name] = {"t": world.record.now}
        world.record.write("fault", name=name, on=True, seconds=fault["seconds"])
        try:
            await self.begin(name, fault)
            await asyncio.sleep(fault["seconds"])
        finally:
            await self.finish(name)
            del self.active[name]
            self.last[name] = world.record.now
            world.record.write("fault", name=name, on=False)

    async def begin(self, name, fault):
        world = self.world
        station, board = world.station, world.board
        match name:
            case "camera unplugged": board.unplug_camera()
            case "camera frozen": devices("camera-freeze")
            case "privacy switch": board.pull("PRIVACY", True)
            case "station paused": station.signal(signal.SIGUSR1)
            case "screen taken": self.thief = board.take_screen(station.pid, fault["seconds"])
            case "torch button": await self.press("TORCH_BUTTON")
            case "caps lock": world.desk.press_caps_lock()
            case "network down": network(False)
            case "disk full" | "disk read-only" | "disk failing": board.break_storage(LETTERS[name])
            case "clock jump": board.set_clock(fault["jump"])
            case "station killed": station.end(signal.SIGKILL, "killed")
            case "station restarted": station.end(signal.SIGTERM, "restarted")
            case "configuration read again": station.signal(signal.SIGHUP)
            case "power cut" | "switched off":
                board.cut_power(station.pid)
            case _:
                receiver, mode = name.split()
                await getattr(world, receiver).become(mode)

    async def finish(self, name):
        world = self.world
        board = world.board
        match name:
            case "camera unplugged": board.plug_camera()
            case "camera frozen": board.has_camera and devices("camera-thaw")
            case "privacy switch": board.pull("PRIVACY", not board.wants_camera)
            case "station paused": world.station.signal(signal.SIGUSR2)
            case "screen taken": self.thief.wait()
            case "network down": network(True)
            case "disk full" | "disk read-only" | "disk failing": board.mend_storage()
            case "clock jump": board.set_clock()
            case _ if name.split()[0] in RECEIVERS: await getattr(world, name.split()[0]).become("")

    async def press(self, line):
        self.world.board.pull(line, True)
        await asyncio.sleep(0.1)
        self.world.board.pull(line, False)

    async def end(self):
        """Ends all faults now."""
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


def network(is_up):
    """Takes the loopback interface down or up: SIOCGIFFLAGS, SIOCSIFFLAGS and IFF_UP."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        request = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack("16sH14x", fcntl.ioctl(end, 0x8913, request))[1]
        fcntl.ioctl(end, 0x8914, struct.pack("16sH14x", b"lo", flags | 1 if is_up else flags & ~1))
