"""Judges a month by its record: what was shown, what the lamp promised, what each receiver took, and what the observer saw. It knows the
promises of docs/delivery.md and docs/behaviour.md, and nothing of the station's insides."""
import bisect
import collections

import judge_desk
import schedule
from judge_causes import Causes
from schedule import DAY

# Receivers that have each scan at least once, those of them that have the scans in order, and all places at which scans arrive.
KEEPERS = ("till", "belt", "ledger", "shop")
ORDERED = ("till", "belt", "ledger")
# A frame may show a picture so long after it was put before the camera, or was taken away, in seconds: a frame's time and the USB bus.
FRAME = 0.5
# Memory of a process, in kilobytes, and open files may grow by at most so much, from one look to another while labels are shown: pages
# kept by the allocator and the database, but not an amount per scan. The first looks are those of a process that warms up.
GROWTH, FILES, WARM = 3072, 8, 40
# The most that all files of the outbox may have, in bytes: 1000 delivered scans are kept, and a journal of 1000 pages.
OUTBOX = 8 << 20
# The number of failures that is reported of each kind.
TOLD = 5


def judge(plan, done):
    """Counts by name, rows of days, and failures as (seconds, text) in order."""
    month = Month(plan, done)
    month.match()
    month.check_keepers()
    month.check_order()
    judge_desk.check(month)
    month.check_observations()
    month.check_resources()
    return month.counts(), month.days(), sorted(month.failures)


