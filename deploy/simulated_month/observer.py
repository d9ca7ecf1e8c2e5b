"""Looks at the station from outside, as often as it can: the torch's line, the lamp of good reads, what the console says, memory, open
files and the outbox's files."""
import asyncio
import json
import os

# How often the lines are looked at, in seconds: during rushes, less than the lamp is lit for a scan; and otherwise.
GLANCE, NIGHT_GLANCE = 0.2, 60
# How often the console is asked, in seconds: during rushes, and otherwise.
QUESTION, NIGHT_QUESTION = 5, 900
# After this many seconds the torch must be dark: since the station has died, the privacy switch was closed, the station was paused, the
# camera was pulled (its session ends with the first frame that does not come), or was frozen (the frame's deadline is 3 s).
DEAD, CLOSED, PAUSED, PULLED, FROZEN = 0.1, 0.5, 0.5, 1, 4
# Between a scan and the next session, which opens after 1 s: from and to these seconds after the lamp was first seen to be lit.
AFTER_SCAN = (0.15, 0.7)
# After this many seconds a camera that does not deliver must be shown as lost, and one that works as available: the backoff's 30 s, and
# its frames.
LOST, FOUND = 6, 45
# After this many seconds storage that works again, a free screen, and an open or closed privacy switch must be shown as such.
MENDED, SHOWN = 12, 8
# A receiver that takes nothing for so long, in seconds, while scans wait must be named by /readyz: ten failures in a row.
GIVEN_UP = 150
# What a station needs to start, in seconds, until states hold.
START = 25


