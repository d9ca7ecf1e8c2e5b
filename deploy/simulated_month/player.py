"""The month as it happens inside the lab: a cashier shows labels, faults come and go, an observer looks. Runs until the month's end
or a power cut; deploy/month then starts it again. Reads plan.json, appends to record.jsonl."""
import asyncio
import json
import random

from board import Board, Record
from faults import Faults
from observer import Observer
from receivers import Belt, Desk, Till, WebReceiver
from station import Station

# How long after the month's end scans may take to arrive, in seconds.
DRAIN = 1800
# How long a label is shown to a station that does not read it, in seconds.
PATIENCE = 3
# The pause between two labels, in seconds: at least, and on average beyond it.
SHORTEST_GAP, MEAN_GAP = 1.2, 0.8
# Shares of presentations: the same label again, one that stays for long, one that is covered for a moment.
AGAIN, LINGERING, COVERED = 0.04, 0.04, 0.04
# Out of view for this long, a label is a new one: `repeat.absence`, a session's pause and frames, in seconds.
ABSENCE = 4


class World:
    """All that a simulation consists of."""

    def __init__(self, plan):
        self.plan, seed = plan, plan["seed"]
        self.record = record = Record("record.jsonl", plan["offset"])
        boot = open("/proc/sys/kernel/random/boot_id").read().strip()
        record.write("boot", boot=boot, offset=plan["offset"])
        self.board = Board(plan["begin"], record)
        self.station = Station(record, self.board)
        self.till, self.belt, self.desk = Till(record, seed), Belt(9481, record, seed), Desk(record)
        self.ledger, self.shop = (WebReceiver(name, port, record, seed) for name, port in (("ledger", 9482), ("shop", 9483)))
        self.beep = asyncio.Event()

    @property
    def rush(self):
        """The rush that is on or comes next; nil after the last."""
        return next((rush for rush in self.plan["rushes"] if rush[1] > self.record.now), None)

    @property
    def is_open(self):
        rush = self.rush
        return rush is not None and rush[0] <= self.record.now

    @property
    def seconds_to_rush(self):
        """Until the next rush begins; 0 during one, and much after the last."""
        rush = self.rush
        return max(0.001, rush[0] - self.record.now) if rush else 1e9

    async def until(self, t):
        await asyncio.sleep(max(0, t - self.record.now))


class Cashier:
    def __init__(self, world):
        self.world = world
        # Which label comes next depends on the time alone, so that a month goes on after a power cut.
        self.draw = random.Random(f"cashier {world.plan['seed']} {world.plan['offset']}")
        self.number = int(world.plan["offset"] * 10)
        self.place = world.plan["next label"]

    async def work(self):
        world = self.world
        world.board.pull("PRIVACY", True)
        while (rush := world.rush) is not None:
            await world.until(rush[0])
            world.board.wants_camera = True
            if "camera unplugged" not in world.faults.active:
                world.board.plug_camera()
            world.board.pull("PRIVACY", "privacy switch" in world.faults.active)
            world.record.write("opened")
            await asyncio.sleep(8)
            again = None
            while world.record.now < rush[1] - 8:
                again = await self.present(again)
            world.board.pull("PRIVACY", True)
            world.record.write("closed")
            await asyncio.sleep(2)
            world.board.wants_camera = False
            world.board.unplug_camera()
            await world.until(rush[1])

    async def present(self, again):
        """Shows a label until it is read or patience ends; the label, if it is to be shown again."""
        world, kind = self.world, self.draw.random()
        if again is None:
            self.place = (self.place + 1) % len(world.plan["labels"])
        label = self.place
        self.number += 1
        world.beep.clear()
        world.board.show(f"label-{label}")
        world.record.write("shown", n=self.number, text=world.plan["labels"][label], place=label)
        try:
            await asyncio.wait_for(world.beep.wait(), PATIENCE)
            is_read = True
        except TimeoutError:
            is_read = False
        await asyncio.sleep(self.draw.uniform(0.05, 0.5))
        if is_read and kind < LINGERING:
            await asyncio.sleep(5)
        elif is_read and kind < LINGERING + COVERED:
            world.board.show("counter")
            await asyncio.sleep(0.3)
            world.board.show(f"label-{label}")
            await asyncio.sleep(1.5)
        world.board.show("counter")
        world.record.write("hidden", n=self.number)
        comes_again = is_read and kind > 1 - AGAIN
        await asyncio.sleep(ABSENCE if comes_again else SHORTEST_GAP + self.draw.expovariate(1 / MEAN_GAP))
        return label if comes_again else None


async def hear_of_time(world):
    """Some time after a boot, the station's clock is set right from the network."""
    await asyncio.sleep(random.Random(f"time {world.plan['offset']}").uniform(5, 120))
    world.board.set_clock()
    await asyncio.Event().wait()


async def drain(world, faults, observer):
    """After the month: all faults end, and the scans that wait arrive."""
    await faults.end()
    end = world.record.now + DRAIN
    await asyncio.sleep(30)
    await world.station.command("outbox", "retry")
    while world.record.now < end:
        await asyncio.sleep(30)
        await world.station.command("outbox", "retry", "--dead")
        status = await world.station.get("/status")
        outbox = json.loads(status)["outbox"] if status else {}
        if outbox.get("undeliveredCount") == outbox.get("deadCount") == 0:
            break
    await asyncio.sleep(30)
    observer.report()
    await world.station.stop()
    listed = await world.station.command("outbox", "list", "--format", "json")
    world.record.write("end", waiting=len(json.loads(listed)["scans"]))


async def main(plan):
    world = World(plan)
    for receiver in (world.till, world.belt):
        await receiver.become("")
    for receiver in (world.ledger, world.shop):
        await receiver.open()
    world.desk.watch()
    faults, observer, cashier = Faults(world), Observer(world), Cashier(world)
    tasks = [asyncio.create_task(work) for work in (
        world.station.run(), faults.run(), observer.watch_lines(), observer.ask(), cashier.work(), hear_of_time(world))]
    closing = asyncio.create_task(world.until(plan["end"]))
    done, _ = await asyncio.wait([*tasks, closing], return_when=asyncio.FIRST_COMPLETED)
    while closing not in done:
        for task in done:
            task.result()
        rest = [task for task in [*tasks, closing] if not task.done()]
        done, _ = await asyncio.wait(rest, return_when=asyncio.FIRST_COMPLETED)
    await drain(world, faults, observer)
    for task in tasks:
        if task.done():
            task.result()
        task.cancel()


if __name__ == "__main__":
    with open("plan.json") as file:
        asyncio.run(main(json.load(file)))