class Month:
    def __init__(self, plan, done):
        self.plan, self.done, self.failures = plan, done, []
        self.of = collections.defaultdict(list)
        for record in done:
            self.of[record["kind"]].append(record)
        self.causes = Causes(done)
        self.offsets = {record["boot"]: record["offset"] for record in self.of["boot"]}
        self.tally = collections.Counter()
        self.read_presentations()
        self.read_scans()

    def fail(self, t, what, text):
        """Notes a failure; `what` is its kind."""
        self.tally[what] += 1
        if self.tally[what] <= TOLD:
            self.failures.append((t, f"{what}: {text}"))

    def read_presentations(self):
        """Each with the times at which it was shown and hidden, and those of the lamp until the next one."""
        hidden = {record["n"]: record["t"] for record in self.of["hidden"]}
        cuts = [record["t"] for record in self.of["cut"]]
        self.presentations = []
        for record in self.of["shown"]:
            end = hidden.get(record["n"]) or next((t for t in cuts if t > record["t"]), record["t"])
            self.presentations.append({**record, "hidden": end, "beeps": [], "scans": []})
        self.begins = [presentation["t"] for presentation in self.presentations]
        for beep in self.of["beep"]:
            presentation = self.presentation_at(beep["t"])
            if presentation is None:
                self.fail(beep["t"], "invented", "the lamp lit before any label was shown")
            else:
                presentation["beeps"].append(beep["t"])

    def presentation_at(self, t):
        place = bisect.bisect_right(self.begins, t) - 1
        return self.presentations[place] if place >= 0 else None

    def read_scans(self):
        """The scans that arrived anywhere, by id."""
        self.scans = {}
        for record in self.of["arrival"]:
            scan = self.scans.setdefault(record["id"], {"id": record["id"], "text": record["text"], "t": None, "arrivals": []})
            scan["arrivals"].append(record)
            if scan["text"] != record["text"]:
                self.fail(record["t"], "changed", f"{record['id']} is {record['text']} at {record['sink']} and {scan['text']} elsewhere")
            if "captured" in record:
                scan["t"] = self.offsets[record["bootId"]] + record["captured"]

    def match(self):
        """Finds the presentation of each scan, and what became of each presentation."""
        for scan in self.scans.values():
            t = scan["t"]
            if t is None:
                self.fail(scan["arrivals"][0]["t"], "lost", f"{scan['text']} {scan['id']} came to no webhook")
                scan["t"] = t = scan["arrivals"][0]["t"]
            shown = self.presentation_at(t)
            if shown is not None and shown["text"] != scan["text"] and t < shown["t"] + FRAME:
                shown = self.presentation_at(shown["t"] - 0.001)
            if shown is None or shown["text"] != scan["text"] or t > shown["hidden"] + FRAME:
                self.fail(t, "invented", f"{scan['text']} {scan['id']} was scanned, and not shown then")
            else:
                shown["scans"].append(scan)
        for shown in self.presentations:
            self.judge_presentation(shown)

    def judge_presentation(self, shown):
        beeps, scans, t = len(shown["beeps"]), len(shown["scans"]), shown["t"]
        excuse = self.causes.excuse(t, shown["hidden"])
        if scans > 1:
            self.fail(t, "doubled", f"{shown['text']} was shown once, and is {scans} scans")
        if beeps > 1:
            self.fail(t, "doubled", f"{shown['text']} was shown once, and the lamp said so {beeps} times")
        if beeps and not scans:
            self.fail(t, "lost", f"the lamp said that {shown['text']} is safe, and no receiver has it")
        if scans and not beeps:
            self.tally["stored, and not signalled"] += 1
            if not excuse:
                self.fail(t, "not signalled", f"{shown['text']} was stored, and the lamp did not light")
        if not scans and not beeps:
            self.tally["not read during a fault" if excuse else "missed"] += 1
            if not excuse:
                self.failures.append((t, f"missed: {shown['text']} was shown until {shown['hidden']:.1f}, and nothing was wrong"))

    def check_keepers(self):
        for sink in KEEPERS:
            for scan in self.scans.values():
                mine = [record for record in scan["arrivals"] if record["sink"] == sink]
                took = [record for record in mine if record["took"]]
                if not took:
                    self.fail(scan["t"], "lost", f"{scan['text']} {scan['id']} never came to {sink}")
                for first, again in zip(took, took[1:]):
                    self.tally["repeats under the same id"] += 1
                    if first["told"] and not self.causes.repeat(sink, first["t"], again["t"]):
                        self.fail(again["t"], "repeated without cause", f"{scan['text']} {scan['id']} at {sink}, acknowledged at {first['t']:.3f}")

    def check_order(self):
        for sink in ORDERED:
            seen, latest = set(), None
            for record in self.of["arrival"]:
                if record["sink"] != sink or not record["took"] or record["id"] in seen:
                    continue
                seen.add(record["id"])
                scan = self.scans[record["id"]]
                if latest is not None and scan["t"] < latest["t"]:
                    self.fail(record["t"], "out of order", f"{scan['text']} came to {sink} after {latest['text']}, which was scanned later")
                latest = scan if latest is None or scan["t"] > latest["t"] else latest

    def check_observations(self):
        for record in self.of["torch"]:
            # A configuration that is read again opens a session at once.
            if not (record["reason"] == "the session has ended with a scan" and self.causes.restarted(record["t"] - 3, record["t"])):
                self.fail(record["t"], "torch lit", record["reason"])
        for record in self.of["state"]:
            self.tally["states compared"] += 1
            if record["seen"] != record["expected"]:
                self.fail(record["t"], "wrong state", f"{record['what']}: {record['seen']} instead of {record['expected']}")
        for record in self.of["station ended"]:
            if record["cause"] is None:
                self.fail(record["t"], "ended unasked", f"status {record['status']}")
        ends = self.of["end"]
        if not ends:
            self.fail(self.done[-1]["t"], "unfinished", "the record has no end")
        elif ends[0]["waiting"]:
            self.fail(ends[0]["t"], "left over", f"the outbox still lists {ends[0]['waiting']} scans")
        glances = collections.Counter()
        for record in self.of["glances"]:
            for count in record["counts"]:
                glances[count["reason"] == "may be lit", count["lit"]] += count["count"]
        self.tally["looks at the torch when it must be dark"] = glances[False, False] + glances[False, True]
        self.tally["looks at the torch when it was lit"] = glances[True, True]
        if self.presentations and not glances[True, True]:
            self.fail(0, "torch never lit", "that it was dark proves nothing")

    def check_resources(self):
        lives = collections.defaultdict(list)
        # A configuration that is read again replaces the station in its process, and what it allocated.
        life = 0
        for record in self.done:
            life += record["kind"] in ("boot", "station started") or record.get("name") == "configuration read again"
            if record["kind"] == "measure":
                lives[life].append(record)
                if record["outbox"] > OUTBOX:
                    self.fail(record["t"], "outbox too large", f"{record['outbox']} bytes")
        for rows in lives.values():
            warm = [row for row in rows if row["open"]][WARM:]
            if len(warm) < 6:
                continue
            third = len(warm) // 3
            early, late = warm[:third], warm[-third:]
            # Peaks: between sessions, and when the database has written its journal back, there are fewer files and less memory.
            for name, limit, what in (("kilobytes", GROWTH, "memory grows"), ("files", FILES, "open files grow")):
                first, last = (max(row[name] for row in part) for part in (early, late))
                if last - first > limit:
                    self.fail(warm[-1]["t"], what, f"from {first} to {last} in {(warm[-1]['t'] - warm[0]['t']) / 3600:.1f} hours")
        measures = self.of["measure"]
        self.tally["largest memory, kB"] = max([row["kilobytes"] for row in measures], default=0)
        self.tally["most open files"] = max([row["files"] for row in measures], default=0)
        self.tally["largest outbox, bytes"] = max([row["outbox"] for row in measures], default=0)

    def counts(self):
        """The counts of the month, by name, in the order in which they are printed."""
        faults = collections.Counter(record["name"] for record in self.of["fault"] if record["on"])
        counts = {
            "days": schedule.days(self.plan["end"]), "labels shown": len(self.presentations), "scans": len(self.scans),
            "signalled as safe": len(self.of["beep"]), "arrivals": len(self.of["arrival"]), "texts typed": len(self.of["typed"]),
            "starts of the station": len(self.of["station started"]), "faults": sum(faults.values()),
            **{f"  {name}": faults[name] for name in sorted(faults)},
        }
        kinds = [
            "lost", "doubled", "out of order", "missed", "invented", "changed", "not signalled", "repeated without cause", "torch lit",
            "wrong state", "ended unasked", "memory grows", "open files grow", "outbox too large", "left over",
        ]
        counts |= {name: count for name, count in sorted(self.tally.items()) if name not in kinds}
        return counts | {kind: self.tally[kind] for kind in kinds}

    def days(self):
        """A row per day: labels shown, scans, arrivals, faults, and labels that were not read during a fault."""
        rows = []
        for day in range(schedule.days(self.plan["end"])):
            def here(records):
                return [record for record in records if day * DAY <= record["t"] < (day + 1) * DAY]
            shown = here(self.presentations)
            rows.append((
                day, len(shown), sum(len(record["scans"]) for record in shown), len(here(self.of["arrival"])),
                sum(record["on"] for record in here(self.of["fault"])), sum(not record["scans"] for record in shown)))
        return rows