class Observer:
    def __init__(self, world):
        self.world = world
        self.beeped = -1e9
        self.counts = {}
        self.reported = world.record.now
        # The station and the number of scans that it had refused at the last look.
        self.refused = (None, 0)

    async def watch_lines(self):
        world, was_lit = self.world, False
        while True:
            is_lit = world.board.level("GOOD")
            if is_lit and not was_lit:
                self.beeped = world.record.now
                world.record.write("beep")
                world.beep.set()
                for fault in world.faults.active.values():
                    fault.setdefault("beeped", self.beeped)
            was_lit = is_lit
            self.look_at_torch()
            if world.record.now - self.reported > 600:
                self.report()
            await asyncio.sleep(GLANCE if world.is_open or self.is_lively else min(NIGHT_GLANCE, world.seconds_to_rush))

    @property
    def is_lively(self):
        """Whether something happens or has just happened that a glance per minute would miss."""
        return self.world.record.now - max([-1e9, *self.world.faults.last.values()]) < 2

    def look_at_torch(self):
        """Notes the torch's level, and why it must be dark."""
        reason, is_lit = self.darkness(), self.world.board.level("TORCH")
        key = (reason or "may be lit", is_lit)
        self.counts[key] = self.counts.get(key, 0) + 1
        if reason and is_lit:
            self.world.record.write("torch", reason=reason)

    def darkness(self):
        world, faults, now = self.world, self.world.faults, self.world.record.now
        closed = world.board.pulled_since("PRIVACY")
        since_beep = now - self.beeped
        if world.station.pid is None and now - world.station.ended > DEAD:
            return "the station is dead"
        if world.station.pid is not None and now - world.station.started < START:
            return None
        if closed is not None and now - closed > CLOSED:
            return "the privacy switch is closed"
        if (faults.since("station paused") or 0) > PAUSED:
            return "the station is paused"
        if (faults.since("camera unplugged") or 0) > PULLED:
            return "the camera is gone"
        if (faults.since("camera frozen") or 0) > FROZEN:
            return "the camera is silent"
        # A configuration that is read again opens a session at once.
        if AFTER_SCAN[0] < since_beep < AFTER_SCAN[1] and faults.calm("configuration read again") > 2:
            return "the session has ended with a scan"
        return None

    def report(self):
        self.reported = self.world.record.now
        counts = [{"reason": reason, "lit": is_lit, "count": count} for (reason, is_lit), count in self.counts.items()]
        self.world.record.write("glances", counts=counts)
        self.counts = {}

    async def ask(self):
        while True:
            await asyncio.sleep(QUESTION if self.world.is_open else NIGHT_QUESTION)
            self.measure()
            if self.is_settled:
                status, ready = await self.world.station.get("/status"), await self.world.station.get("/readyz")
                # The station may have died, or a fault begun, since it was asked.
                if self.is_settled and status is not None and ready is not None:
                    self.compare(json.loads(status), ready)

    @property
    def is_settled(self):
        """Whether the station has been running for long enough to be asked."""
        station, faults = self.world.station, self.world.faults
        return (station.pid is not None and self.world.record.now - station.started > START
                and faults.calm("network down", "configuration read again") > START)

    def measure(self):
        pid = self.world.station.pid
        if not pid:
            return
        try:
            lines = dict(line.split(":", 1) for line in open(f"/proc/{pid}/status") if ":" in line)
            files = len(os.listdir(f"/proc/{pid}/fd"))
        except OSError:
            return
        # A process that is starting is still Python, or has just ended.
        if "VmRSS" in lines and self.world.record.now - self.world.station.started > START:
            outbox = sum(os.path.getsize(name) for name in os.listdir(".") if name.startswith("outbox.sqlite"))
            self.world.record.write(
                "measure", pid=pid, age=round(self.world.record.now - self.world.station.started, 1), files=files,
                kilobytes=int(lines["VmRSS"].split()[0]), outbox=outbox, open=self.world.is_open)

    def compare(self, status, ready):
        """Writes what the station should say beside what it says, where the truth is certain."""
        faults, board = self.world.faults, self.world.board
        camera, screen = status["camera"]["state"], status.get("screen")
        closed, opened = board.pulled_since("PRIVACY"), board.released_since("PRIVACY")
        now = self.world.record.now
        is_closed = closed is not None and now - closed > SHOWN
        is_opened = opened is not None and now - opened > FOUND
        is_paused = (faults.since("station paused") or 0) > SHOWN
        lost = (faults.since("camera unplugged") or 0) > LOST or (faults.since("camera frozen") or 0) > LOST
        if is_closed and faults.calm("station paused") > SHOWN:
            self.expect("camera permission, switch closed", "restricted", status["camera"]["permission"])
        if is_paused:
            self.expect("session, station paused", "disabled", status.get("session"))
        if lost and is_opened and faults.calm("station paused") > FOUND:
            self.expect("camera, lost", "unavailable", camera)
        if is_opened and faults.calm("camera unplugged", "camera frozen", "station paused", "privacy switch") > FOUND and (
                now - self.beeped > 4):
            self.expect("camera, in order", "available", camera)
        if (faults.since("screen taken") or 0) > SHOWN:
            self.expect("screen, taken", "multipleForegroundApps", screen)
        if faults.calm("screen taken") > SHOWN:
            self.expect("screen, free", "available", screen)
        if faults.calm("disk full", "disk read-only", "disk failing") > MENDED:
            self.expect("durability, storage in order", "power-cut", status["outbox"]["durability"])
        # On a full disk, files may still have room for a scan: durability is not compared.
        pid, refused = self.world.station.pid, status["outbox"]["refusedCount"]
        for fault in ("disk read-only", "disk failing"):
            if (faults.since(fault) or 0) > QUESTION + 1 and self.refused[0] == pid and self.refused[1] < refused:
                self.expect(f"durability, {fault}, after a refused scan", "refused", status["outbox"]["durability"])
        self.refused = (pid, refused)
        held_up = {sink["name"] for sink in status["sinks"] if sink["isHeldUp"]}
        for name in ("till unplugged", "till silent", "belt away", "belt silent", "ledger away", "ledger refusing", "shop away"):
            begun = faults.active.get(name, {}).get("beeped", now)
            if now - max(begun, self.world.station.started) > GIVEN_UP:
                sink = name.split()[0]
                self.expect(f"held up, {name}", True, sink in held_up and sink in ready)

    def expect(self, what, expected, seen):
        self.world.record.write("state", what=what, expected=expected, seen=seen)
